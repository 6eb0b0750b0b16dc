//! Huber loss: squared up to an error of δ, straight beyond it; identity link; |φ'| ≤ δ, φ'' ≤ 1.

/// ½r² for |r| ≤ δ, else δ(|r| − δ/2), with r = m − y.
#[inline]
pub(super) fn value(delta: f64, y: f64, m: f64) -> f64 {
    let r = (m - y).abs();
    if r <= delta { 0.5 * r * r } else { delta * (r - 0.5 * delta) }
}

/// r clipped to [−δ, δ].
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
