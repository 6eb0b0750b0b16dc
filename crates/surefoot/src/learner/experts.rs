//! Gradient sums, hint errors (gradient minus hint) and exponential weights, shared by the learners on the simplex and
//! the L1 ball.

use crate::squares::weigh;
use crate::{Float, Vector};

/// The sum of gradients, the hint (prediction) of the current round's gradient, and the last hint error (gradient minus
/// hint), all multiplied by the weights of their rounds.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// The sum Z of weighted gradients of completed rounds, one number per coordinate.
    sum: Vec<f64>,
    /// The weighted prediction (hint) h of the current round's gradient, one number per coordinate; 0 without a hint.
    hint: Vec<f64>,
    /// The last hint error δ = G − h, weighted gradient minus hint, as computed by [`error`](Sums::error).
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

    /// Returns coordinate `i` of Z + h, the sum of weighted gradients plus the current hint.
    pub(super) fn at(&self, i: usize) -> f64 {
        self.sum[i] + self.hint[i]
    }

    /// Returns the smallest coordinate of Z + h, the sum of weighted gradients plus the current hint.
    pub(super) fn least(&self) -> f64 {
        (0..self.dim()).map(|i| self.at(i)).fold(f64::INFINITY, f64::min)
    }

    /// Stores the hint of the current round, `weight`·`hint`.
    pub(super) fn expect<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        hint.each(|i, h| self.hint[i] = weigh(weight, h).wide());
    }

    /// Computes, stores and returns the hint error δ = G − h for the weighted gradient G = `weight`·`gradient`.
    pub(super) fn error<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) -> &[f64] {
        self.error.iter_mut().zip(&self.hint).for_each(|(error, hint)| *error = -hint);
        gradient.each(|i, g| self.error[i] += weigh(weight, g).wide());
        &self.error
    }

    /// Returns the hint error δ computed by the last call of [`error`](Sums::error).
    pub(super) fn errors(&self) -> &[f64] {
        &self.error
    }

    /// Adds the weighted gradient, clipped, to the gradient sum Z: the hint h plus `keep` ≤ 1 times the hint error δ.
    /// Then discards the hint.
    pub(super) fn absorb(&mut self, keep: f64) {
        for (i, sum) in self.sum.iter_mut().enumerate() {
            *sum += self.hint[i] + keep * self.error[i];
        }
        self.hint.fill(0.0);
    }
}

/// Returns the range of `x`, its largest minus its smallest coordinate.
pub(super) fn range(x: &[f64]) -> f64 {
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - x.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Computes exp(−`rate`·`above`), the unnormalised weight of an expert whose loss exceeds the smallest one by `above` ≥
/// 0. If the rate is infinite, the result is 1 for `above` = 0 and 0 otherwise.
pub(super) fn decay(rate: f64, above: f64) -> f64 {
    if above == 0.0 { 1.0 } else { (-rate * above).exp() }
}

/// Writes exponential weights proportional to exp(−`rate`·(Z + h)) to `weights`, normalised to sum to 1, where Z + h is
/// the gradient sum plus the hint.
pub(super) fn gibbs(rate: f64, sums: &Sums, weights: &mut [f64]) {
    let least = sums.least();
    let mut total = 0.0;
    for (i, w) in weights.iter_mut().enumerate() {
        *w = decay(rate, sums.at(i) - least);
        total += *w;
    }
    weights.iter_mut().for_each(|w| *w /= total);
}
