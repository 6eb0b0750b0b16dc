//! Relative entropy (Kullback–Leibler divergence) of two numbers, computed without cancellation.

/// Computes e^z − 1 − z ≥ 0, the distance of the exponential from its tangent at 0; near 0 by a Taylor series, because
/// the subtraction would cancel.
#[inline(always)]
pub(super) fn beyond_tangent(z: f64) -> f64 {
    if z.abs() < 1e-2 {
        0.5 * z * z * (1.0 + z / 3.0 * (1.0 + z / 4.0 * (1.0 + z / 5.0 * (1.0 + z / 6.0 * (1.0 + z / 7.0)))))
    } else {
        libm::expm1(z) - z
    }
}

/// Computes the generalised Kullback–Leibler divergence p·ln(p/q) − p + q ≥ 0 of two nonnegative numbers.
#[inline(always)]
pub(super) fn relative_entropy(p: f64, q: f64) -> f64 {
    if p <= 0.0 {
        return q;
    }
    if q <= 0.0 {
        return f64::INFINITY;
    }
    let r = (p - q) / q;
    if r < -0.5 {
        // 1 + r would lose the digits of p. Where p/q underflows, the slightly larger result is still an upper bound.
        return p * libm::log((p / q).max(f64::MIN_POSITIVE)) - p + q;
    }
    // q·((1 + r)·ln(1 + r) − r), by its Taylor series where that would cancel.
    if r.abs() < 1e-3 {
        q * r * r * (0.5 - r * (1.0 / 6.0 - r * (1.0 / 12.0 - r * (1.0 / 20.0 - r / 30.0))))
    } else {
        q * ((1.0 + r) * libm::log1p(r) - r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that p·ln(p/q) − p + q is continuous as p → 0, where it equals q, down to the smallest positive p/q.
    #[test]
    fn relative_entropy_is_continuous_down_to_nothing() {
        for q in [1e-200, 1.0, 3e15, 1e300] {
            for exponent in 1..400 {
                let p = q * 10_f64.powi(-exponent);
                let (found, ratio) = (relative_entropy(p, q), 10_f64.powi(-exponent.min(300)));
                let expected = q * (1.0 - ratio + ratio * ratio.ln());
                assert!((found / expected - 1.0).abs() < 1e-14, "{p} {q}: {found} is not {expected}");
            }
            // On both sides of the switch between formulas, to the last digits.
            let (below, above) = (relative_entropy(0.4999999999999 * q, q), relative_entropy(0.5000000000001 * q, q));
            let derivative = 0.5_f64.ln() * 2e-13;
            assert!(((above - below) / q - derivative).abs() < 1e-15, "{q}: {below} {above}");
        }
    }
}
