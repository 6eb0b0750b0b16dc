//! Hinge losses, for labels y = −1 or +1 and margins m. They are 0 for ym ≥ 1, and do not predict probabilities.

/// Computes max(0, 1 − ym), the amount by which ym falls short of 1, for label y and margin m.
#[inline]
fn shortfall(y: f64, m: f64) -> f64 {
    (1.0 - y * m).max(0.0)
}

/// Computes the hinge loss max(0, 1 − ym) of label y and margin m. Its derivative satisfies |φ'| ≤ 1 and does not exist
/// at ym = 1.
#[inline]
pub(super) fn value(y: f64, m: f64) -> f64 {
    shortfall(y, m)
}

/// Computes the derivative of the hinge loss in the margin: −y for ym < 1, otherwise 0 (a subgradient at ym = 1).
#[inline]
pub(super) fn derivative(y: f64, m: f64) -> f64 {
    if y * m < 1.0 { -y } else { 0.0 }
}

/// Computes the squared hinge loss max(0, 1 − ym)² of label y and margin m. Its second derivative satisfies φ'' ≤ 2.
#[inline]
pub(super) fn squared_value(y: f64, m: f64) -> f64 {
    shortfall(y, m) * shortfall(y, m)
}

/// Computes the derivative −2y·max(0, 1 − ym) of the squared hinge loss in the margin.
#[inline]
pub(super) fn squared_derivative(y: f64, m: f64) -> f64 {
    -2.0 * y * shortfall(y, m)
}

/// Computes the smoothed hinge loss (Rennie and Srebro 2005) of z = ym: ½ max(0, 1 − z)² for z ≥ 0, ½ − z for z < 0.
/// Its derivatives satisfy |φ'| ≤ 1 and φ'' ≤ 1.
#[inline]
pub(super) fn smoothed_value(y: f64, m: f64) -> f64 {
    let shortfall = shortfall(y, m);
    if shortfall <= 1.0 { 0.5 * shortfall * shortfall } else { shortfall - 0.5 }
}

/// Computes the derivative of the smoothed hinge loss in the margin: −y·max(0, 1 − ym), clipped to [−1, 1].
#[inline]
pub(super) fn smoothed_derivative(y: f64, m: f64) -> f64 {
    -y * shortfall(y, m).min(1.0)
}

/// Returns the mean hinge loss of the best constant margin (the same for all rows: +1 or −1), where `share` is the
/// fraction of rows in the smaller class.
pub(super) fn constant(share: f64) -> f64 {
    2.0 * share
}

/// Returns the mean squared hinge loss of the best constant margin (the mean of the labels ±1), where `share` is the
/// fraction of rows in the smaller class.
pub(super) fn squared_constant(share: f64) -> f64 {
    4.0 * share * (1.0 - share)
}

/// Returns the mean smoothed hinge loss of the best constant margin, where `share` is the fraction of rows in the
/// smaller class. The best margin m satisfies (1 − |m|)·(1 − share) = share.
pub(super) fn smoothed_constant(share: f64) -> f64 {
    let ratio = share / (1.0 - share);
    share * (1.5 - 0.5 * ratio)
}
