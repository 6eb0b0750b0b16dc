//! Logistic loss ln(1 + e^(−ym)) for labels y = −1 or +1 and margins m; logit link; φ' in (−1, 1), φ'' ≤ 1/4. A label
//! y between −1 and 1 is a proportion: it counts as a row of each class, with weights (1 + y)/2 and (1 − y)/2.
//!
//! exp and log come from `libm`, a pure-Rust library, so that training and prediction agree to the last bit on every
//! platform. The lanes (learners trained side by side) have exp and log of their own, in f32.

use crate::simd::lanes::{
    Lanes,
    exp::{exp_neg_abs, ln_1p_of_unit},
};

/// Computes the logistic loss ln(1 + e^(−ym)), or that of a proportion y between −1 and 1, in a form that does not
/// overflow.
#[inline]
pub(super) fn value(y: f64, m: f64) -> f64 {
    let z = -y * m;
    if y.abs() < 1.0 {
        return share(y, m) + libm::log1p(libm::exp(-m.abs()));
    }
    z.max(0.0) + libm::log1p(libm::exp(-z.abs()))
}

/// Computes the second term of the loss of a proportion y, ln(1 + e^(−|m|)) + share: |m| times the weight of the class
/// that the sign of the margin m does not predict.
#[inline]
fn share(y: f64, m: f64) -> f64 {
    m.abs() * 0.5 * (1.0 - y * m.signum())
}

/// Computes the derivative −y / (1 + e^(ym)) of the logistic loss with respect to the margin m, or the derivative for a
/// proportion y between −1 and 1.
#[inline]
pub(super) fn derivative(y: f64, m: f64) -> f64 {
    if y.abs() < 1.0 {
        return 0.5 * ((1.0 - y) * mean(m) - (1.0 + y) * mean(-m));
    }
    -y * mean(-y * m)
}

/// Computes the probability 1 / (1 + e^(−m)) of the positive class at margin m, without overflow.
#[inline]
pub(super) fn mean(m: f64) -> f64 {
    let e = libm::exp(-m.abs());
    if m >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// Returns the mean logistic loss of the best constant margin, given the mean of the labels ±1: the entropy of the
/// classes, in nats.
pub(super) fn constant(mean: f64) -> f64 {
    0.0 - plogp(0.5 * (1.0 + mean)) - plogp(0.5 * (1.0 - mean))
}

/// Computes p·ln p; 0 for p = 0, and for slightly negative p, which may result from rounding.
pub(super) fn plogp(p: f64) -> f64 {
    if p > 0.0 { p * libm::log(p) } else { 0.0 }
}

/// Computes the logistic loss ln(1 + e^(−ym)) of label y, or that of a proportion y between −1 and 1, at the margin of
/// each lane (one of the learners trained side by side).
pub(super) fn values(y: f32, margins: &Lanes) -> Lanes {
    let tail = ln_1p_of_unit(exp_neg_abs(margins));
    if y.abs() < 1.0 {
        return tail + Lanes(margins.0.map(|m| m.abs() * 0.5 * (1.0 - y * m.signum())));
    }
    tail + Lanes(margins.0.map(|m| (-y * m).max(0.0)))
}

/// Computes the derivative of the logistic loss at the margin m of each lane (one of the learners trained side by
/// side). With e = e^(−|m|), its absolute value is e/(1 + e) if the sign of m predicts the label y, otherwise 1/(1 +
/// e).
pub(super) fn derivatives(y: f32, margins: &Lanes) -> Lanes {
    let e = exp_neg_abs(margins);
    let mut out = e;
    if y.abs() < 1.0 {
        for ((out, &e), m) in out.0.iter_mut().zip(&e.0).zip(margins.0) {
            let (far, near) = (1.0 / (1.0 + e), e / (1.0 + e));
            let (mean, rest) = if m >= 0.0 { (far, near) } else { (near, far) };
            *out = 0.5 * ((1.0 - y) * mean - (1.0 + y) * rest);
        }
        return out;
    }
    for ((out, &e), m) in out.0.iter_mut().zip(&e.0).zip(margins.0) {
        let right = if y * m >= 0.0 { e } else { 1.0 };
        *out = -y * (right / (1.0 + e));
    }
    out
}
