//! Losses of K classes, with a margin each.
//!
//! *Softmax*: ln Σ_j e^(m_j) − m_y, the cross-entropy of p_k = e^(m_k)/Σ_j e^(m_j); the gradient p_k − \[k = y\] has a norm ≤ √2, the
//! curvature is ≤ ½. *One-vs-rest*: Σ_k ln(1 + e^(∓m_k)), logistic losses of "this class or another" side by side; its
//! probabilities are those of the classes, 1/(1 + e^(−m_k)), divided by their sum.
//!
//! The largest margin is taken out before any exponential, so nothing overflows.

use super::{charges::Charges, logistic};
use crate::simd::lanes::{
    LANES, Lanes,
    exp::{exp_minus_size, ln_1p_of_unit},
};

fn largest(margins: &[f64]) -> f64 {
    margins.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// ln Σ e^(m_j) − m_y.
pub(super) fn value(y: usize, margins: &[f64]) -> f64 {
    let largest = largest(margins);
    // One term is 1, and stays out of the sum: a loss near 0 keeps its digits.
    let top = margins.iter().position(|&m| m == largest).unwrap_or(y);
    let others = |(k, &m): (usize, &f64)| if k == top { 0.0 } else { libm::exp(m - largest) };
    let rest: f64 = margins.iter().enumerate().map(others).sum();
    (largest - margins[y]) + libm::log1p(rest)
}

/// Margins become probabilities.
pub(super) fn means(margins: &mut [f64]) {
    let largest = largest(margins);
    margins.iter_mut().for_each(|m| *m = libm::exp(*m - largest));
    let sum: f64 = margins.iter().sum();
    margins.iter_mut().for_each(|m| *m /= sum);
}

/// Margins become the gradient p_k − \[k = y\].
pub(super) fn gradient(y: usize, margins: &mut [f64]) {
    means(margins);
    // Not 1 − p_y, which would lose the digits of what is left.
    margins[y] = 0.0;
    margins[y] = -margins.iter().sum::<f64>();
}

fn sign(k: usize, y: usize) -> f64 {
    if k == y { 1.0 } else { -1.0 }
}

/// Σ_k of the logistic losses.
pub(super) fn ovr_value(y: usize, margins: &[f64]) -> f64 {
    margins.iter().enumerate().map(|(k, &m)| logistic::value(sign(k, y), m)).sum()
}

/// The logarithms of the classes' probabilities, of which [`means`] makes probabilities that sum to 1.
pub(super) fn ovr_logarithms(margins: &mut [f64]) {
    margins.iter_mut().for_each(|m| *m = -logistic::value(1.0, *m));
}

pub(super) fn ovr_gradient(y: usize, margins: &mut [f64]) {
    margins.iter_mut().enumerate().for_each(|(k, m)| *m = logistic::derivative(sign(k, y), *m));
}

/// The least mean loss of K constants, the entropy, if classes have these shares.
pub(super) fn constant(shares: impl Iterator<Item = f64>) -> f64 {
    0.0 - shares.map(logistic::plogp).sum::<f64>()
}

/// The same for one-vs-rest.
pub(super) fn ovr_constant(shares: impl Iterator<Item = f64>) -> f64 {
    shares.map(|share| logistic::constant(2.0 * share - 1.0)).sum()
}

fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The largest margin of every lane, and the second.
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

/// What every lane is charged for, and would be if the likeliest of the other classes were the label.
pub(super) fn charges(y: usize, margins: &[Lanes]) -> Charges {
    let (first, second) = two_largest(margins);
    let sum = margins.iter().fold(Lanes::default(), |sum, &m| sum + exp_minus_size(&(m - first)));
    let log = sum.0.map(|sum| libm::log(f64::from(sum)));
    let less = |m: f32, k: usize| f64::from(first.0[k] - m) + log[k];
    Charges {
        values: std::array::from_fn(|k| less(margins[y].0[k], k)),
        wrong_side: std::array::from_fn(|k| if margins.len() > 1 { less(second.0[k], k) } else { 0.0 }),
    }
}

/// Margins of the lanes become their gradients.
pub(super) fn derivatives(y: usize, margins: &mut [Lanes]) {
    let (first, _) = two_largest(margins);
    let mut others = Lanes::default();
    for (k, m) in margins.iter_mut().enumerate() {
        *m = exp_minus_size(&(*m - first));
        others = if k == y { others } else { others + *m };
    }
    let sum = others + margins[y];
    margins[y] = Lanes::default() - others;
    margins.iter_mut().for_each(|m| *m = *m / sum);
}

/// The same two for one-vs-rest.
pub(super) fn ovr_charges(y: usize, margins: &[Lanes]) -> Charges {
    let mut charges = Charges { values: [0.0; LANES], wrong_side: [0.0; LANES] };
    for (class, margins) in margins.iter().enumerate() {
        let right = sign(class, y) as f32;
        let tail = ln_1p_of_unit(exp_minus_size(margins));
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
