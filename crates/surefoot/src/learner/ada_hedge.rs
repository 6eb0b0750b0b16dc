//! AdaHedge: exponential weights on the simplex, with a learning rate that adapts to the losses.

use std::marker::PhantomData;

use super::experts::{Sums, decay, gibbs, range};
use super::{Hinted, Learner};
use crate::{Float, Vector};

/// AdaHedge: exponential weights over the corners of the [`Simplex`](crate::Simplex), one expert each. It needs no
/// bound on the range of losses, and its regret stays small if one expert is clearly the best.
///
/// *Update*: w_t ∝ exp(−η_t(Z_{t−1} + h_t)), η_t = ln K/Δ_{t−1} for K experts, where Z is the sum of the weighted
/// gradients G_t = α_t g_t, h_t the hint (a prediction of G_t), and Δ the sum of the mixability gaps ⟨w_t, δ_t⟩ +
/// ln⟨w_t, exp(−η_t δ_t)⟩/η_t of the hint errors δ_t = G_t − h_t. While Δ = 0, w is uniform over the best experts so
/// far.
///
/// *Guarantee*: the regret R_T(u) is at most 2Δ_T for every u in the simplex. Proof: with Φ_η(Z) = −ln(Σ_k
/// exp(−ηZ_k)/K)/η, the difference Φ(Z + h + δ) − Φ(Z + h) is ⟨w, δ⟩ minus the gap, and Φ(Z + h) − Φ(Z) ≥ ⟨w, h⟩ since
/// Φ is concave; sum over rounds, and use that Φ_η decreases in η and that Φ_η(Z) ≤ min Z + ln K/η. So hints add
/// nothing to the bound. Δ exceeds the bound of [`Hedge`](crate::Hedge) by at most a constant factor and a multiple of
/// the largest range.
///
/// *Cost*: O(K) per step, with 2K exponentials.
///
/// ```
/// use surefoot::{AdaHedge, Learner};
/// let mut learner = AdaHedge::<f64>::new(3);
/// for _ in 0..1000 {
///     learner.tell(1.0, &[1.0, 0.0, 1.0]);
/// }
/// assert!(learner.at(1) > 0.999 && learner.regret_bound().unwrap() < 3.0); // not of order √1000
/// ```
///
/// Source: de Rooij, van Erven, Grünwald and Koolen (2014); hints added here.
#[derive(Clone, Debug)]
pub struct AdaHedge<F> {
    /// The sum Z of weighted gradients, the hint (prediction) of the current round's gradient, and the last hint error
    /// (gradient minus hint).
    sums: Sums,
    /// The current weights w of the experts, which sum to 1.
    iterate: Vec<f64>,
    /// Sum Δ of the mixability gaps of all rounds so far, which determines the learning rate.
    gaps: f64,
    arrays: PhantomData<F>,
}

impl<F: Float> AdaHedge<F> {
    /// Creates the learner with uniform initial weights over `dim` experts. Later calls do not allocate.
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn new(dim: usize) -> Self {
        assert!(dim > 0, "a simplex has corners");
        Self { sums: Sums::new(dim), iterate: vec![1.0 / dim as f64; dim], gaps: 0.0, arrays: PhantomData }
    }

    /// Returns the learning rate η = ln K/Δ for K experts and the sum Δ of mixability gaps; infinite while Δ is 0.
    fn rate(&self) -> f64 {
        if self.gaps > 0.0 { (self.iterate.len() as f64).ln() / self.gaps } else { f64::INFINITY }
    }

    fn play(&mut self) {
        gibbs(self.rate(), &self.sums, &mut self.iterate);
    }

    /// Computes the mixability gap ⟨w, δ⟩ + ln⟨w, exp(−ηδ)⟩/η of the current round, for the expert weights w, the
    /// learning rate η and the hint errors δ = `errors`. The exponentials are taken of differences from the smallest
    /// coordinate of Z + h (gradient sum plus hint) before and after adding δ, not of w: a weight may have underflowed
    /// although its expert has the smallest coordinate after adding δ.
    fn gap(&self, errors: &[f64]) -> f64 {
        let (rate, least) = (self.rate(), self.sums.least());
        let after = |i: usize| self.sums.at(i) - least + errors[i];
        let ahead = (0..errors.len()).map(after).fold(f64::INFINITY, f64::min);
        let (mut mean, mut before, mut then) = (0.0, 0.0, 0.0);
        for (i, w) in self.iterate.iter().enumerate() {
            mean += w * (errors[i] - ahead);
            before += decay(rate, self.sums.at(i) - least);
            then += decay(rate, after(i) - ahead);
        }
        mean + (then / before).ln() / rate
    }
}

impl<F: Float> Learner<F> for AdaHedge<F> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        F::of(self.iterate[i])
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.sums.error(weight, gradient);
        let errors = self.sums.errors();
        self.gaps += self.gap(errors).max(0.0).min(range(errors));
        self.sums.absorb(1.0);
        self.play();
    }

    fn regret_bound(&self) -> Option<f64> {
        Some(2.0 * self.gaps)
    }
}

impl<F: Float> Hinted<F> for AdaHedge<F> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.sums.expect(weight, hint);
        self.play();
    }
}
