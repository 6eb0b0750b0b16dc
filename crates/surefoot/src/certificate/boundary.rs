//! How far a sum of noise may stray, at any time.

/// The number of rates tried, each half the last: enough for ranges that grow 2^69-fold.
const RATES: u32 = 70;

/// A level that the sum of centred increments Y_i − E Y_i exceeds, at any time, with probability at most `delta`.
///
/// Each increment is bounded from below, Y_i ≥ Ŷ_i − c_i, with Ŷ_i and c_i known beforehand. `deviation` is the root of
/// V = Σ(Y_i − Ŷ_i)² (or anything larger), `range` the largest c_i so far, `first` = c_1. With λ_m = 2^{−m}/c_1, the
/// level is the least over m with λ_m·range ≤ ½ of ln(m(m+1)/δ)/λ_m + λ_m·k(λ_m·range)·V, where k(x) = (−ln(1−x) −
/// x)/x². Each m makes a supermartingale, and Σ 1/(m(m+1)) = 1 pays for trying them all. About √(2V·ln(1/δ)) times 1.5
/// to 3.
///
/// It sees V and not a bound on it, so noise that fades is noticed. Some 70 logarithms; no state. Homogeneous: in other
/// units the level is what it was in those units.
///
/// ```
/// use surefoot::certificate::boundary;
/// // 10 000 tosses of a coin, ±1: a standard deviation of 100.
/// let level = boundary(100.0, 1.0, 1.0, 0.05);
/// assert!(level > 245.0 && level < 420.0); // √(2·ln 20) = 2.45 deviations for one time fixed beforehand
/// ```
///
/// Source: Fan, Grama and Liu (2015); Howard, Ramdas, McAuliffe and Sekhon (2021).
pub fn boundary(deviation: f64, range: f64, first: f64, delta: f64) -> f64 {
    let mut least = f64::INFINITY;
    for m in 1..=RATES {
        // λ and λ·range are formed so that neither over- nor underflows before the level does.
        let rate = 0.5_f64.powi(m as i32);
        let x = rate * (range / first);
        if x <= 0.5 {
            let m = f64::from(m);
            let noise = rate * (deviation / first) * curvature(x) * deviation;
            least = least.min((m * (m + 1.0) / delta).ln() / rate * first + noise);
        }
    }
    least
}

/// k(x) = (−ln(1−x) − x)/x² for 0 ≤ x ≤ ½; near 0 from its series, rounded up.
fn curvature(x: f64) -> f64 {
    if x < 1e-4 { 0.5 + x / 3.0 + x * x / 2.0 } else { (-(-x).ln_1p() - x) / (x * x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_meets_the_formula() {
        let x = 1e-4;
        let series = 0.5 + x / 3.0 + x * x / 2.0;
        assert!((curvature(x) - series).abs() < 1e-7 && curvature(0.0) == 0.5);
        assert!((curvature(0.5) - (std::f64::consts::LN_2 - 0.5) * 4.0).abs() < 1e-15);
    }

    #[test]
    fn units_do_not_matter() {
        let level = boundary(7.0, 3.0, 1.0, 0.1);
        for unit in [2f64.powi(500), 2f64.powi(-500)] {
            assert_eq!(boundary(7.0 * unit, 3.0 * unit, unit, 0.1), level * unit);
        }
    }
}
