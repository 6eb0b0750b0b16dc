//! Pinball loss, whose best constant is the τ-quantile of the labels; identity link; |φ'| ≤ max(τ, 1 − τ), not differentiable at 0.
//!
//! Absolute loss |m − y| is twice that of τ = ½: its best constant is a median.

/// τ(y − m) below the label, (1 − τ)(m − y) above it.
#[inline]
pub(super) fn value(tau: f64, y: f64, m: f64) -> f64 {
    if m < y { tau * (y - m) } else { (1.0 - tau) * (m - y) }
}

/// −τ below the label, 1 − τ above it, and 0, a subgradient, on it.
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
