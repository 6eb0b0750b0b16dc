//! Settings of training: [`Settings`], which every model stores, and [`Plan`], which is stored only while a run is
//! unfinished.

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

/// Settings of a model that prediction and further training need; every model stores them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Loss function that training minimises.
    #[serde(flatten)]
    pub loss: Loss,
    /// Whether the model has an intercept.
    pub intercept: bool,
    /// Schema of the data, by which rows are read from input.
    #[serde(flatten)]
    pub reading: Schema,
    /// Ball around 0 to which the weights are constrained; `None` if there is no such constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<Ball>,
    /// Class weights, by which row weights are multiplied; `None` if all factors are 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_weights: Option<ClassWeights>,
    /// Penalty on the weights, and bounds within which weights lie.
    #[serde(flatten)]
    pub penalty: Penalty,
    /// Penalty factors and weight bounds for named groups of features.
    #[serde(flatten)]
    pub groups: FeatureGroups,
}

impl Settings {
    /// True if there is no penalty, and no weight is bounded.
    #[must_use]
    pub fn is_unpenalised(&self) -> bool {
        self.penalty.is_none() && self.groups.bounds.is_empty()
    }
}

/// Penalty on the weights, and bounds of the weights. The objective is the weighted mean loss + l1·‖w‖₁ + (l2/2)·‖w‖²,
/// where w contains the weights for raw feature values, but not the intercept. A *standardized* penalty has w_j·M_j in
/// place of each w_j, where M_j is the largest |x_j| of the rows learnt; this makes penalties independent of the units
/// of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Penalty {
    /// Factor l1 of the penalty term l1·‖w‖₁, at least 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l1: f64,
    /// Factor l2 of the penalty term (l2/2)·‖w‖², at least 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub l2: f64,
    /// Bounds of the weights of all features that have no bounds by [group](Settings::groups).
    #[serde(default, skip_serializing_if = "Bounds::is_free")]
    pub bounds: Bounds,
    /// Penalty term whose factor is chosen by comparing losses along a path (a grid of factors); `None` if both
    /// factors are given. The given factor of this term is ignored; in a trained model it holds the chosen factor.
    #[serde(rename = "penalty_path", default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PenaltyTerm>,
    /// Whether the penalty is standardized, that is, applies to w_j·M_j in place of w_j. Bounds always apply to w_j.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub standardize: bool,
}

impl PenaltyTerm {
    /// Returns the grid of penalties (the path) as multiples of the largest penalty: from 1 down to 1e-8, two per
    /// decade.
    pub(crate) fn shares() -> impl ExactSizeIterator<Item = f64> {
        (0..17).map(|step| libm::exp10(-f64::from(step) / 2.0))
    }

    /// Returns `penalty` with the factor of this term replaced by `strength`.
    pub(crate) fn of(self, penalty: Penalty, strength: f64) -> Penalty {
        match self {
            PenaltyTerm::L1 => Penalty { l1: strength, ..penalty },
            PenaltyTerm::L2 => Penalty { l2: strength, ..penalty },
        }
    }
}

/// Rule by which a penalty is chosen from a path (a grid of penalties).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Select {
    /// Chooses the penalty with the least held-out loss.
    #[default]
    Min,
    /// Chooses the heaviest penalty whose held-out loss is within one standard error of the least.
    OneSe,
}

impl Select {
    /// Returns the point that this rule chooses from a path, which is sorted from the heaviest penalty to the
    /// lightest; `None` if it is empty.
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

/// Term of the [`Penalty`], whose factor can be chosen from a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PenaltyTerm {
    /// The term l1·‖w‖₁.
    L1,
    /// The term (l2/2)·‖w‖².
    L2,
}

impl Penalty {
    /// True if the penalty is 0 and no weight is bounded.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Penalty { standardize: self.standardize, ..Penalty::default() }
    }
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// Ball constraint: training minimises the mean loss over all models with ‖w‖₂ ≤ `radius`, where w contains the
/// weights for raw feature values and the intercept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ball {
    /// Radius of the ball, the largest allowed Euclidean norm of weights and intercept.
    pub radius: f64,
    /// Declared bound on the Euclidean norm of rows, including the constant 1 for the intercept; `None` if none is
    /// declared. A certificate from one pass over fresh rows needs this bound. Rows with a larger norm are refused,
    /// and so are row weights above 1.
    pub row_norm: Option<f64>,
    /// Failure probability δ of all certificates that rely on `row_norm`, taken jointly.
    pub delta: f64,
}

/// Bounds on margins, losses and derivatives for all models in a [`Ball`] and all rows whose norm is at most the
/// declared `row_norm`. Margins satisfy |margin| ≤ radius·row_norm, and losses of the labels ±1 are extreme at the
/// ends of this range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossBounds {
    /// Largest absolute margin that any model in the ball can give to a row.
    pub margin: f64,
    /// Least loss that any model in the ball can have on a row.
    pub least: f64,
    /// Largest loss that any model in the ball can have on a row.
    pub largest: f64,
    /// Largest absolute derivative of the loss with respect to the margin, over the same models and rows.
    pub max_derivative: f64,
}

impl Ball {
    /// Returns the bounds of `loss` over the ball; `None` if no `row_norm` is declared, and in regression, where
    /// losses have no bound known beforehand. Costs O(1).
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

/// Plan of a training run: number of passes, hold-out, and computation of the optimum. Only unfinished models store
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Number of passes (epochs) over the data, at least 1.
    pub passes: u32,
    /// Period K of the hold-out: in a run of several passes, every K-th row of positive weight is held out. `None` if
    /// no rows are held out.
    pub holdout: Option<u32>,
    /// Relative tolerance of the optimum, which is computed over all rows after the passes and certified; `None` if it
    /// is not computed.
    #[serde(rename = "tol", default, skip_serializing_if = "Option::is_none")]
    pub optimum: Option<f64>,
    /// Rule by which a penalty is chosen, if one is chosen from a path of optima.
    #[serde(default, skip_serializing_if = "Select::is_default")]
    pub select: Select,
}

impl Plan {
    /// Plan of a run with a single pass over the rows, in which no row is held out.
    pub const ONE_PASS: Plan = Plan { passes: 1, holdout: Some(10), optimum: None, select: Select::Min };

    /// Returns the period K of the hold-out (every K-th row is held out); `None` if no rows are held out, as in a
    /// single pass.
    #[must_use]
    pub fn period(&self) -> Option<u64> {
        self.holdout.filter(|_| self.passes > 1).map(u64::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that no margin within radius·row_norm has a loss or derivative beyond the [`LossBounds`], and that the
    /// bounds are attained at the ends of this range.
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
