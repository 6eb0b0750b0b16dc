//! Follow-the-regularised-leader with a squared p-norm as regulariser, on the L1 ball.

use std::marker::PhantomData;

use super::clip::Clip;
use super::experts::Sums;
use super::{Hinted, Learner, nearby, room_within};
use crate::{Float, Vector};

/// Number of bisection steps for the Lagrange multiplier of the constraint: more than the bits of an `f64` mantissa.
const HALVINGS: usize = 60;

/// Optimistic follow-the-regularised-leader with regulariser (λ/2)‖·‖_p² on the [`L1Ball`](crate::L1Ball), for p near
/// 1.
///
/// *Update*: w_t minimises ⟨Z_{t−1} + h_t, ·⟩ + (λ_t/2)‖·‖_p² over the L1 ball of radius r, where Z is the sum of
/// weighted gradients G_t = α_t g_t, h_t the hint (a prediction of G_t), δ_t = G_t − h_t the hint error, 1/p + 1/q = 1,
/// q the even number 2⌈ln d⌉, and λ_t = √(2(q−1)(Γ_t² + Σ_{i<t} ‖δ_i‖_q²))/r. Equivalently, w_t is the gradient of
/// ‖θ‖_q²/(2λ) at θ, where θ is −(Z + h) shrunk towards 0 by the Lagrange multiplier of the constraint, found by
/// bisection. Errors larger than Γ in the q-norm are clipped to Γ, and then Γ grows.
///
/// *Guarantee*: the regret R_T(u) is at most r·√(2(q−1)(Γ² + Σ‖δ‖_q²)), plus 2r·max‖δ‖_q if anything was clipped; ‖δ‖_q
/// ≤ √e·‖δ‖_∞. Compared with [`SignedHedge`](crate::SignedHedge) it needs no exponentials, and its bound is larger by a
/// factor of up to √e.
///
/// *Cost*: O(d) per step where the constraint is inactive, up to 60·d where it is active.
///
/// ```
/// use surefoot::{Learner, PNorm};
/// let mut learner = PNorm::<f64>::new(3, 2.0);
/// for _ in 0..1000 {
///     learner.tell(1.0, &[0.0, 0.25, 1.0]);
/// }
/// assert!(learner.at(2) < -1.9 && learner.at(0) == 0.0);
/// ```
///
/// Source: Gentile (2003); the regret by strong convexity of ½‖·‖_p² with modulus p − 1 = 1/(q − 1).
#[derive(Clone, Debug)]
pub struct PNorm<F> {
    /// The sum Z of weighted gradients, the hint (prediction) of the current round's gradient, and the last hint error
    /// (gradient minus hint).
    sums: Sums,
    /// The clipping threshold Γ for q-norms of hint errors (gradient minus its prediction, the hint), and the sum of
    /// their squares.
    clip: Clip,
    /// Radius r of the L1 ball that contains all iterates.
    radius: f64,
    /// The even exponent q of the dual norm ‖·‖_q, in which gradients are measured.
    power: i32,
    /// The current iterate w, one number per coordinate.
    iterate: Vec<f64>,
    arrays: PhantomData<F>,
}

impl<F: Float> PNorm<F> {
    /// Creates the learner on the L1 ball of radius `radius` in `dim` dimensions, with its initial iterate at 0. Later
    /// calls do not allocate.
    ///
    /// # Panics
    /// If `radius` is not positive and finite.
    pub fn new(dim: usize, radius: f64) -> Self {
        assert!(radius > 0.0 && radius.is_finite(), "a positive radius");
        let power = 2 * ((dim.max(2) as f64).ln().ceil() as i32);
        let iterate = vec![0.0; dim];
        Self { sums: Sums::new(dim), clip: Clip::default(), radius, power, iterate, arrays: PhantomData }
    }

    /// Returns √(2(q − 1)(Γ² + V)) = λ·r, for the regulariser's strength λ, the radius r of the L1 ball, the clipping
    /// threshold Γ and the sum V of squared q-norms of clipped hint errors.
    fn spread(&self) -> f64 {
        (2.0 * f64::from(self.power - 1)).sqrt() * self.clip.spread()
    }

    /// Moves the iterate to the minimiser of ⟨Z + h, ·⟩ + (λ/2)‖·‖_p² over the L1 ball, where Z is the gradient sum and
    /// h the hint. Coordinates are divided by the largest |Z_j + h_j|, so that their q-th powers stay in range.
    fn play(&mut self) {
        let most = (0..self.sums.dim()).map(|i| self.sums.at(i).abs()).fold(0.0, f64::max);
        let limit = self.spread() / most; // ‖w‖₁ ≤ r where ‖λw‖₁ ≤ λr, in these units
        if most == 0.0 {
            self.iterate.fill(0.0);
            return;
        }
        let (mut low, mut high) = (0.0, 1.0);
        if self.mirror(most, 0.0) > limit {
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(low, high);
                if self.mirror(most, middle) > limit { low = middle } else { high = middle }
            }
            // The bisection need not be exact: only the direction matters, since the length is known to be r.
            let length = self.mirror(most, low);
            self.iterate.iter_mut().for_each(|w| *w *= self.radius / length);
        } else {
            self.iterate.iter_mut().for_each(|w| *w *= self.radius / limit);
        }
    }

    /// Sets the iterate to the gradient of ½‖θ‖_q² at θ, and returns its L1 norm. θ is −(Z + h)/`most` soft-thresholded
    /// at `shrink`, for the gradient sum Z and the hint h.
    fn mirror(&mut self, most: f64, shrink: f64) -> f64 {
        let theta = |i: usize| (self.sums.at(i).abs() / most - shrink).max(0.0);
        let largest = 1.0 - shrink;
        let mut powers = 0.0;
        for (i, w) in self.iterate.iter_mut().enumerate() {
            let share = theta(i) / largest;
            let power = share.powi(self.power - 1);
            powers += power * share;
            *w = -power.copysign(self.sums.at(i));
        }
        let factor = largest * powers.powf(2.0 / f64::from(self.power) - 1.0);
        let mut length = 0.0;
        for w in &mut self.iterate {
            *w *= factor;
            length += w.abs();
        }
        length
    }
}

/// Returns the q-norm (Σ|x_j|^q)^(1/q) of `x` for q = `power`.
fn norm(x: &[f64], power: i32) -> f64 {
    let most = x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if most == 0.0 {
        return 0.0;
    }
    most * x.iter().map(|x| (x.abs() / most).powi(power)).sum::<f64>().powf(1.0 / f64::from(power))
}

impl<F: Float> Learner<F> for PNorm<F> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        F::of(self.iterate[i])
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        room_within::<F>(self.radius)
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        let size = norm(self.sums.error(weight, gradient), self.power);
        let keep = self.clip.take(size);
        self.sums.absorb(keep);
        self.play();
    }

    fn regret_bound(&self) -> Option<f64> {
        Some(self.radius * (self.spread() + 2.0 * self.clip.excess()))
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        nearby(self.regret_bound(), self.radius, distance)
    }
}

impl<F: Float> Hinted<F> for PNorm<F> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.sums.expect(weight, hint);
        self.play();
    }
}
