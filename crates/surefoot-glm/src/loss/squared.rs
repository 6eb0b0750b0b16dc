//! Squared loss ½(m − y)², for any finite label y and margin m; identity link; φ'' = 1.

/// Computes the squared loss ½(m − y)² of margin m for label y.
#[inline]
pub(super) fn value(y: f64, m: f64) -> f64 {
    0.5 * (m - y) * (m - y)
}

/// Computes the derivative m − y of the squared loss with respect to the margin m.
#[inline]
pub(super) fn derivative(y: f64, m: f64) -> f64 {
    m - y
}
