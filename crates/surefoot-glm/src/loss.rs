//! Losses: pointwise functions of a label and a margin, with all that is known about them in one place.
//!
//! Adding a loss is one variant of [`Loss`], one file beside this one, and one row in each `match` below;
//! the tests that walk [`Loss::ALL`] then apply to it.

mod logistic;
mod squared;

use crate::lanes::Lanes;
use serde::{Deserialize, Serialize};

/// The loss of one row, written φ(m) = φ(label, margin).
///
/// | loss | φ | label | mean (inverse link) | \|φ'\| | φ'' |
/// | --- | --- | --- | --- | --- | --- |
/// | logistic | ln(1 + e^(−ym)) | −1, +1 | 1 / (1 + e^(−m)) | ≤ 1 | ≤ 1/4 |
/// | squared | ½(m − y)² | finite | m | unbounded | 1 |
///
/// ```
/// use surefoot_glm::Loss;
/// assert_eq!(Loss::Logistic.value(1.0, 0.0), std::f64::consts::LN_2);
/// assert_eq!(Loss::Squared.slope(3.0, 1.0), -2.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Classification of two classes by log loss; the label is −1 or +1.
    Logistic,
    /// Regression by half the squared error.
    Squared,
}

impl Loss {
    /// Every loss, in the order in which the command line lists them.
    pub const ALL: [Loss; 2] = [Loss::Logistic, Loss::Squared];

    /// The name on the command line and in model files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Loss::Logistic => "logistic",
            Loss::Squared => "squared",
        }
    }

    /// Whether labels are classes.
    #[must_use]
    pub fn classifies(self) -> bool {
        matches!(self, Loss::Logistic)
    }

    /// φ(y, m): the loss of margin `m` for label `y`; stable for every finite margin.
    #[inline]
    #[must_use]
    pub fn value(self, y: f64, m: f64) -> f64 {
        match self {
            Loss::Logistic => logistic::value(y, m),
            Loss::Squared => squared::value(y, m),
        }
    }

    /// φ'(y, m): the derivative in the margin.
    #[inline]
    #[must_use]
    pub fn slope(self, y: f64, m: f64) -> f64 {
        match self {
            Loss::Logistic => logistic::slope(y, m),
            Loss::Squared => squared::slope(y, m),
        }
    }

    /// φ of every lane, to f32's precision.
    pub(crate) fn values(self, y: f64, margins: &Lanes) -> Lanes {
        match self {
            Loss::Logistic => logistic::values(y as f32, margins),
            Loss::Squared => Lanes(margins.0.map(|m| squared::value(y, m.into()) as f32)),
        }
    }

    /// φ' of every lane, to f32's precision.
    pub(crate) fn slopes(self, y: f64, margins: &Lanes) -> Lanes {
        match self {
            Loss::Logistic => logistic::slopes(y as f32, margins),
            Loss::Squared => Lanes(margins.0.map(|m| squared::slope(y, m.into()) as f32)),
        }
    }

    /// The mean that a margin stands for: the probability of the positive class, or the margin itself.
    #[inline]
    #[must_use]
    pub fn mean(self, m: f64) -> f64 {
        match self {
            Loss::Logistic => logistic::mean(m),
            Loss::Squared => m,
        }
    }

    /// Upper bound of \|φ'\|, if there is one (its Lipschitz constant in the margin).
    #[must_use]
    pub fn lipschitz(self) -> Option<f64> {
        match self {
            Loss::Logistic => Some(1.0),
            Loss::Squared => None,
        }
    }

    /// Upper bound of φ'' (its smoothness in the margin).
    #[must_use]
    pub fn curvature(self) -> f64 {
        match self {
            Loss::Logistic => 0.25,
            Loss::Squared => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: [f64; 2] = [-1.0, 1.0];
    const MARGINS: [f64; 9] = [-30.0, -3.0, -1.0, -1e-3, 0.0, 1e-3, 0.5, 2.0, 30.0];

    #[test]
    fn slopes_agree_with_central_differences() {
        for loss in Loss::ALL {
            for y in LABELS {
                for m in MARGINS {
                    let h = 1e-5;
                    let numeric = (loss.value(y, m + h) - loss.value(y, m - h)) / (2.0 * h);
                    let slope = loss.slope(y, m);
                    assert!(
                        (numeric - slope).abs() <= 1e-8 * (1.0 + loss.value(y, m).abs()),
                        "{} y={y} m={m}: {numeric} and {slope}",
                        loss.name()
                    );
                }
            }
        }
    }

    #[test]
    fn lanes_agree_with_single_margins() {
        for loss in Loss::ALL {
            for y in LABELS {
                for m in MARGINS {
                    let margins = Lanes([m as f32; crate::LANES]);
                    let (value, slope) = (loss.value(y, m), loss.slope(y, m));
                    // One rounding of the margin, and a few of the function.
                    let close =
                        |got: f32, exact: f64| (f64::from(got) - exact).abs() <= 1e-6 * exact.abs() * (1.0 + m.abs());
                    assert!(close(loss.values(y, &margins).0[5], value), "{} {y} {m}", loss.name());
                    assert!(close(loss.slopes(y, &margins).0[5], slope), "{} {y} {m}", loss.name());
                }
            }
        }
    }

    #[test]
    fn constants_bound_what_they_name() {
        for loss in Loss::ALL {
            for y in LABELS {
                for m in MARGINS {
                    let h = 1e-4;
                    let second = (loss.slope(y, m + h) - loss.slope(y, m - h)) / (2.0 * h);
                    assert!((-1e-9..=loss.curvature() + 1e-7).contains(&second));
                    if let Some(bound) = loss.lipschitz() {
                        assert!(loss.slope(y, m).abs() <= bound);
                    }
                }
            }
        }
    }

    #[test]
    fn extreme_margins_stay_finite_and_exact() {
        assert_eq!(Loss::Logistic.value(1.0, -1e4), 1e4);
        assert_eq!(Loss::Logistic.value(1.0, 1e4), 0.0);
        assert_eq!(Loss::Logistic.slope(-1.0, 1e4), 1.0);
        assert_eq!(Loss::Logistic.mean(-1e4), 0.0);
        // e^-40 is below the rounding error of 1: only log1p keeps it. Value from 40 digits of arithmetic.
        let tail = Loss::Logistic.value(1.0, 40.0);
        assert!((tail / 4.248_354_255_291_589e-18 - 1.0).abs() < 1e-14);
    }
}
