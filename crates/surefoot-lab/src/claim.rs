//! Claims about the measurements of an experiment, and their verification.

use crate::Reading;
use crate::fit::{self, Line};

/// Claim about the readings (measurements, each with its bounds) of one row of an experiment, taken at points x of an axis such as the
/// number of steps, with several random seeds. Means are over seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// The slope of the line fitted to ln(mean) over ln(x), for x ≥ `from`, lies between `least` and `most`.
    Slope {
        /// Smallest x that is included in the fitted line.
        from: f64,
        /// Least slope allowed.
        least: f64,
        /// Largest slope allowed.
        most: f64,
    },
    /// At every x, the mean reading times x^`power` lies between `least` and `most`, which checks a rate x^(−`power`) and its constant.
    Within {
        /// Exponent of the factor x^`power`.
        power: f64,
        /// Least value allowed.
        least: f64,
        /// Largest value allowed.
        most: f64,
    },
    /// At every x, the mean reading is at most the mean upper bound.
    Bounded,
    /// At every x, the mean reading is at least the mean lower bound (floor).
    Floored,
    /// Every single reading is at most its upper bound.
    Always,
    /// The share of seeds with a reading above its upper bound is at most δ plus three standard errors. The share is taken at each x
    /// separately; or, if one run yields the readings at all x, it counts the seeds with an excess at any x.
    Coverage {
        /// Largest share δ of seeds that may exceed the bound.
        delta: f64,
    },
    /// For each seed, take the largest ratio of reading to upper bound over all x: the quantile of these ratios over seeds is at most
    /// `most`.
    Ratio {
        /// Level of the quantile: ½ for the median of the seeds, 1 for the maximum.
        share: f64,
        /// Largest quantile allowed.
        most: f64,
    },
    /// At every x, the 1 − δ quantile of the readings over seeds is at most `most`.
    Quantile {
        /// Share δ of seeds above the quantile.
        delta: f64,
        /// Largest quantile allowed.
        most: f64,
    },
    /// Every single reading is at most `most`.
    Largest {
        /// Largest reading allowed.
        most: f64,
    },
    /// The mean reading times x^`power`, compared over all x: the largest is at most `most` times the smallest.
    Spread {
        /// Exponent of the factor x^`power`.
        power: f64,
        /// Largest ratio of the two that is allowed.
        most: f64,
    },
    /// The mean reading does not increase from any x to the next.
    Falling,
}

/// Result of checking a claim: the measured quantity, its allowed range and whether the claim should hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Name of the measured quantity, such as `slope`.
    pub what: String,
    /// Measured value of the quantity.
    pub measured: f64,
    /// Standard error of the measured value; 0 if nothing is random.
    pub error: f64,
    /// Least value allowed; −∞ if there is none.
    pub least: f64,
    /// Largest value allowed; ∞ if there is none.
    pub most: f64,
    /// Whether the row contains a planted error (a deliberate mistake), so that its claims are expected to fail.
    pub planted: bool,
}

impl Check {
    /// Whether the claim holds: the measured value lies in the allowed range.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.least <= self.measured && self.measured <= self.most
    }

    /// Whether the outcome is the expected one: the claim holds, or it fails in a row with a planted error.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.holds() != self.planted
    }
}

/// Relative tolerance for rounding errors when two sums are compared.
const ROUNDING: f64 = 1e-9;

/// All readings (measurements with bounds) of a row of an experiment, indexed by seed and point of the axis.
#[derive(Debug)]
pub(crate) struct Readings<'a> {
    pub(crate) axis: &'a [f64],
    /// Whether the readings of a seed at all points of the axis come from a single run; otherwise each point has its own run.
    pub(crate) path: bool,
    pub(crate) all: &'a [Vec<Reading>],
}

impl Readings<'_> {
    /// Returns the mean over seeds of the quantity `of` the readings at point `i` of the axis, and its standard error.
    pub(crate) fn mean(&self, i: usize, of: impl Fn(&Reading) -> f64) -> (f64, f64) {
        let n = self.all.len() as f64;
        let mean = self.all.iter().map(|run| of(&run[i])).sum::<f64>() / n;
        let spread = self.all.iter().map(|run| (of(&run[i]) - mean).powi(2)).sum::<f64>();
        (mean, if n > 1.0 { (spread / (n - 1.0) / n).sqrt() } else { 0.0 })
    }

    fn means(&self, power: f64) -> Vec<f64> {
        (0..self.axis.len()).map(|i| self.mean(i, |r| r.measured).0 * self.axis[i].powf(power)).collect()
    }

    /// Returns the number of seeds with a reading above its upper bound: at any x if one run yields the readings at all x, otherwise at the
    /// x with the most such seeds.
    fn broken(&self) -> f64 {
        let broken = |r: &Reading| r.measured > r.bound || (r.measured + r.bound).is_nan();
        let at = |i: usize| self.all.iter().filter(|run| broken(&run[i])).count();
        let count = if self.path {
            self.all.iter().filter(|run| run.iter().any(broken)).count()
        } else {
            (0..self.axis.len()).map(at).max().unwrap_or(0)
        };
        count as f64
    }

    fn each(&self) -> impl Iterator<Item = &Reading> {
        self.all.iter().flatten()
    }
}

/// Returns the largest value, or NaN (for which every claim fails) if any value is NaN.
fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
}

fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    -largest(values.into_iter().map(|x| -x))
}

impl Claim {
    pub(crate) fn check(&self, readings: &Readings<'_>, planted: bool) -> Check {
        let exact = |measured: f64| (measured, 0.0);
        let points = 0..readings.axis.len();
        let mean = |i: usize| readings.mean(i, |r| r.measured).0;
        let (measured, error) = match *self {
            Claim::Slope { from, .. } => {
                let Line { slope, error } = fit::slope(readings, from);
                (slope, error)
            }
            Claim::Within { power, least: low, most } => {
                // The value that is furthest outside the interval, or nearest to its end.
                let values = readings.means(power);
                let (below, above) = (least(values.iter().copied()), largest(values));
                exact(if below < low || most.is_infinite() { below } else { above })
            }
            Claim::Bounded => {
                exact(largest(points.map(|i| Reading::of(mean(i)).under(readings.mean(i, |r| r.bound).0).ratio())))
            }
            Claim::Floored => exact(least(points.map(|i| mean(i) / readings.mean(i, |r| r.floor).0))),
            Claim::Always => exact(largest(readings.each().map(Reading::ratio))),
            Claim::Coverage { .. } => {
                let (n, broken) = (readings.all.len() as f64, readings.broken());
                (broken / n, (broken / n * (1.0 - broken / n) / n).sqrt())
            }
            Claim::Ratio { share, .. } => {
                let mut ratios: Vec<f64> =
                    readings.all.iter().map(|run| largest(run.iter().map(Reading::ratio))).collect();
                ratios.sort_by(f64::total_cmp);
                exact(if ratios.iter().any(|ratio| ratio.is_nan()) { f64::NAN } else { fit::quantile(&ratios, share) })
            }
            Claim::Quantile { delta, .. } => exact(largest(points.map(|i| {
                let mut values: Vec<f64> = readings.all.iter().map(|run| run[i].measured).collect();
                values.sort_by(f64::total_cmp);
                fit::quantile(&values, 1.0 - delta)
            }))),
            Claim::Largest { .. } => exact(largest(readings.each().map(|r| r.measured))),
            Claim::Spread { power, .. } => {
                let means = readings.means(power);
                exact(largest(means.iter().copied()) / least(means))
            }
            Claim::Falling => {
                let means = readings.means(0.0);
                exact(largest(means.windows(2).map(|pair| pair[1] / pair[0])))
            }
        };
        let (least, most) = self.interval(readings.all.len());
        Check { what: self.words(), measured, error, least, most, planted }
    }

    fn interval(&self, seeds: usize) -> (f64, f64) {
        match *self {
            Claim::Slope { least, most, .. } | Claim::Within { least, most, .. } => (least, most),
            Claim::Bounded | Claim::Always | Claim::Falling => (f64::NEG_INFINITY, 1.0 + ROUNDING),
            Claim::Floored => (1.0 - ROUNDING, f64::INFINITY),
            Claim::Coverage { delta } => (0.0, delta + 3.0 * (delta * (1.0 - delta) / seeds as f64).sqrt()),
            Claim::Ratio { most, .. }
            | Claim::Quantile { most, .. }
            | Claim::Largest { most }
            | Claim::Spread { most, .. } => (f64::NEG_INFINITY, most),
        }
    }

    /// First word of the names of checks that measure a slope.
    pub(crate) const SLOPE: &str = "slope";
    /// First words of the names of checks that measure the share of seeds with a reading above its bound.
    pub(crate) const COVERAGE: &str = "share above bound";

    fn words(&self) -> String {
        let times = |power: f64| match power {
            0.0 => String::new(),
            1.0 => " · x".to_owned(),
            _ => format!(" · x^{power}"),
        };
        match *self {
            Claim::Slope { from, .. } if from > 1.0 => format!("{}, x ≥ {from}", Self::SLOPE),
            Claim::Slope { .. } => Self::SLOPE.to_owned(),
            Claim::Within { power, .. } => format!("mean{}", times(power)),
            Claim::Bounded => "mean ÷ bound".to_owned(),
            Claim::Floored => "mean ÷ floor".to_owned(),
            Claim::Always => "each ÷ its bound".to_owned(),
            Claim::Coverage { delta } => format!("{}, δ = {delta}", Self::COVERAGE),
            Claim::Ratio { share: 1.0, .. } => "largest ÷ its bound".to_owned(),
            Claim::Ratio { share: 0.5, .. } => "median seed ÷ its bound".to_owned(),
            Claim::Ratio { share, .. } => format!("seeds ÷ bound, quantile {share}"),
            Claim::Quantile { delta, .. } => format!("quantile {}", 1.0 - delta),
            Claim::Largest { .. } => "largest".to_owned(),
            Claim::Spread { power, .. } => format!("largest ÷ least{}", times(power)),
            Claim::Falling => "growth from x to x".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a claim on synthetic readings of two seeds, which are about 8/x at x = 1, 2, 4.
    fn check(claim: Claim, path: bool) -> Check {
        let reading = |measured: f64, bound, floor| Reading { measured, bound, floor };
        let one = vec![reading(8.0, 10.0, 7.0), reading(5.0, 4.0, 3.0), reading(2.0, 3.0, 2.0)];
        let two = vec![reading(8.0, 10.0, 7.0), reading(3.0, 4.0, 3.0), reading(2.0, 3.0, 2.0)];
        claim.check(&Readings { axis: &[1.0, 2.0, 4.0], path, all: &[one, two] }, false)
    }

    #[test]
    fn claims_by_hand() {
        let infinity = f64::INFINITY;
        let cases = [
            (Claim::Slope { from: 0.0, least: -1.01, most: -0.99 }, -1.0, true),
            (Claim::Slope { from: 2.0, least: -0.9, most: 0.0 }, -1.0, false),
            (Claim::Within { power: 1.0, least: 7.9, most: 8.1 }, 8.0, true),
            (Claim::Within { power: 0.0, least: 3.0, most: 9.0 }, 2.0, false),
            (Claim::Within { power: 0.0, least: 0.0, most: 7.0 }, 8.0, false),
            (Claim::Within { power: 0.0, least: 1.5, most: infinity }, 2.0, true),
            (Claim::Bounded, 1.0, true),
            (Claim::Floored, 1.0, true),
            (Claim::Always, 1.25, false),
            (Claim::Coverage { delta: 0.1 }, 0.5, true),
            (Claim::Ratio { share: 1.0, most: 1.2 }, 1.25, false),
            (Claim::Ratio { share: 0.5, most: 1.1 }, (1.25 + 0.8) / 2.0, true),
            (Claim::Quantile { delta: 0.5, most: 8.0 }, 8.0, true),
            (Claim::Largest { most: 7.9 }, 8.0, false),
            (Claim::Spread { power: 0.0, most: 3.9 }, 4.0, false),
            (Claim::Spread { power: 1.0, most: 1.0 }, 1.0, true),
            (Claim::Falling, 0.5, true),
        ];
        for (claim, measured, holds) in cases {
            let check = check(claim, false);
            assert!((check.measured - measured).abs() < 1e-12, "{claim:?}: {}", check.measured);
            assert_eq!(check.holds(), holds, "{claim:?}");
        }
    }

    #[test]
    fn three_standard_errors_are_allowed_for_chance() {
        let allowed = check(Claim::Coverage { delta: 0.1 }, true).most;
        assert!((allowed - 0.1 - 3.0 * (0.09_f64 / 2.0).sqrt()).abs() < 1e-12);
    }

    /// Every claim fails if readings or bounds are NaN, or bounds are negative.
    #[test]
    fn what_is_no_number_fails() {
        for (measured, bound) in [(f64::NAN, 1.0), (1.0, f64::NAN), (1.0, -1.0)] {
            let all = [vec![Reading { measured, bound, floor: f64::NAN }]];
            let readings = Readings { axis: &[1.0], path: false, all: &all };
            let ratio = Claim::Ratio { share: 0.5, most: 2.0 };
            for claim in [Claim::Bounded, Claim::Always, ratio, Claim::Coverage { delta: 0.01 }, Claim::Floored] {
                let bad = claim == Claim::Floored || claim.check(&readings, false).measured > 0.9;
                assert!(bad || measured.is_nan(), "{claim:?} {measured} {bound}");
                let check = claim.check(&readings, false);
                assert!(!check.holds() || matches!(claim, Claim::Coverage { .. }), "{claim:?} {measured} {bound}");
                assert!(claim.check(&readings, true).passes() || matches!(claim, Claim::Coverage { .. }));
            }
        }
        let falling = [1.0, 2.0].map(Reading::of).to_vec();
        let readings = Readings { axis: &[1.0, 2.0], path: false, all: &[falling] };
        assert!(!Claim::Falling.check(&readings, false).holds());
    }
}
