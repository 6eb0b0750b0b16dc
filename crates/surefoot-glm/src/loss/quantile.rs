//! Pinball loss, whose best constant is the τ-quantile of the labels; identity link; |φ'| ≤ max(τ, 1 − τ), not
//! differentiable at an error of 0.
//!
//! The absolute loss |m − y| is twice the pinball loss with τ = ½, so its best constant is a median.

/// Computes the pinball loss: τ(y − m) for a margin m below the label y, (1 − τ)(m − y) above it.
#[inline]
pub(super) fn value(tau: f64, y: f64, m: f64) -> f64 {
    if m < y { tau * (y - m) } else { (1.0 - tau) * (m - y) }
}

/// Computes the derivative of the pinball loss in the margin: −τ below the label, 1 − τ above it, and the subgradient
/// 0 at the label.
#[inline]
pub(super) fn derivative(tau: f64, y: f64, m: f64) -> f64 {
    if m < y {
        -tau
    } else if m > y {
        1.0 - tau
    } else {
        0.0
    }
}
