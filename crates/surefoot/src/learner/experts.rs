//! What the learners over corners have in common: sums, hints, errors, exponential weights.

use crate::squares::weigh;
use crate::{Float, Vector};

/// Z, the hint of the open round, and the error of the last.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    sum: Vec<f64>,
    hint: Vec<f64>,
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

    /// Coordinate `i` of Z_{t−1} + h_t.
    pub(super) fn at(&self, i: usize) -> f64 {
        self.sum[i] + self.hint[i]
    }

    /// The smallest coordinate of it.
    pub(super) fn least(&self) -> f64 {
        (0..self.dim()).map(|i| self.at(i)).fold(f64::INFINITY, f64::min)
    }

    /// Announces a hint.
    pub(super) fn expect<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        hint.each(|i, h| self.hint[i] = weigh(weight, h).wide());
    }

    /// δ = G − h.
    pub(super) fn error<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) -> &[f64] {
        self.error.iter_mut().zip(&self.hint).for_each(|(error, hint)| *error = -hint);
        gradient.each(|i, g| self.error[i] += weigh(weight, g).wide());
        &self.error
    }

    /// δ as of the last call of [`error`](Sums::error).
    pub(super) fn errors(&self) -> &[f64] {
        &self.error
    }

    /// Z ← Z + h + keep·δ, and the hint is over.
    pub(super) fn absorb(&mut self, keep: f64) {
        for (i, sum) in self.sum.iter_mut().enumerate() {
            *sum += self.hint[i] + keep * self.error[i];
        }
        self.hint.fill(0.0);
    }
}

/// max − min.
pub(super) fn range(x: &[f64]) -> f64 {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - x.iter().copied().fold(f64::INFINITY, f64::min)
}

/// exp(−rate·above) for above ≥ 0; for an infinite rate, 1 at 0 and 0 elsewhere.
pub(super) fn decay(rate: f64, above: f64) -> f64 {
    if above == 0.0 { 1.0 } else { (-rate * above).exp() }
}

/// The exponential weights of Z + h at a rate.
pub(super) fn gibbs(rate: f64, sums: &Sums, weights: &mut [f64]) {
    let least = sums.least();
    let mut total = 0.0;
    for (i, w) in weights.iter_mut().enumerate() {
        *w = decay(rate, sums.at(i) - least);
        total += *w;
    }
    weights.iter_mut().for_each(|w| *w /= total);
}
