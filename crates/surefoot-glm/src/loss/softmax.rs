//! Multiclass losses of K classes, with one margin per class: softmax and one-vs-rest.
//!
//! *Softmax*: ln Σ_j e^(m_j) − m_y, the cross-entropy of p_k = e^(m_k)/Σ_j e^(m_j), where m_k is the margin of class
//! k and y the label's class; the gradient p_k − \[k = y\] has a norm of at most √2, and the curvature is at most ½.
//! *One-vs-rest*: Σ_k ln(1 + e^(∓m_k)), a binary logistic loss per class; its probabilities are 1/(1 + e^(−m_k)),
//! divided by their sum.
//!
//! The largest margin is subtracted before any exponential is computed, so nothing overflows.

use super::{charges::Charges, logistic};
use crate::simd::lanes::{
    LANES, Lanes,
    exp::{exp_neg_abs, ln_1p_of_unit},
};

fn largest(margins: &[f64]) -> f64 {
    margins.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Computes the softmax loss ln Σ_j e^(m_j) − m_y, where m_j are the margins of all classes and y is the label's class.
pub(super) fn value(y: usize, margins: &[f64]) -> f64 {
    let largest = largest(margins);
    // The term of the largest margin is 1 and is kept out of the sum, so that a loss near 0 keeps its digits.
    let top = margins.iter().position(|&m| m == largest).unwrap_or(y);
    let others = |(k, &m): (usize, &f64)| if k == top { 0.0 } else { libm::exp(m - largest) };
    let rest: f64 = margins.iter().enumerate().map(others).sum();
    (largest - margins[y]) + libm::log1p(rest)
}

/// Replaces the margins of all classes by their softmax probabilities e^(m_k)/Σ_j e^(m_j).
pub(super) fn means(margins: &mut [f64]) {
    let largest = largest(margins);
    margins.iter_mut().for_each(|m| *m = libm::exp(*m - largest));
    let sum: f64 = margins.iter().sum();
    margins.iter_mut().for_each(|m| *m /= sum);
}

/// Replaces the margins by the gradient of the softmax loss: the probability p_k of each class k, minus 1 for the
/// label's class y.
pub(super) fn gradient(y: usize, margins: &mut [f64]) {
    means(margins);
    // p_y − 1 would lose digits by cancellation, so the other probabilities are summed instead.
    margins[y] = 0.0;
    margins[y] = -margins.iter().sum::<f64>();
}

fn sign(k: usize, y: usize) -> f64 {
    if k == y { 1.0 } else { -1.0 }
}

/// Computes the one-vs-rest loss: the sum over classes of the logistic loss of the class's margin, with label +1 for
/// class y and −1 for all others.
pub(super) fn ovr_value(y: usize, margins: &[f64]) -> f64 {
    margins.iter().enumerate().map(|(k, &m)| logistic::value(sign(k, y), m)).sum()
}

/// Replaces each margin m_k by ln(1/(1 + e^(−m_k))), the logarithm of the one-vs-rest probability before normalisation.
/// Applying [`means`] to the result yields the normalised probabilities.
pub(super) fn ovr_logarithms(margins: &mut [f64]) {
    margins.iter_mut().for_each(|m| *m = -logistic::value(1.0, *m));
}

pub(super) fn ovr_gradient(y: usize, margins: &mut [f64]) {
    margins.iter_mut().enumerate().for_each(|(k, m)| *m = logistic::derivative(sign(k, y), *m));
}

/// Returns the mean softmax loss of the best constant margins (the same for all rows), given the relative frequencies
/// of the classes: their entropy, in nats.
pub(super) fn constant(shares: impl Iterator<Item = f64>) -> f64 {
    0.0 - shares.map(logistic::plogp).sum::<f64>()
}

/// Returns the mean one-vs-rest loss of the best constant margins (the same for all rows), given the relative
/// frequencies of the classes.
pub(super) fn ovr_constant(shares: impl Iterator<Item = f64>) -> f64 {
    shares.map(|share| logistic::constant(2.0 * share - 1.0)).sum()
}

fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Returns the largest and the second largest margin over the classes, for each lane (one of the learners trained side
/// by side).
fn two_largest(margins: &[Lanes]) -> (Lanes, Lanes) {
    let (mut first, mut second) = (Lanes([f32::NEG_INFINITY; LANES]), Lanes([f32::NEG_INFINITY; LANES]));
    for margins in margins {
        for (k, &m) in margins.0.iter().enumerate() {
            second.0[k] = max(second.0[k], if m > first.0[k] { first.0[k] } else { m });
            first.0[k] = max(first.0[k], m);
        }
    }
    (first, second)
}

/// Computes two softmax losses for each lane (one of the learners trained side by side), from which mixture weights are
/// updated: the loss for the label y, and the loss if the class with the second largest margin were the label.
pub(super) fn charges(y: usize, margins: &[Lanes]) -> Charges {
    let (first, second) = two_largest(margins);
    let sum = margins.iter().fold(Lanes::default(), |sum, &m| sum + exp_neg_abs(&(m - first)));
    let log = sum.0.map(|sum| libm::log(f64::from(sum)));
    let less = |m: f32, k: usize| f64::from(first.0[k] - m) + log[k];
    Charges {
        values: std::array::from_fn(|k| less(margins[y].0[k], k)),
        wrong_side: std::array::from_fn(|k| if margins.len() > 1 { less(second.0[k], k) } else { 0.0 }),
    }
}

/// Replaces the margins of each lane (one of the learners trained side by side) by the gradient of its softmax loss.
pub(super) fn derivatives(y: usize, margins: &mut [Lanes]) {
    let (first, _) = two_largest(margins);
    let mut others = Lanes::default();
    for (k, m) in margins.iter_mut().enumerate() {
        *m = exp_neg_abs(&(*m - first));
        others = if k == y { others } else { others + *m };
    }
    let sum = others + margins[y];
    margins[y] = Lanes::default() - others;
    margins.iter_mut().for_each(|m| *m = *m / sum);
}

/// Computes two one-vs-rest losses for each lane (one of the learners trained side by side), from which mixture weights
/// are updated: the loss for the label y, and the loss if the margin of every class had the wrong sign.
pub(super) fn ovr_charges(y: usize, margins: &[Lanes]) -> Charges {
    let mut charges = Charges { values: [0.0; LANES], wrong_side: [0.0; LANES] };
    for (class, margins) in margins.iter().enumerate() {
        let right = sign(class, y) as f32;
        let tail = ln_1p_of_unit(exp_neg_abs(margins));
        for (k, (&m, &tail)) in margins.0.iter().zip(&tail.0).enumerate() {
            charges.values[k] += f64::from(tail) + f64::from((-right * m).max(0.0));
            charges.wrong_side[k] += f64::from(tail) + f64::from(m.abs());
        }
    }
    charges
}

pub(super) fn ovr_derivatives(y: usize, margins: &mut [Lanes]) {
    margins.iter_mut().enumerate().for_each(|(k, m)| *m = logistic::derivatives(sign(k, y) as f32, m));
}
