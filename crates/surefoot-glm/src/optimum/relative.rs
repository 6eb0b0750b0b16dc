//! Relative entropy without the loss of digits.

/// e^z − 1 − z ≥ 0, by its series where that cancels.
#[inline(always)]
pub(super) fn beyond_tangent(z: f64) -> f64 {
    if z.abs() < 1e-2 {
        0.5 * z * z * (1.0 + z / 3.0 * (1.0 + z / 4.0 * (1.0 + z / 5.0 * (1.0 + z / 6.0 * (1.0 + z / 7.0)))))
    } else {
        libm::expm1(z) - z
    }
}

/// p·ln(p/q) − p + q ≥ 0.
#[inline(always)]
pub(super) fn relative_entropy(p: f64, q: f64) -> f64 {
    if p <= 0.0 {
        return q;
    }
    if q <= 0.0 {
        return f64::INFINITY;
    }
    let r = (p - q) / q;
    // q·((1 + r)·ln(1 + r) − r), by its series where that cancels.
    if r.abs() < 1e-3 {
        q * r * r * (0.5 - r * (1.0 / 6.0 - r * (1.0 / 12.0 - r * (1.0 / 20.0 - r / 30.0))))
    } else {
        q * ((1.0 + r) * libm::log1p(r) - r)
    }
}
