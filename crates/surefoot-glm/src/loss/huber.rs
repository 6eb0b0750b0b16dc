//! Huber loss: quadratic up to an absolute error of δ, linear beyond; identity link; |φ'| ≤ δ, φ'' ≤ 1.

/// Computes the Huber loss of margin m for label y, with error r = m − y: ½r² for |r| ≤ δ, otherwise δ(|r| − δ/2).
#[inline]
pub(super) fn value(delta: f64, y: f64, m: f64) -> f64 {
    let r = (m - y).abs();
    if r <= delta { 0.5 * r * r } else { delta * (r - 0.5 * delta) }
}

/// Computes the derivative of the Huber loss in the margin: the error r = m − y clipped to [−δ, δ].
#[inline]
pub(super) fn derivative(delta: f64, y: f64, m: f64) -> f64 {
    let r = m - y;
    if r > delta {
        delta
    } else if r < -delta {
        -delta
    } else {
        r
    }
}
