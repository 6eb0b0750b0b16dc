//! What a user may choose, split by how long it is remembered.

use super::summary::PathPoint;
use crate::{
    data::{
        feature_groups::{Bounds, FeatureGroups},
        schema::Schema,
    },
    labels::class_weights::ClassWeights,
    loss::Loss,
};
use serde::{Deserialize, Serialize};

/// What prediction and further training need to know: stored in every model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The loss.
    #[serde(flatten)]
    pub loss: Loss,
    /// Whether an intercept is learnt.
    pub intercept: bool,
    /// How its rows are read.
    #[serde(flatten)]
    pub reading: Schema,
    /// The ball that the model stays in, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<Ball>,
    /// How much the rows of each class count, where that is not only by their weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_weights: Option<ClassWeights>,
    /// What large weights cost, and which there may be.
    #[serde(flatten)]
    pub penalty: Penalty,
    /// For which features that is otherwise.
    #[serde(flatten)]
    pub groups: FeatureGroups,
}

impl Settings {
    /// Whether no weight costs anything, and any is allowed.
    #[must_use]
    pub fn is_unpenalised(&self) -> bool {
        self.penalty.is_none() && self.groups.bounds.is_empty()
    }
}

/// The objective is the weighted mean loss + l1·‖w‖₁ + (l2/2)·‖w‖², where w holds the weights of the raw values and not the
/// intercept, which is free; or, *standardized*, w_j·M_j in place of each weight w_j, where M_j is the largest |x_j| of the rows
/// that are learnt from: then no penalty depends on the units that columns are measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Penalty {
    /// The factor of the sum of sizes, at least 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l1: f64,
    /// The factor of half the sum of squares, at least 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l2: f64,
    /// Between what weights have to be.
    #[serde(default, skip_serializing_if = "Bounds::is_free")]
    pub bounds: Bounds,
    /// The factor that is chosen by losses in the first pass, if one is: what is given for it does not matter then, and in a
    /// model it is the one that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Axis>,
    /// Whether l1 and l2 are factors of w_j·M_j in place of w_j. Bounds are those of w_j all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub standardize: bool,
}

impl Axis {
    /// The penalties of a path in its unit, from the largest on: two to a decade, over eight decades.
    pub(crate) fn shares() -> impl ExactSizeIterator<Item = f64> {
        (0..17).map(|step| libm::exp10(-f64::from(step) / 2.0))
    }

    /// A penalty with this factor in place of its own.
    pub(crate) fn of(self, penalty: Penalty, strength: f64) -> Penalty {
        match self {
            Axis::L1 => Penalty { l1: strength, ..penalty },
            Axis::L2 => Penalty { l2: strength, ..penalty },
        }
    }
}

/// Which penalty of a path is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Select {
    /// That of the least held-out loss.
    #[default]
    Min,
    /// The heaviest whose loss is within one standard error of the least.
    OneSe,
}

impl Select {
    /// The point of a path, which goes from the heaviest penalty on.
    pub(crate) fn of(self, path: &[PathPoint]) -> Option<&PathPoint> {
        let least = path.iter().min_by(|a, b| a.loss.total_cmp(&b.loss))?;
        let enough = match self {
            Select::Min => least.loss,
            Select::OneSe => least.loss + least.error.unwrap_or(0.0),
        };
        path.iter().find(|point| point.loss <= enough)
    }

    fn is_default(&self) -> bool {
        *self == Select::default()
    }
}

/// A factor of the [`Penalty`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Of the sum of sizes.
    L1,
    /// Of half the sum of squares.
    L2,
}

impl Penalty {
    /// Whether there is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Penalty { standardize: self.standardize, ..Penalty::default() }
    }
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// A domain: the mean loss is minimised over all models with ‖w‖₂ ≤ `radius`, where w holds the weights of the raw
/// values and the intercept, a coordinate like any other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// The radius.
    pub radius: f64,
    /// No row is longer than this, in the Euclidean norm and with the constant 1 of the intercept: what a certificate from
    /// one pass over fresh rows needs to know beforehand. A row that is longer is refused, and so is a weight above 1.
    pub row_norm: Option<f64>,
    /// The probability with which what such certificates say, taken together, may be false.
    pub delta: f64,
}

/// The bounds that hold for every model of a [`Ball`] on every row as declared: no margin is larger than radius·row_norm, and a loss of labels
/// ±1 is least and largest there, on the right and the wrong side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossBounds {
    /// The largest size of a margin.
    pub margin: f64,
    /// The least loss.
    pub least: f64,
    /// The largest loss.
    pub largest: f64,
    /// The largest size of the derivative of the loss in the margin.
    pub max_derivative: f64,
}

impl Ball {
    /// The extremes of `loss` over the ball; `None` where no `row_norm` is declared, or where labels are numbers, which have no bound
    /// that is known beforehand. O(1).
    #[must_use]
    pub fn loss_bounds(&self, loss: Loss) -> Option<LossBounds> {
        let margin = self.radius * self.row_norm.filter(|_| loss.classifies())?;
        let max_derivative = loss.lipschitz().unwrap_or_else(|| loss.derivative(-1.0, margin).abs());
        Some(LossBounds { margin, least: loss.value(1.0, margin), largest: loss.value(-1.0, margin), max_derivative })
    }
}

impl Default for Settings {
    fn default() -> Self {
        let (reading, penalty, groups) = Default::default();
        Settings { loss: Loss::Logistic, intercept: true, reading, ball: None, class_weights: None, penalty, groups }
    }
}

/// How the rows of one call are used: stored in an unfinished model only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Times over the data, at least 1.
    pub passes: u32,
    /// With several passes, every this-many-th row of positive weight is held out; `None` holds out nothing.
    pub holdout: Option<u32>,
    /// After the passes the optimum is sought, over all rows, until its relative gap is certified to be within this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<f64>,
    /// Which penalty is taken, where one is chosen by optima.
    #[serde(default, skip_serializing_if = "Select::is_default")]
    pub select: Select,
}

impl Plan {
    /// One pass over the rows, nothing held out.
    pub const ONE_PASS: Plan = Plan { passes: 1, holdout: Some(10), optimum: None, select: Select::Min };

    /// The period of the hold-out, if rows are held out at all: only when there is more than one pass.
    #[must_use]
    pub fn period(&self) -> Option<u64> {
        self.holdout.filter(|_| self.passes > 1).map(u64::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No margin of the ball has a loss or a derivative beyond the extremes, which are met at the ends.
    #[test]
    fn no_model_of_a_ball_is_beyond_the_extremes() {
        let ball = Ball { radius: 1.5, row_norm: Some(2.0), delta: 0.1 };
        for loss in [Loss::Logistic, Loss::Hinge, Loss::SquaredHinge, Loss::SmoothedHinge] {
            let found = ball.loss_bounds(loss).expect("a bound on rows");
            assert_eq!(found.margin, 3.0);
            for (y, step) in [-1.0, 1.0].into_iter().flat_map(|y| (-300..=300).map(move |step| (y, step))) {
                let m = f64::from(step) / 100.0;
                let (value, derivative) = (loss.value(y, m), loss.derivative(y, m).abs());

                assert!((found.least..=found.largest).contains(&value), "{loss:?} {y} {m}: {value} {found:?}");
                assert!(derivative <= found.max_derivative, "{loss:?} {y} {m}: {derivative} {found:?}");
            }
            assert!(found.max_derivative <= 1.1 * loss.derivative(-1.0, 3.0).abs(), "{loss:?}");
        }
    }

    #[test]
    fn extremes_need_a_bound_on_rows_and_labels_that_are_classes() {
        let ball = |row_norm| Ball { radius: 1.0, row_norm, delta: 0.1 };

        assert_eq!(ball(None).loss_bounds(Loss::Logistic), None);
        assert_eq!(ball(Some(1.0)).loss_bounds(Loss::Squared), None);
    }
}
