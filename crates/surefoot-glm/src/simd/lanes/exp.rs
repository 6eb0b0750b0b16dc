//! Vectorised exp and ln(1 + x) with one f32 per lane (one of the learners trained side by side), for mixture weights
//! and gradients.
//!
//! Reported numbers come from `libm` in f64; the lanes need only f32, but for all lanes at every row. All steps are
//! single operations per lane, so results have the same bits everywhere.

use super::Lanes;

/// Computes e^(−|x|) elementwise, to a relative error below 3e-7; 0 for |x| ≥ 87, where the result would become
/// subnormal in f32.
#[inline]
pub(crate) fn exp_neg_abs(x: &Lanes) -> Lanes {
    // Adding 1.5·2²³ rounds to an integer, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 is split into two parts, the first short enough for n·HIGH to be exact (Cody and Waite 1980).
    const HIGH: f32 = 0.693_359_4;
    const LOW: f32 = -2.121_944_4e-4;
    let mut out = Lanes::default();
    for (out, x) in out.0.iter_mut().zip(x.0) {
        let x = -x.abs();
        let capped = if x > -87.0 { x } else { -87.0 };
        let whole = capped * std::f32::consts::LOG2_E + ROUND;
        let n = whole - ROUND;
        let r = (capped - n * HIGH) - n * LOW;
        // The polynomial is Taylor's: |r| ≤ ln 2 / 2, so the first term left out is below 6e-9. It is evaluated in
        // Estrin's scheme, for short dependency chains.
        let s = r * r;
        let high = 1.0 / 24.0 + r * (1.0 / 120.0) + s * (1.0 / 720.0);
        let p = 1.0 + (r + s * ((1.0 / 2.0 + r * (1.0 / 6.0)) + s * high));
        let power = f32::from_bits((whole.to_bits() << 23).wrapping_add(127 << 23));
        // A mask is used because an `if` would keep the compiler from vectorising.
        let there = u32::from(x > -87.0).wrapping_neg();
        *out = f32::from_bits((p * power).to_bits() & there);
    }
    out
}

/// Computes ln(1 + x) elementwise for 0 ≤ x ≤ 1, to a relative error below 3e-7.
#[inline]
pub(crate) fn ln_1p_of_unit(x: Lanes) -> Lanes {
    let mut out = Lanes::default();
    for (out, x) in out.0.iter_mut().zip(x.0) {
        // The series is 2·atanh(z) with z = x/(2 + x) ≤ 1/3: the first term left out is z¹⁶/17 < 2e-9.
        let z = x / (2.0 + x);
        let s = z * z;
        // The polynomial is evaluated in Estrin's scheme, for short dependency chains.
        let q = s * s;
        let low = (1.0 / 3.0 + s * (1.0 / 5.0)) + q * (1.0 / 7.0 + s * (1.0 / 9.0));
        let high = (1.0 / 11.0 + s * (1.0 / 13.0)) + q * (1.0 / 15.0);
        *out = 2.0 * z * (1.0 + s * (low + q * q * high));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LANES;

    fn worst(from: f64, to: f64, ours: fn(Lanes) -> Lanes, exact: fn(f64) -> f64) -> f64 {
        let steps = 200_000;
        (0..=steps).fold(0.0, |worst: f64, i| {
            let x = (from + (to - from) * f64::from(i) / f64::from(steps)) as f32;
            let (got, exact) = (f64::from(ours(Lanes([x; LANES])).0[3]), exact(f64::from(x)));
            if exact == 0.0 { worst.max(got.abs()) } else { worst.max((got / exact - 1.0).abs()) }
        })
    }

    #[test]
    fn close_to_libm_over_the_whole_range() {
        assert!(worst(-86.9, 0.0, |x| exp_neg_abs(&x), libm::exp) < 3e-7);
        assert!(worst(-1e-3, 0.0, |x| exp_neg_abs(&x), libm::exp) < 1e-7);
        assert!(worst(0.0, 1.0, ln_1p_of_unit, libm::log1p) < 3e-7);
        assert!(worst(0.0, 1e-6, ln_1p_of_unit, libm::log1p) < 3e-7);
    }

    #[test]
    fn far_below_zero_is_nothing_and_nothing_is_one() {
        assert_eq!(exp_neg_abs(&Lanes([-1e30, f32::NEG_INFINITY, 0.0, -0.0])).0, [0.0, 0.0, 1.0, 1.0]);
        let exp = exp_neg_abs(&Lanes([-87.0, -86.99, 0.0, 0.0])).0;
        assert!(exp[0] == 0.0 && exp[1] > f32::MIN_POSITIVE);
    }
}
