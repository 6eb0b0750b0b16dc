//! EG± (exponentiated gradient with positive and negative weights) on the L1 ball, with hints.

use std::marker::PhantomData;

use super::clip::Clip;
use super::experts::{Sums, decay};
use super::{Hinted, Learner, nearby, room_within};
use crate::{Float, Vector};

/// [`Hedge`](crate::Hedge) over the 2d corners ±r·e_j of the [`L1Ball`](crate::L1Ball): exponentiated gradient with
/// positive and negative weights (EG±).
///
/// *Update*: w_j = r·(p_j⁺ − p_j⁻), p_j^± ∝ exp(∓η_t·r·(Z_{t−1} + h_t)_j), normalised over all 2d corners, with Z the
/// sum of weighted gradients G_t = α_t g_t, h_t the hint (a prediction of G_t), δ_t = G_t − h_t the hint error, and η_t
/// = √(ln(2d)/(Γ_t² + Σ_{i<t} ‖δ_i‖_∞²))/r. Errors larger than Γ in the maximum norm are clipped to Γ, and then Γ
/// grows.
///
/// *Guarantee*: the regret R_T(u) is at most 2r·√(ln(2d)·(Γ² + Σ‖δ‖_∞²)), plus 2r·max‖δ‖_∞ if anything was clipped. The
/// bound depends on the dimension only through its logarithm, so it suits many coordinates of which few matter.
///
/// *Cost*: O(d) per step, with 2d exponentials.
///
/// ```
/// use surefoot::{Learner, SignedHedge};
/// let mut learner = SignedHedge::<f64>::new(3, 2.0);
/// for _ in 0..100 {
///     learner.tell(1.0, &[0.0, 0.0, 1.0]);
/// }
/// assert!(learner.at(2) < -1.99 && learner.at(0) == 0.0);
/// ```
///
/// Source: Kivinen and Warmuth (1997).
#[derive(Clone, Debug)]
pub struct SignedHedge<F> {
    /// The sum Z of weighted gradients, the hint (prediction) of the current round's gradient, and the last hint error
    /// (gradient minus hint).
    sums: Sums,
    /// The clipping threshold Γ for maximum norms of hint errors (gradient minus its prediction, the hint), and the sum
    /// of their squares.
    clip: Clip,
    /// Radius r of the L1 ball that contains all iterates.
    radius: f64,
    /// The current iterate w, one number per coordinate.
    iterate: Vec<f64>,
    arrays: PhantomData<F>,
}

impl<F: Float> SignedHedge<F> {
    /// Creates the learner on the L1 ball of radius `radius` in `dim` dimensions, with its initial iterate at 0. Later
    /// calls do not allocate.
    ///
    /// # Panics
    /// If `radius` is not positive and finite.
    pub fn new(dim: usize, radius: f64) -> Self {
        assert!(radius > 0.0 && radius.is_finite(), "a positive radius");
        let iterate = vec![0.0; dim];
        Self { sums: Sums::new(dim), clip: Clip::default(), radius, iterate, arrays: PhantomData }
    }

    fn entropy(&self) -> f64 {
        (2.0 * self.iterate.len().max(1) as f64).ln().sqrt()
    }

    fn play(&mut self) {
        let rate = self.entropy() / self.clip.spread();
        let most = (0..self.sums.dim()).map(|i| self.sums.at(i).abs()).fold(0.0, f64::max);
        let mut total = 0.0;
        for (i, w) in self.iterate.iter_mut().enumerate() {
            let z = self.sums.at(i);
            let (plus, minus) = (decay(rate, most + z), decay(rate, most - z));
            total += plus + minus;
            *w = plus - minus;
        }
        self.iterate.iter_mut().for_each(|w| *w *= self.radius / total);
    }
}

impl<F: Float> Learner<F> for SignedHedge<F> {
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
        let errors = self.sums.error(weight, gradient);
        let size = errors.iter().fold(0.0_f64, |most, error| most.max(error.abs()));
        let keep = self.clip.take(size);
        self.sums.absorb(keep);
        self.play();
    }

    fn regret_bound(&self) -> Option<f64> {
        Some(2.0 * self.radius * (self.entropy() * self.clip.spread() + self.clip.excess()))
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        nearby(self.regret_bound(), self.radius, distance)
    }
}

impl<F: Float> Hinted<F> for SignedHedge<F> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.sums.expect(weight, hint);
        self.play();
    }
}
