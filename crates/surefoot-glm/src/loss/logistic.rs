//! Logistic loss ln(1 + e^(−ym)), label −1 or +1, link logit; φ' in (−1, 1), φ'' ≤ 1/4.
//!
//! exp and log come from `libm`, one pure-Rust source, so that training and prediction agree to the last
//! bit on every platform.

/// ln(1 + e^(−ym)), with the large term taken out so that nothing overflows.
#[inline]
pub(super) fn value(y: f64, m: f64) -> f64 {
    let z = -y * m;
    z.max(0.0) + libm::log1p(libm::exp(-z.abs()))
}

/// −y / (1 + e^(ym)).
#[inline]
pub(super) fn slope(y: f64, m: f64) -> f64 {
    -y * mean(-y * m)
}

/// 1 / (1 + e^(−m)), from e^(−|m|), which cannot overflow.
#[inline]
pub(super) fn mean(m: f64) -> f64 {
    let e = libm::exp(-m.abs());
    if m >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}
