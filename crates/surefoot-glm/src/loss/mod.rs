//! Losses: functions of a label and a margin, with all their mathematical properties.
//!
//! A new loss is one variant of [`Loss`], one file in this folder, and one arm in each `match` below; the tests over
//! [`Loss::SCALAR`] or [`Loss::ALL`] then apply to it.

pub(crate) mod charges;
mod classes;
mod count;
pub(crate) mod derivative_cut;
mod hinge;
mod huber;
mod logistic;
mod quantile;
mod softmax;
mod squared;
#[cfg(test)]
mod tests;

use crate::{
    data::fault::{Fault, Part},
    simd::lanes::Lanes,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Loss function of one row, written φ(m) = φ(y, m), where y is the encoded label and m the margin (the prediction of
/// the linear model).
///
/// | loss | φ | label | mean (inverse link) | \|φ'\| | φ'' |
/// | --- | --- | --- | --- | --- | --- |
/// | logistic | ln(1 + e^(−ym)) | −1, +1 | 1 / (1 + e^(−m)) | ≤ 1 | ≤ 1/4 |
/// | squared | ½(m − y)² | finite | m | unbounded | 1 |
/// | huber | ½r² if \|r\| ≤ δ, else δ(\|r\| − δ/2), r = m − y | finite | m | ≤ δ | ≤ 1 |
/// | absolute | \|m − y\| | finite | m, a median | ≤ 1 | none at 0 |
/// | quantile | τ(y − m) if m < y, else (1 − τ)(m − y) | finite | m, the τ-quantile | ≤ max(τ, 1 − τ) | none at 0 |
/// | hinge | max(0, 1 − ym) | −1, +1 | none | ≤ 1 | none at 1 |
/// | squared_hinge | max(0, 1 − ym)² | −1, +1 | none | unbounded | ≤ 2 |
/// | smoothed_hinge | ½ max(0, 1 − ym)², but ½ − ym if ym < 0 | −1, +1 | none | ≤ 1 | ≤ 1 |
/// | poisson | e^m − ym | ≥ 0 | e^m | unbounded | unbounded |
/// | gamma | y e^(−m) + m | > 0 | e^m | unbounded | unbounded |
/// | tweedie | y e^(−(p−1)m)/(p − 1) + e^((2−p)m)/(2 − p), 1 < p < 2 | ≥ 0 | e^m | unbounded | unbounded |
/// | softmax | ln Σ_j e^(m_j) − m_y | one of K classes | e^(m_k) / Σ_j e^(m_j) | norm ≤ √2 | norm ≤ 1/2 |
/// | ovr | Σ_k ln(1 + e^(−m_k)) with −m_k for k = y, else +m_k | one of K classes | 1 / (1 + e^(−m_k)), divided by their sum | ≤ 1 each | ≤ 1/4 each |
///
/// The last two losses have one margin per class: see [`multiclass_value`](Loss::multiclass_value). As functions of a
/// single margin they equal the logistic loss; for softmax this margin is the margin of the label's class less ln Σ
/// e^(m_j) over the other classes.
///
/// Two remedies keep the learner stable with unbounded derivatives. For the squared loss the learner scales its
/// points by the labels; with a log link, derivatives, which grow like e^m, are clipped by the range of labels
/// (`loss/derivative_cut.rs`).
///
/// ```
/// use surefoot_glm::Loss;
/// assert_eq!(Loss::Logistic.value(1.0, 0.0), std::f64::consts::LN_2);
/// assert_eq!(Loss::Squared.derivative(3.0, 1.0), -2.0);
/// assert_eq!(Loss::Quantile { tau: 0.9 }.value(3.0, 1.0), 1.8);
/// assert_eq!(Loss::Poisson.mean(0.0), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "loss", rename_all = "snake_case")]
pub enum Loss {
    /// Binary classification by log loss; the label is −1 or +1.
    Logistic,
    /// Regression by half the squared error.
    Squared,
    /// Regression by Huber's loss: half the squared error up to an absolute error of `delta`, linear beyond.
    Huber {
        /// Absolute error at which the loss becomes linear, in the unit of labels; above 0.
        delta: f64,
    },
    /// Regression to the median, by the absolute error.
    Absolute,
    /// Regression to a quantile, by the pinball loss.
    Quantile {
        /// Quantile level: the fraction of labels below the prediction, between 0 and 1.
        tau: f64,
    },
    /// Binary classification by hinge loss (support vector machine); the label is −1 or +1.
    Hinge,
    /// Binary classification by squared hinge loss.
    SquaredHinge,
    /// Binary classification by smoothed hinge loss: quadratic between margins 0 and 1, linear below (Rennie and Srebro 2005).
    SmoothedHinge,
    /// Regression of counts by Poisson deviance, with a log link.
    Poisson,
    /// Regression of positive amounts by gamma deviance, with a log link; it depends on relative errors only.
    Gamma,
    /// Regression of amounts that may be 0 by Tweedie deviance, with a log link; the variance is proportional to a
    /// power of the mean.
    Tweedie {
        /// Power of the mean to which the variance is proportional, between 1 (Poisson) and 2 (gamma).
        power: f64,
    },
    /// Classification of any number of classes by multinomial log loss, with one margin per class.
    Softmax,
    /// Classification of any number of classes by one-vs-rest log losses, with one margin per class.
    Ovr,
}

impl Loss {
    /// Losses with a single margin per row, with default parameters, in the order of [`Loss::ALL`].
    pub const SCALAR: [Loss; 11] = [
        Loss::Logistic,
        Loss::Squared,
        Loss::Huber { delta: 1.0 },
        Loss::Absolute,
        Loss::Quantile { tau: 0.5 },
        Loss::Hinge,
        Loss::SquaredHinge,
        Loss::SmoothedHinge,
        Loss::Poisson,
        Loss::Gamma,
        Loss::Tweedie { power: 1.5 },
    ];

    /// Multiclass losses, which have one margin per class, for any number of classes.
    pub const MULTICLASS: [Loss; 2] = [Loss::Softmax, Loss::Ovr];

    /// All losses with their default parameters: those of [`Loss::SCALAR`], followed by those of [`Loss::MULTICLASS`].
    pub const ALL: [Loss; 13] = {
        let mut all = [Loss::Logistic; 13];
        let (scalar, multiclass) = all.split_at_mut(Loss::SCALAR.len());
        scalar.copy_from_slice(&Loss::SCALAR);
        multiclass.copy_from_slice(&Loss::MULTICLASS);
        all
    };

    /// Returns the name of the loss on the command line and in model files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Loss::Logistic => "logistic",
            Loss::Squared => "squared",
            Loss::Huber { .. } => "huber",
            Loss::Absolute => "absolute",
            Loss::Quantile { .. } => "quantile",
            Loss::Hinge => "hinge",
            Loss::SquaredHinge => "squared_hinge",
            Loss::SmoothedHinge => "smoothed_hinge",
            Loss::Poisson => "poisson",
            Loss::Gamma => "gamma",
            Loss::Tweedie { .. } => "tweedie",
            Loss::Softmax => "softmax",
            Loss::Ovr => "ovr",
        }
    }

    /// Returns the name and value of the loss's parameter, such as τ of the quantile loss; `None` if the loss has no
    /// parameter.
    #[must_use]
    pub fn parameter(self) -> Option<(&'static str, f64)> {
        match self {
            Loss::Huber { delta } => Some(("delta", delta)),
            Loss::Quantile { tau } => Some(("tau", tau)),
            Loss::Tweedie { power } => Some(("power", power)),
            _ => None,
        }
    }

    /// Whether labels are classes, as opposed to the numeric labels of regression.
    #[must_use]
    pub fn classifies(self) -> bool {
        self == Loss::Logistic || self.is_hinge() || self.is_multiclass()
    }

    /// Whether the loss is one of the hinge losses: margins beyond 1 on the right side cost nothing.
    pub(crate) fn is_hinge(self) -> bool {
        matches!(self, Loss::Hinge | Loss::SquaredHinge | Loss::SmoothedHinge)
    }

    /// Whether the loss is multiclass: it has one margin per class, for any number of classes. Other losses have a
    /// single margin per row.
    #[must_use]
    pub fn is_multiclass(self) -> bool {
        matches!(self, Loss::Softmax | Loss::Ovr)
    }

    /// Whether the loss is a classification loss that predicts probabilities.
    #[must_use]
    pub fn has_probabilities(self) -> bool {
        self == Loss::Logistic || self.is_multiclass()
    }

    /// Returns the power p of the variance function, Var(y) ∝ mean^p, for losses with a log link; `None` for other
    /// losses.
    #[must_use]
    pub fn variance_power(self) -> Option<f64> {
        match self {
            Loss::Poisson => Some(1.0),
            Loss::Gamma => Some(2.0),
            Loss::Tweedie { power } => Some(power),
            _ => None,
        }
    }

    /// Checks that a label is within the domain of a regression loss; labels of classes are checked by the label
    /// encoder instead.
    ///
    /// # Errors
    /// A fault of the label that names the domain of the loss and a remedy.
    pub fn check(self, label: f64) -> Result<(), Fault> {
        let message = match self {
            _ if !label.is_finite() => "a label is a finite number",
            Loss::Poisson if label < 0.0 => {
                "a Poisson label must be 0 or more; for numbers of any sign use --loss squared"
            }
            Loss::Tweedie { .. } if label < 0.0 => {
                "a Tweedie label must be 0 or more; for numbers of any sign use --loss squared"
            }
            Loss::Gamma if label <= 0.0 => "a gamma label must be above 0; where there are zeros use --loss tweedie",
            _ => return Ok(()),
        };
        Err(Fault::new(Part::Label, message))
    }

    /// Checks that label and offset of a row, each of them finite, can be used together: a constant margin is one for
    /// labels less offsets, unless labels are classes or the link is a logarithm.
    pub(crate) fn check_offset(self, label: f64, offset: f64) -> Result<(), Fault> {
        if (label - offset).is_finite() || self.classifies() || self.variance_power().is_some() {
            return Ok(());
        }
        let message = "label and offset are too large: their difference overflows, divide both by the same number";
        Err(Fault::new(Part::Row, message))
    }

    /// Returns the loss φ(y, m) of margin `m` for encoded label `y`. Numerically stable for every finite margin.
    /// Costs O(1).
    #[inline]
    #[must_use]
    pub fn value(self, y: f64, m: f64) -> f64 {
        match self {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => logistic::value(y, m),
            Loss::Squared => squared::value(y, m),
            Loss::Huber { delta } => huber::value(delta, y, m),
            Loss::Absolute => (m - y).abs(),
            Loss::Quantile { tau } => quantile::value(tau, y, m),
            Loss::Hinge => hinge::value(y, m),
            Loss::SquaredHinge => hinge::squared_value(y, m),
            Loss::SmoothedHinge => hinge::smoothed_value(y, m),
            Loss::Poisson => count::value(1.0, y, m),
            Loss::Gamma => count::value(2.0, y, m),
            Loss::Tweedie { power } => count::value(power, y, m),
        }
    }

    /// Returns the derivative φ'(y, m) of the loss in the margin; a subgradient where φ is not differentiable. Costs
    /// O(1).
    #[inline]
    #[must_use]
    pub fn derivative(self, y: f64, m: f64) -> f64 {
        match self {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => logistic::derivative(y, m),
            Loss::Squared => squared::derivative(y, m),
            Loss::Huber { delta } => huber::derivative(delta, y, m),
            Loss::Absolute => 2.0 * quantile::derivative(0.5, y, m),
            Loss::Quantile { tau } => quantile::derivative(tau, y, m),
            Loss::Hinge => hinge::derivative(y, m),
            Loss::SquaredHinge => hinge::squared_derivative(y, m),
            Loss::SmoothedHinge => hinge::smoothed_derivative(y, m),
            Loss::Poisson => count::derivative(1.0, y, m),
            Loss::Gamma => count::derivative(2.0, y, m),
            Loss::Tweedie { power } => count::derivative(power, y, m),
        }
    }

    /// Returns the minimum of φ(y, ·) over all margins; 0 for losses without a log link.
    #[must_use]
    pub fn minimum(self, y: f64) -> f64 {
        self.variance_power().map_or(0.0, |power| count::least(power, y))
    }

    /// Returns the excess of the loss φ(y, m) over its minimum over margins; at least 0.
    #[inline(never)]
    pub(crate) fn excess(self, y: f64, m: f64) -> f64 {
        (self.value(y, m) - self.minimum(y)).max(0.0)
    }

    /// Returns the loss function to use after labels (and, without a log link, margins) have been divided by `unit`: δ
    /// of Huber is divided too. Its values are those of the original loss times a constant.
    pub(crate) fn in_units(self, unit: f64) -> Loss {
        match self {
            Loss::Huber { delta } if unit > 0.0 => Loss::Huber { delta: delta / unit },
            _ => self,
        }
    }

    /// Returns the loss minus its minimum over margins, at label `y` and the margin of each lane (one of the learners
    /// trained side by side), in f32.
    pub(crate) fn values(self, y: f64, margins: &Lanes) -> Lanes {
        match self {
            Loss::Logistic => logistic::values(y as f32, margins),
            _ => self.values_one_by_one(y, margins),
        }
    }

    /// Computes the result of [`values`](Loss::values) for losses other than logistic. A separate function keeps the
    /// inlined code for logistic loss short.
    #[inline(never)]
    fn values_one_by_one(self, y: f64, margins: &Lanes) -> Lanes {
        let least = self.minimum(y);
        Lanes(margins.0.map(|m| (self.value(y, m.into()) - least).max(0.0) as f32))
    }

    /// Returns the derivative φ' with respect to the margin, at label `y` and the margin of each lane (one of the
    /// learners trained side by side), in f32.
    pub(crate) fn derivatives(self, y: f64, margins: &Lanes) -> Lanes {
        match self {
            Loss::Logistic => logistic::derivatives(y as f32, margins),
            _ => self.derivatives_one_by_one(y, margins),
        }
    }

    #[inline(never)]
    fn derivatives_one_by_one(self, y: f64, margins: &Lanes) -> Lanes {
        Lanes(margins.0.map(|m| self.derivative(y, m.into()) as f32))
    }

    /// Returns the mean predicted at margin `m` (inverse link): the probability of the positive class for logistic
    /// loss, e^m with a log link, otherwise `m`. Hinge losses predict no mean; for them the margin is returned.
    #[inline]
    #[must_use]
    pub fn mean(self, m: f64) -> f64 {
        match self {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => logistic::mean(m),
            Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. } => count::mean(m),
            _ => m,
        }
    }

    /// Returns the second derivative φ''(y, m) in the margin, which is 0 where φ' jumps; `None` for piecewise-linear
    /// losses. Costs O(1).
    #[must_use]
    pub fn second_derivative(self, y: f64, m: f64) -> Option<f64> {
        Some(match self {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => logistic::mean(m) * logistic::mean(-m),
            Loss::Squared => 1.0,
            Loss::Huber { delta } => f64::from((m - y).abs() < delta),
            Loss::SquaredHinge => 2.0 * f64::from(y * m < 1.0),
            Loss::SmoothedHinge => f64::from((0.0..1.0).contains(&(y * m))),
            Loss::Poisson => libm::exp(m),
            Loss::Gamma => y * libm::exp(-m),
            Loss::Tweedie { power } => {
                let (p, q) = (power - 1.0, 2.0 - power);
                // The first product is left out for y = 0, because 0 times infinity is NaN.
                let of_label = if y > 0.0 { p * (y * libm::exp(-p * m)) } else { 0.0 };
                of_label + q * libm::exp(q * m)
            }
            Loss::Absolute | Loss::Quantile { .. } | Loss::Hinge => return None,
        })
    }

    /// Returns the Lipschitz constant in the margin, the least upper bound of \|φ'\|; `None` if φ' is unbounded.
    #[must_use]
    pub fn lipschitz(self) -> Option<f64> {
        match self {
            Loss::Logistic | Loss::Absolute | Loss::Hinge | Loss::SmoothedHinge => Some(1.0),
            Loss::Softmax | Loss::Ovr => Some(1.0),
            Loss::Huber { delta } => Some(delta),
            Loss::Quantile { tau } => Some(tau.max(1.0 - tau)),
            Loss::Squared | Loss::SquaredHinge | Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. } => None,
        }
    }

    /// Returns the smoothness constant in the margin, the least upper bound of φ''; `None` for losses that are not
    /// smooth or have a log link.
    #[must_use]
    pub fn smoothness(self) -> Option<f64> {
        match self {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => Some(0.25),
            Loss::Squared | Loss::Huber { .. } | Loss::SmoothedHinge => Some(1.0),
            Loss::SquaredHinge => Some(2.0),
            Loss::Absolute | Loss::Quantile { .. } | Loss::Hinge => None,
            Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. } => None,
        }
    }

    /// Returns the mean loss of the best constant margin (the same for all rows), given the mean and variance of the
    /// labels, where two classes are encoded as −1 and +1. `None` for losses for which mean and variance do not suffice
    /// (see [`LabelSketch`](crate::metrics::label_sketch::LabelSketch)).
    pub(crate) fn constant(self, mean: f64, variance: f64) -> Option<f64> {
        // Fraction of the smaller class.
        let share = 0.5 * (1.0 - mean.abs());
        Some(match self {
            Loss::Logistic | Loss::Softmax | Loss::Ovr => logistic::constant(mean),
            Loss::Squared => 0.5 * variance,
            Loss::Hinge => hinge::constant(share),
            Loss::SquaredHinge => hinge::squared_constant(share),
            Loss::SmoothedHinge => hinge::smoothed_constant(share),
            // These losses are linear in the label, so the result is the loss of the mean label at its own best
            // margin.
            Loss::Poisson | Loss::Gamma | Loss::Tweedie { .. } => self.minimum(mean),
            Loss::Huber { .. } | Loss::Absolute | Loss::Quantile { .. } => return None,
        })
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parameter() {
            Some((name, value)) => write!(f, "{}, {name} {value}", self.name()),
            None => f.write_str(self.name()),
        }
    }
}
