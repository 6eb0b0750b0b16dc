//! Coin betting: a learner without a rate, for gradients of known size.

use super::potential::{FURTHEST, furthest, wealth};
use super::{Lazy, Learner, room_within, span};
use crate::squares::weigh;
use crate::{Float, Separable, Vector};

/// Coin betting with the Krichevsky–Trofimov bettor, one coin a coordinate.
///
/// *Update*, per coordinate, with coins c_t = −α_t g_{t,j}/L in −1 to 1, of which n were not zero and sum to θ, and wealth
/// W: the bet is z = W·θ/(n + 1), played is w = centre + z clipped to the interval (in the whole space to 2^100·ε); then
/// W ← W·(1 + c·θ/(n + 1)). W starts at ε, half the width of the interval: in the whole space a guess, the reach. A
/// gradient that would push a bet further out than it is played is left out (the constraint reduction in one dimension),
/// one larger than L is cut to L.
///
/// *Guarantee*: R_T(u) ≤ Σ_j L·(|u_j|·√(n_j·ln(1 + 24n_j²u_j²/ε_j²)) + ε_j), |u_j| from the centre, plus what was cut,
/// Σ(|G| − L)₊·(|w_j| + |u_j|). For one coordinate the classic learner in one dimension.
///
/// *Cost*: O(nnz) a step. The wealth is a product of factors ≥ 1/(n + 1), not a difference, so it keeps its digits, and
/// as bets are clipped it cannot overflow. L has units: this learner is not scale-free;
/// [`DiagonalFreeGrad`](crate::DiagonalFreeGrad) finds the scale itself.
///
/// ```
/// use surefoot::{CoinBetting, Learner, Whole};
/// let mut learner = CoinBetting::<f64, _>::new(1, Whole::new(1.0), 1.0);
/// learner.tell(1.0, &[-1.0]);
/// assert_eq!(learner.at(0), 0.5); // half of all there is
/// learner.tell(1.0, &[-1.0]);
/// assert_eq!(learner.at(0), 1.0); // two thirds of 1.5
/// ```
///
/// Source: Orabona and Pál (2016), Algorithm 1 and Corollary 5; clipping bets: Cutkosky and Orabona (2018).
#[derive(Clone, Debug)]
pub struct CoinBetting<F, D> {
    domain: D,
    bound: f64,
    coins: Vec<Coin<F>>,
    lost: f64,
    room: f64,
}

/// `wealth` is in units of ε.
#[derive(Clone, Copy, Debug)]
struct Coin<F> {
    theta: f64,
    wealth: f64,
    count: f64,
    cut: f64,
    iterate: F,
}

impl<F: Float> Coin<F> {
    /// The share of the wealth that is bet.
    fn share(&self) -> f64 {
        self.theta / (self.count + 1.0)
    }
}

impl<F: Float, D: Separable<F>> CoinBetting<F, D> {
    /// At the centre of `domain`, in `dim` dimensions, for weighted gradients whose coordinates are at most `bound`. The
    /// only allocation.
    ///
    /// # Panics
    /// If `bound` is not positive and finite.
    pub fn new(dim: usize, domain: D, bound: f64) -> Self {
        assert!(bound > 0.0 && bound.is_finite(), "a positive bound");
        let coin = |i| Coin { theta: 0.0, wealth: 1.0, count: 0.0, cut: 0.0, iterate: domain.centre(i) };
        let coins = (0..dim).map(coin).collect();
        let room = room_within::<F>(domain.reach());
        Self { domain, bound, coins, lost: 0.0, room }
    }

    /// One weighted nonzero gradient at coordinate `i`.
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

    /// The bound for a coordinate at a distance of at most `distance`, which is at most so far as it can be.
    fn regret(&self, i: usize, distance: f64) -> f64 {
        let (coin, wealth) = (&self.coins[i], wealth(&self.domain, i));
        let ratio = if distance > 0.0 { coin.count * distance / wealth } else { 0.0 };
        let root = (coin.count * (24.0 * ratio * ratio).ln_1p()).sqrt();
        self.bound * (distance * root + wealth) + coin.cut * distance
    }
}

impl<F: Float, D: Separable<F>> CoinBetting<F, D> {
    /// The bound where each coordinate is off by as much as `distance` says.
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

    fn room(&self, _: f64) -> f64 {
        self.room
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then(|| self.total(|i| furthest(&self.domain, i)))
    }

    /// Each coordinate of u may be as far off as `distance`.
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
