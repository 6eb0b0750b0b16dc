//! Deviance losses with a log link, for counts and positive amounts: the Tweedie family, which includes Poisson and
//! gamma.
//!
//! With the label y and the mean μ = e^m at the margin m, the derivative in m is μ^{1−p}(μ − y). The power p = 1 is
//! Poisson, p = 2 is gamma, and 1 < p < 2 is Tweedie (the sum of a Poisson number of gamma amounts); for no other p
//! is the loss convex in m. Scaling labels by c adds ln c to margins, so the unit of labels does not matter.
//! Derivatives are unbounded; for how the learner stays stable see
//! [`LabelRange`](crate::loss::derivative_cut::LabelRange).

/// Computes the loss −y μ^{1−p}/(1 − p) + μ^{2−p}/(2 − p), where p is `power` and μ = e^m, with the limits μ − ym at
/// p = 1 and y/μ + m at p = 2.
#[inline]
pub(super) fn value(power: f64, y: f64, m: f64) -> f64 {
    if power == 1.0 {
        mean(m) - y * m
    } else if power == 2.0 {
        paid(y, 1.0, m) + m
    } else {
        let sum = paid(y, power - 1.0, m) / (power - 1.0) + mean((2.0 - power) * m) / (2.0 - power);
        sum.min(f64::MAX)
    }
}

/// Computes the derivative μ^{2−p} − y μ^{1−p} of the loss in the margin, where p is `power` and μ = e^m.
#[inline]
pub(super) fn derivative(power: f64, y: f64, m: f64) -> f64 {
    if power == 1.0 { mean(m) - y } else { mean((2.0 - power) * m) - paid(y, power - 1.0, m) }
}

/// Computes y·e^(−am), a term of the loss, capped at the largest finite number; 0 for y = 0, even if e^(−am) overflows.
#[inline]
fn paid(y: f64, a: f64, m: f64) -> f64 {
    if y == 0.0 { 0.0 } else { (y * mean(-a * m)).min(f64::MAX) }
}

/// Returns the minimum of the loss over margins for the label y, attained at the margin ln y.
pub(super) fn least(power: f64, y: f64) -> f64 {
    if power == 1.0 {
        if y > 0.0 { y - y * libm::log(y) } else { 0.0 }
    } else if power == 2.0 {
        1.0 + libm::log(y)
    } else {
        libm::pow(y, 2.0 - power) / ((power - 1.0) * (2.0 - power))
    }
}

/// Computes the predicted mean e^m at margin m, capped at the largest finite number.
#[inline]
pub(super) fn mean(m: f64) -> f64 {
    libm::exp(m).min(f64::MAX)
}
