//! Bounds that can be read off the numbers of a run.

use crate::squares::weigh;
use crate::{Domain, Float, Vector};

/// A bound on how far the output point is from the best point of a domain, in the sense of [`Ledger::certificate`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// The bound: L(x_T) − min over D of L is at most this.
    pub value: f64,
    /// The learner's regret against the worst point of D, Σ α_t⟨g_t, w_t⟩ + h_D(−Z_T); `value` times `weight`.
    pub regret: f64,
    /// The sum of weights A_T.
    pub weight: f64,
}

/// The sums S_T = Σ α_t⟨g_t, w_t⟩ and Z_T = Σ α_t g_t, from which a certificate follows for any domain.
///
/// Its validity does not depend on the learner's being right: a bad learner makes the number larger, not false.
/// Summed in `f64` whatever `F` is, from gradients and iterates as `F` holds them; O(nnz) a step.
#[derive(Clone, Debug)]
pub struct Ledger {
    sum: f64,
    lost: f64,
    gradients: Vec<f64>,
}

impl Ledger {
    /// Empty sums. The only allocation.
    pub fn new(dim: usize) -> Self {
        Self { sum: 0.0, lost: 0.0, gradients: vec![0.0; dim] }
    }

    /// Records a round: weight, gradient, and the iterate by coordinate.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, iterate: impl Fn(usize) -> F) {
        gradient.each(|i, g| {
            let g = weigh(weight, g).wide();
            self.gradients[i] += g;
            self.add(g * iterate(i).wide());
        });
    }

    /// S_T.
    pub fn linear(&self) -> f64 {
        self.sum + self.lost
    }

    /// Z_T.
    pub fn gradients(&self) -> &[f64] {
        &self.gradients
    }

    /// The certificate for a conversion whose sum of weights is `weight`, over `domain`; `None` if there is none: no
    /// round yet, or a domain without bounds. O(d).
    ///
    /// If g_t are exact subgradients of a convex L at the query points, then
    /// L(x_T) − L(u) ≤ (S_T + h_D(−Z_T))/A_T for every u in D. With stochastic gradients the same holds for
    /// expectations against a fixed u, not for a single run. Rounding adds about one unit
    /// of `F` (1e-16 for `f64`, 1e-7 for `f32`) times the size of the summands.
    ///
    /// Source: arXiv 1903.00974, Theorem 1, kept a posteriori; for queries between iterate and average, Defazio et al.
    /// (2024).
    pub fn certificate<F: Float, D: Domain<F>>(&self, weight: f64, domain: &D) -> Option<Certificate> {
        let regret = self.linear() + domain.support(self.gradients.len(), |i| -self.gradients[i]);
        let fine = weight > 0.0 && regret.is_finite();
        fine.then(|| Certificate { value: regret / weight, regret, weight })
    }

    /// A compensated sum (after Neumaier).
    fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let small = if self.sum.abs() >= term.abs() { (self.sum - sum) + term } else { (term - sum) + self.sum };
        self.lost += small;
        self.sum = sum;
    }
}
