//! Hinge losses of z = ym, label −1 or +1: 0 from a margin of 1 on the right side. They have no probabilities.

/// max(0, 1 − z): the shortfall to a margin of 1.
#[inline]
fn shortfall(y: f64, m: f64) -> f64 {
    (1.0 - y * m).max(0.0)
}

/// max(0, 1 − z); |φ'| ≤ 1, not differentiable at z = 1.
#[inline]
pub(super) fn value(y: f64, m: f64) -> f64 {
    shortfall(y, m)
}

/// −y below z = 1, else 0; a subgradient at z = 1.
#[inline]
pub(super) fn derivative(y: f64, m: f64) -> f64 {
    if y * m < 1.0 { -y } else { 0.0 }
}

/// max(0, 1 − z)²; φ'' ≤ 2.
#[inline]
pub(super) fn squared_value(y: f64, m: f64) -> f64 {
    shortfall(y, m) * shortfall(y, m)
}

/// −2y·max(0, 1 − z).
#[inline]
pub(super) fn squared_derivative(y: f64, m: f64) -> f64 {
    -2.0 * y * shortfall(y, m)
}

/// ½ max(0, 1 − z)², but straight below z = 0: ½ − z (Rennie and Srebro 2005); |φ'| ≤ 1, φ'' ≤ 1.
#[inline]
pub(super) fn smoothed_value(y: f64, m: f64) -> f64 {
    let shortfall = shortfall(y, m);
    if shortfall <= 1.0 { 0.5 * shortfall * shortfall } else { shortfall - 0.5 }
}

/// −y·max(0, 1 − z), clipped to absolute value 1.
#[inline]
pub(super) fn smoothed_derivative(y: f64, m: f64) -> f64 {
    -y * shortfall(y, m).min(1.0)
}

/// Least mean hinge loss of a constant, given the share of the smaller class: at margin ±1.
pub(super) fn constant(share: f64) -> f64 {
    2.0 * share
}

/// Least mean squared hinge loss of a constant: at the mean label as margin.
pub(super) fn squared_constant(share: f64) -> f64 {
    4.0 * share * (1.0 - share)
}

/// Least mean smoothed hinge loss of a constant: at the margin m where (1 − |m|)·(larger share) is the smaller share.
pub(super) fn smoothed_constant(share: f64) -> f64 {
    let ratio = share / (1.0 - share);
    share * (1.5 - 0.5 * ratio)
}
