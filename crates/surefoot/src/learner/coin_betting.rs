//! Coin betting: a parameter-free learner for gradients with a known bound.

use super::potential::{FURTHEST, furthest, wealth};
use super::{Lazy, Learner, room_within, span};
use crate::squares::weigh;
use crate::{Float, Separable, Vector};

/// Coin betting, a parameter-free learner: one Krichevsky–Trofimov bettor per coordinate.
///
/// *Update*, per coordinate j, with coin outcomes c_t = −α_t g_{t,j}/L between −1 and 1, of which n were nonzero and
/// which sum to θ, and a wealth W: the bet is z = W·θ/(n + 1), and the iterate is w = centre + z, clipped to the
/// interval (in the whole space to 2^100·ε); then W ← W·(1 + c·θ/(n + 1)). The initial value of W is ε, half the width
/// of the interval; in the whole space it is the reach, an estimate of the distance of the solution. A gradient that
/// would push a clipped bet further out is skipped (the constraint reduction in one dimension), and a gradient larger
/// than L is clipped to L.
///
/// *Guarantee*: the regret R_T(u) is at most Σ_j L·(|u_j|·√(n_j·ln(1 + 24n_j²u_j²/ε_j²)) + ε_j), with |u_j| measured
/// from the centre, plus Σ(|G| − L)₊·(|w_j| + |u_j|) for clipped gradients. With one coordinate it is the classic
/// one-dimensional learner.
///
/// *Cost*: O(nnz) per step. The wealth is a product of factors ≥ 1/(n + 1) rather than a difference, so it loses no
/// precision, and as bets are clipped it cannot overflow. L has the unit of gradients, so this learner is not
/// scale-free; [`DiagonalFreeGrad`](crate::DiagonalFreeGrad) adapts to the scale.
///
/// ```
/// use surefoot::{CoinBetting, Learner, WholeSpace};
/// let mut learner = CoinBetting::<f64, _>::new(1, WholeSpace::new(1.0), 1.0);
/// learner.tell(1.0, &[-1.0]);
/// assert_eq!(learner.at(0), 0.5); // half of all there is
/// learner.tell(1.0, &[-1.0]);
/// assert_eq!(learner.at(0), 1.0); // two thirds of 1.5
/// ```
///
/// Source: Orabona and Pál (2016), Algorithm 1 and Corollary 5; clipping bets: Cutkosky and Orabona (2018).
#[derive(Clone, Debug)]
pub struct CoinBetting<F, D> {
    /// The domain that contains all iterates: a box or the whole space.
    domain: D,
    /// L, the upper bound on the absolute value of each coordinate of a weighted gradient.
    bound: f64,
    /// State of the bettor of each coordinate, a one-dimensional learner.
    coins: Vec<Coin<F>>,
    /// Part of the regret bound due to clipping weighted gradients G to L that does not depend on the comparator u:
    /// Σ(|G| − L)₊·|w_j − centre_j| over rounds and coordinates.
    lost: f64,
    /// Largest sum of absolute values of all weighted gradient entries of the run for which no number of the state
    /// overflows; returned by [`Learner::magnitude_budget`].
    magnitude_budget: f64,
}

/// State of the coin bettor of one coordinate.
#[derive(Clone, Copy, Debug)]
struct Coin<F> {
    /// θ, the sum of the coin outcomes, which are negative gradients divided by the bound L.
    theta: f64,
    /// W/ε, the wealth W divided by the initial wealth ε.
    wealth: f64,
    /// n, the number of rounds with a nonzero gradient in this coordinate.
    count: f64,
    /// Sum over rounds of the clipped-off parts of this coordinate's weighted gradients G, Σ(|G| − L)₊ for the bound L.
    cut: f64,
    /// The current iterate w_j of this coordinate.
    iterate: F,
}

impl<F: Float> Coin<F> {
    /// Returns the signed fraction of the wealth that is bet, θ/(n + 1), for n nonzero coin outcomes that sum to θ.
    fn share(&self) -> f64 {
        self.theta / (self.count + 1.0)
    }
}

impl<F: Float, D: Separable<F>> CoinBetting<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`, for weighted
    /// gradients whose coordinates are at most L = `bound` in absolute value. Later calls do not allocate.
    ///
    /// # Panics
    /// If `bound` is not positive and finite.
    pub fn new(dim: usize, domain: D, bound: f64) -> Self {
        assert!(bound > 0.0 && bound.is_finite(), "a positive bound");
        let coin = |i| Coin { theta: 0.0, wealth: 1.0, count: 0.0, cut: 0.0, iterate: domain.centre(i) };
        let coins = (0..dim).map(coin).collect();
        let magnitude_budget = room_within::<F>(domain.reach());
        Self { domain, bound, coins, lost: 0.0, magnitude_budget }
    }

    /// Lets the bettor of coordinate `i` win or lose its bet on the weighted, nonzero `gradient`, and sets the
    /// coordinate of the iterate to its next bet.
    fn step(&mut self, i: usize, gradient: f64) {
        let (wealth, centre) = (wealth(&self.domain, i), self.domain.centre(i).wide());
        let coin = &mut self.coins[i];
        let excess = (gradient.abs() - self.bound).max(0.0);
        coin.cut += excess;
        self.lost += excess * (coin.iterate.wide() - centre).abs();
        let shown = -(gradient / self.bound).clamp(-1.0, 1.0);
        let bet = coin.share() * coin.wealth;
        let clipped = bet.abs() > FURTHEST || coin.iterate != F::of(centre + wealth * bet);
        if clipped && shown * bet > 0.0 {
            return;
        }
        coin.wealth *= 1.0 + shown * coin.share();
        coin.theta += shown;
        coin.count += 1.0;
        let bet = (coin.share() * coin.wealth).clamp(-FURTHEST, FURTHEST);
        let free = (centre + wealth * bet).clamp(-span::<F>(), span::<F>());
        coin.iterate = self.domain.clip(i, F::of(free));
    }

    /// Returns coordinate `i`'s part of the regret bound, against comparators whose coordinate `i` is within `distance`
    /// of the centre.
    fn regret(&self, i: usize, distance: f64) -> f64 {
        let (coin, wealth) = (&self.coins[i], wealth(&self.domain, i));
        let ratio = if distance > 0.0 { coin.count * distance / wealth } else { 0.0 };
        let root = (coin.count * (24.0 * ratio * ratio).ln_1p()).sqrt();
        self.bound * (distance * root + wealth) + coin.cut * distance
    }
}

impl<F: Float, D: Separable<F>> CoinBetting<F, D> {
    /// Returns the total regret bound against comparators whose coordinate i is within `distance(i)` of the centre, for
    /// each i.
    fn total(&self, distance: impl Fn(usize) -> f64) -> f64 {
        let seen = (0..self.coins.len()).filter(|i| self.coins[*i].count > 0.0);
        self.lost + seen.map(|i| self.regret(i, distance(i))).sum::<f64>()
    }
}

impl<F: Float, D: Separable<F>> Learner<F> for CoinBetting<F, D> {
    fn dim(&self) -> usize {
        self.coins.len()
    }

    fn at(&self, i: usize) -> F {
        self.coins[i].iterate
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        self.magnitude_budget
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then(|| self.total(|i| furthest(&self.domain, i)))
    }

    /// Returns the regret bound against comparators each of whose coordinates is within `distance` of the centre.
    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        let near = (0..self.coins.len()).all(|i| distance <= furthest(&self.domain, i));
        near.then(|| self.total(|_| distance))
    }
}

impl<F: Float, D: Separable<F>> Lazy<F> for CoinBetting<F, D> {
    fn centre(&self, _: usize) -> F {
        F::zero()
    }

    fn scale(&self) -> f64 {
        1.0
    }

    fn direction(&self, i: usize) -> f64 {
        self.coins[i].iterate.wide()
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, mut moved: impl FnMut(usize, f64)) {
        gradient.each(|i, g| {
            let g = weigh(weight, g).wide();
            if g != 0.0 {
                moved(i, self.direction(i));
                self.step(i, g);
            }
        });
    }
}
