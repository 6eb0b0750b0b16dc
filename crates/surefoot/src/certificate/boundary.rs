//! A concentration bound for sums of zero-mean noise terms that holds at all times simultaneously.

use std::sync::LazyLock;

/// The mixture of supermartingales behind [`boundary()`] has `STEPS` rates λ per factor of 2 and covers `HALVINGS`
/// factors of 2: enough for noise terms whose range grows 2^69-fold.
const STEPS: usize = 4;
const HALVINGS: usize = 70;
/// Scale of the Cauchy density that weights the rates λ of the mixture behind [`boundary()`]: the rate 2^(−m)/c_1, with
/// c_1 the range of the first noise term, has a weight proportional to 1/(1 + (m/SPREAD)²).
const SPREAD: f64 = 4.0;
/// Number of rates λ that [`boundary()`] keeps on either side of the rate that alone would give the lowest level; the
/// others contribute a negligible amount.
const BESIDE: usize = 16;

/// Logarithms of the mixture weights of the rates λ_k = 2^(−1 − k/4)/c_1, where c_1 is the range of the first noise
/// term: a Cauchy density in k/4, normalised to a total of 1.
static SHARES: LazyLock<[f64; STEPS * HALVINGS]> = LazyLock::new(|| {
    let density = |k: usize| 1.0 / (1.0 + ((1.0 + k as f64 / STEPS as f64) / SPREAD).powi(2));
    let total: f64 = (0..STEPS * HALVINGS).map(density).sum();
    std::array::from_fn(|k| (density(k) / total).ln())
});

/// Returns a level that the running sum S of the centred increments Y_i − E Y_i exceeds at any time with probability at
/// most `delta`.
///
/// Each increment is bounded from below, Y_i ≥ Ŷ_i − c_i, where Ŷ_i and c_i are known before Y_i is drawn. `deviation`
/// is √V for V = Σ(Y_i − Ŷ_i)² (or anything larger), `range` the largest c_i so far, and `first` = c_1. For each rate λ
/// with λ·range ≤ ½, the exponential of λ·S − λ²·k(λ·range)·V, where k(x) = (−ln(1−x) − x)/x², is at most a
/// supermartingale with initial value 1. The same holds for a mixture of rates from which rates with λ·range > ½ are
/// dropped. The returned level is the S at which the mixture reaches 1/δ. For V/c_1² from 10² to 10¹² it is about
/// √(2V·ln(1/δ)) times 1.3 to 1.6; for smaller V, where the range matters, it is larger.
///
/// The level depends on the observed V and not on a bound on V, so it shrinks when the noise does. A call costs some
/// 200 exponentials and keeps no state. The level is homogeneous: scaling `deviation`, `range` and `first` by a factor
/// scales it by the same factor.
///
/// ```
/// use surefoot::certificate::boundary;
/// // 10 000 tosses of a coin, ±1: a standard deviation of 100.
/// let level = boundary(100.0, 1.0, 1.0, 0.05);
/// assert!(level > 245.0 && level < 420.0); // √(2·ln 20) = 2.45 deviations for one time fixed beforehand
/// ```
///
/// Source: Fan, Grama and Liu (2015); Howard, Ramdas, McAuliffe and Sekhon (2021), whose mixtures range over all rates.
pub fn boundary(deviation: f64, range: f64, first: f64, delta: f64) -> f64 {
    let rate = |k: usize| (-1.0 - k as f64 / STEPS as f64).exp2();
    // The penalty of the noise at rate k. Dividing by c_1 first keeps it from over- or underflowing before the level
    // does.
    let noise = |k: usize| {
        let (rate, x) = (rate(k), rate(k) * (range / first));
        let stray = rate * (deviation / first);
        if x <= 0.5 { stray * curvature(x) * stray } else { f64::INFINITY }
    };
    let costs: [f64; STEPS * HALVINGS] = std::array::from_fn(|k| SHARES[k] - noise(k));
    let goal = -delta.ln();
    // The level that the supermartingale of rate k alone would give.
    let alone = |k: usize| (goal - costs[k]) / rate(k);
    let Some(best) = (0..costs.len()).min_by(|&a, &b| alone(a).total_cmp(&alone(b))) else { return f64::INFINITY };
    let mut level = alone(best);
    if !level.is_finite() {
        return f64::INFINITY;
    }
    // The logarithm of the mixture is convex in the level, so Newton steps that start above the root stay above it.
    let beside = best.saturating_sub(BESIDE)..(best + BESIDE + 1).min(costs.len());
    for _ in 0..6 {
        let (mut sum, mut slope) = (0.0, 0.0);
        for k in beside.clone().filter(|&k| costs[k] > f64::NEG_INFINITY) {
            let part = (costs[k] + rate(k) * level - goal).exp();
            sum += part;
            slope += rate(k) * part;
        }
        let step = sum.ln() * sum / slope;
        if step.is_nan() || step <= 1e-12 * level {
            break;
        }
        level -= step;
    }
    // Makes up for what rounding may have taken off the level.
    level * (1.0 + 1e-12) * first
}

/// Computes the function k(x) = (−ln(1−x) − x)/x² of [`boundary()`] for 0 ≤ x ≤ ½; near 0 from its power series, rounded
/// up.
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

    /// Checks that the level of [`boundary()`] is lower than that of a union bound over the rates 2^(−m), and higher than
    /// the level for a single time fixed in advance.
    #[test]
    fn a_mixture_is_below_a_union() {
        let union = |deviation: f64, delta: f64| {
            let level = |m: i32| {
                let (rate, m) = (0.5_f64.powi(m), f64::from(m));
                (m * (m + 1.0) / delta).ln() / rate + rate * curvature(rate) * deviation * deviation
            };
            (1..70).map(level).fold(f64::INFINITY, f64::min)
        };
        for delta in [0.05, 1e-3] {
            for exponent in 3..13 {
                let deviation = 10_f64.powi(exponent).sqrt();
                let (mixed, union) = (boundary(deviation, 1.0, 1.0, delta), union(deviation, delta));
                let plain = (2.0 * (1.0 / delta).ln()).sqrt() * deviation;

                assert!(mixed < union && mixed > plain, "δ {delta} V 1e{exponent}: {mixed} {union} {plain}");
            }
        }
    }

    #[test]
    fn units_do_not_matter() {
        let level = boundary(7.0, 3.0, 1.0, 0.1);
        for unit in [2f64.powi(500), 2f64.powi(-500)] {
            assert_eq!(boundary(7.0 * unit, 3.0 * unit, unit, 0.1), level * unit);
        }
    }
}
