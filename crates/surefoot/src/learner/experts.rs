//! Shared parts of the learners over the corners of a polytope: gradient sums, hints, hint errors, exponential weights.

use crate::squares::weigh;
use crate::{Float, Vector};

/// The sum Z of gradients, the hint of the open round, and the last hint error, all weighted.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// The sum Z of weighted gradients, by coordinate.
    sum: Vec<f64>,
    /// The weighted hint h_t of the open round, by coordinate.
    hint: Vec<f64>,
    /// The hint error δ = G − h of the last call of `error`, by coordinate.
    error: Vec<f64>,
}

impl Sums {
    pub(super) fn new(dim: usize) -> Self {
        let zeros = vec![0.0; dim];
        Self { sum: zeros.clone(), hint: zeros.clone(), error: zeros }
    }

    pub(super) fn dim(&self) -> usize {
        self.sum.len()
    }

    /// Returns coordinate `i` of Z_{t−1} + h_t, the gradient sum plus the hint.
    pub(super) fn at(&self, i: usize) -> f64 {
        self.sum[i] + self.hint[i]
    }

    /// Returns the smallest coordinate of Z_{t−1} + h_t, the gradient sum plus the hint.
    pub(super) fn least(&self) -> f64 {
        (0..self.dim()).map(|i| self.at(i)).fold(f64::INFINITY, f64::min)
    }

    /// Announces the hint of the open round.
    pub(super) fn expect<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        hint.each(|i, h| self.hint[i] = weigh(weight, h).wide());
    }

    /// Computes and returns the hint error δ = G − h.
    pub(super) fn error<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) -> &[f64] {
        self.error.iter_mut().zip(&self.hint).for_each(|(error, hint)| *error = -hint);
        gradient.each(|i, g| self.error[i] += weigh(weight, g).wide());
        &self.error
    }

    /// Returns δ of the last call of [`error`](Sums::error).
    pub(super) fn errors(&self) -> &[f64] {
        &self.error
    }

    /// Adds the hint and `keep` times the hint error to the gradient sum, Z ← Z + h + keep·δ, and discards the hint.
    pub(super) fn absorb(&mut self, keep: f64) {
        for (i, sum) in self.sum.iter_mut().enumerate() {
            *sum += self.hint[i] + keep * self.error[i];
        }
        self.hint.fill(0.0);
    }
}

/// Returns the range of `x`: largest minus smallest coordinate.
pub(super) fn range(x: &[f64]) -> f64 {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - x.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Computes exp(−rate·above) for above ≥ 0; for an infinite rate, 1 at 0 and 0 elsewhere.
pub(super) fn decay(rate: f64, above: f64) -> f64 {
    if above == 0.0 { 1.0 } else { (-rate * above).exp() }
}

/// Writes the normalised exponential weights exp(−rate·(Z + h)) to `weights`.
pub(super) fn gibbs(rate: f64, sums: &Sums, weights: &mut [f64]) {
    let least = sums.least();
    let mut total = 0.0;
    for (i, w) in weights.iter_mut().enumerate() {
        *w = decay(rate, sums.at(i) - least);
        total += *w;
    }
    weights.iter_mut().for_each(|w| *w /= total);
}
