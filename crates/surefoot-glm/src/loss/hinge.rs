//! Hinge losses of z = ym, for labels y = −1 or +1 and margins m: 0 if z ≥ 1. They have no probabilities.

/// Computes max(0, 1 − z), the shortfall of z = ym to a margin of 1.
#[inline]
fn shortfall(y: f64, m: f64) -> f64 {
    (1.0 - y * m).max(0.0)
}

/// Computes the hinge loss max(0, 1 − z) of z = ym; |φ'| ≤ 1, not differentiable at z = 1.
#[inline]
pub(super) fn value(y: f64, m: f64) -> f64 {
    shortfall(y, m)
}

/// Computes the derivative of the hinge loss in the margin: −y below z = ym = 1, otherwise 0, which is a subgradient
/// at z = 1.
#[inline]
pub(super) fn derivative(y: f64, m: f64) -> f64 {
    if y * m < 1.0 { -y } else { 0.0 }
}

/// Computes the squared hinge loss max(0, 1 − z)² of z = ym; φ'' ≤ 2.
#[inline]
pub(super) fn squared_value(y: f64, m: f64) -> f64 {
    shortfall(y, m) * shortfall(y, m)
}

/// Computes the derivative −2y·max(0, 1 − z) of the squared hinge loss in the margin, with z = ym.
#[inline]
pub(super) fn squared_derivative(y: f64, m: f64) -> f64 {
    -2.0 * y * shortfall(y, m)
}

/// Computes the smoothed hinge loss of z = ym: ½ max(0, 1 − z)² for z ≥ 0, and linear, ½ − z, for z < 0 (Rennie and
/// Srebro 2005); |φ'| ≤ 1, φ'' ≤ 1.
#[inline]
pub(super) fn smoothed_value(y: f64, m: f64) -> f64 {
    let shortfall = shortfall(y, m);
    if shortfall <= 1.0 { 0.5 * shortfall * shortfall } else { shortfall - 0.5 }
}

/// Computes the derivative −y·max(0, 1 − z) of the smoothed hinge loss in the margin, with z = ym, clipped to
/// absolute value 1.
#[inline]
pub(super) fn smoothed_derivative(y: f64, m: f64) -> f64 {
    -y * shortfall(y, m).min(1.0)
}

/// Returns the least mean hinge loss of a constant, given the fraction `share` of the smaller class; a margin of ±1
/// attains it.
pub(super) fn constant(share: f64) -> f64 {
    2.0 * share
}

/// Returns the least mean squared hinge loss of a constant, given the fraction `share` of the smaller class; the mean
/// label as margin attains it.
pub(super) fn squared_constant(share: f64) -> f64 {
    4.0 * share * (1.0 - share)
}

/// Returns the least mean smoothed hinge loss of a constant, given the fraction `share` of the smaller class; the
/// margin m where (1 − |m|)·(larger fraction) is the smaller fraction attains it.
pub(super) fn smoothed_constant(share: f64) -> f64 {
    let ratio = share / (1.0 - share);
    share * (1.5 - 0.5 * ratio)
}
