//! Squared loss ½(m − y)², any finite label, identity link; φ'' = 1.

/// ½(m − y)².
#[inline]
pub(super) fn value(y: f64, m: f64) -> f64 {
    0.5 * (m - y) * (m - y)
}

/// m − y.
#[inline]
pub(super) fn derivative(y: f64, m: f64) -> f64 {
    m - y
}
