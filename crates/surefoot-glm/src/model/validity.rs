//! Validation of models: checks of every number against its range.
//!
//! Model files may come from anybody: checksums show that a file is complete, not that its numbers make sense. So
//! every number is checked against its range when a model is read, and before a model is written. A valid model can
//! be used for prediction, inspection and further training without a panic.

use super::{
    certificate::{Bound, Certificate},
    settings::{Ball, Penalty, Plan, Settings},
    summary::{Lane, PathPoint, Summary},
    trained_model::Model,
};
use crate::numeric::check::{MOST_ROWS, all_finite, is_magnitude, need};
use crate::{
    data::schema::Schema,
    labels::{class_weights::ClassWeights, label_set::Labels},
    loss::Loss,
};

fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

fn is_probability(x: f64) -> bool {
    x > 0.0 && x < 1.0
}

impl Model {
    /// Checks all parts of the model other than the learner's state.
    pub(crate) fn check_parts(&self) -> Result<(), String> {
        self.check_prediction()?;
        self.summary.check()?;
        self.certificates.iter().try_for_each(Certificate::check)
    }

    /// Checks the parts of the model on which prediction relies.
    pub(crate) fn check_prediction(&self) -> Result<(), String> {
        self.settings.check_ranges()?;
        self.labels.check(self.settings.loss)?;
        self.check_vectors()
    }

    /// Checks a model whose weights are the initial values for computing the optimum. Weights may be infinite or NaN:
    /// the search then starts elsewhere.
    pub(crate) fn check_start(&self) -> Result<(), String> {
        self.settings.check_ranges()?;
        self.labels.check(self.settings.loss)?;
        self.check_lengths()
    }

    fn check_lengths(&self) -> Result<(), String> {
        let classes = &self.labels.classes;
        let columns = if self.settings.loss.is_multiclass() { classes.len() } else { 1 };
        if self.intercept.len() != columns {
            return Err(format!("{} classes and {} intercepts", classes.len(), self.intercept.len()));
        }
        if self.index.len().checked_mul(columns) != Some(self.weight.len()) {
            return Err(format!("{} indices and {} weights", self.index.len(), self.weight.len()));
        }
        need(self.index.is_sorted_by(|a, b| a < b), "the indices do not ascend")
    }

    fn check_vectors(&self) -> Result<(), String> {
        self.check_lengths()?;
        need(all_finite(&self.intercept, f64::is_finite), "an intercept is not finite")?;
        match all_finite(&self.weight, f64::is_finite) {
            true => Ok(()),
            false => Err(self.infinite_weight(self.intercept.len())),
        }
    }

    fn infinite_weight(&self, columns: usize) -> String {
        let at = self.weight.iter().position(|weight| !weight.is_finite()).unwrap_or(0);
        let id = self.index.get(at / columns.max(1)).copied().unwrap_or(0);
        let name = self.names.of(id).map_or_else(|| id.to_string(), |name| name.escape_debug().to_string());
        format!("the weight of feature '{name}' is not finite: its values are out of all proportion to the labels")
    }
}

impl Loss {
    pub(crate) fn check_parameter(self) -> Result<(), String> {
        let sound = match self {
            Loss::Huber { delta } => is_positive(delta),
            Loss::Quantile { tau } => is_probability(tau),
            Loss::Tweedie { power } => power > 1.0 && power < 2.0,
            _ => true,
        };
        need(sound, "the parameter of the loss is out of its range")
    }

    /// Whether `y` is a valid encoded label for the loss: −1, +1 or a proportion between them for binary losses, a
    /// class number below `classes` for multiclass losses, and in regression a number that passes
    /// [`check`](Loss::check).
    pub(crate) fn takes(self, y: f64, classes: usize) -> bool {
        match self {
            _ if self.is_multiclass() => y >= 0.0 && y < classes as f64 && y.fract() == 0.0,
            _ if self.classifies() => y.abs() <= 1.0,
            _ => y.is_finite() && self.check(y).is_ok(),
        }
    }
}

impl Plan {
    pub(crate) fn check(&self) -> Result<(), String> {
        need(self.passes > 0, "there are no passes")?;
        need(self.holdout != Some(0), "every 0th row is held out, which is none: leave holding out away instead")?;
        need(self.optimum.is_none_or(is_magnitude), "the tolerance of the optimum is out of its range")
    }
}

impl Settings {
    /// Checks that every number is within its range, and that loss, ball and feature groups can be combined.
    ///
    /// # Errors
    /// Returns a message that names the first invalid setting.
    pub fn check_ranges(&self) -> Result<(), String> {
        self.loss.check_parameter()?;
        need(self.ball.is_none() || !self.loss.is_multiclass(), "a ball with a loss of more than two classes")?;
        self.ball.as_ref().map_or(Ok(()), Ball::check)?;
        self.penalty.check()?;
        if let Some(ClassWeights::Given(pairs)) = &self.class_weights {
            need(pairs.iter().all(|(_, weight)| is_magnitude(*weight)), "the weight of a class is out of its range")?;
        }
        let factors = self.groups.factors.iter().map(|(_, factor)| *factor);
        need(factors.into_iter().all(is_magnitude), "the factor of a penalty is out of its range")?;
        need(u32::try_from(self.groups.count()).is_ok(), "too many groups of features")?;
        self.reading.check()
    }
}

impl Ball {
    fn check(&self) -> Result<(), String> {
        let norm = self.row_norm.is_none_or(is_positive);
        // Certificates split δ into parts; parts of a subnormal δ would be 0.
        let delta = is_probability(self.delta) && self.delta >= f64::MIN_POSITIVE;
        need(is_positive(self.radius) && norm && delta, "the ball is out of its range")
    }
}

impl Penalty {
    pub(crate) fn check(&self) -> Result<(), String> {
        need(is_magnitude(self.l1) && is_magnitude(self.l2), "the penalty is out of its range")
    }
}

impl Schema {
    fn check(&self) -> Result<(), String> {
        need(self.index_base <= 1, "indices begin with neither 0 nor 1")?;
        need(self.bits.is_none_or(|bits| (1..=64).contains(&bits)), "the bits of hashed ids are out of their range")?;
        need(self.table.means.values().all(|mean| mean.is_finite()), "the mean of a column is not finite")?;
        let codes = || self.classes.iter().map(|class| class.code);
        need(codes().all(f64::is_finite) && codes().is_sorted_by(|a, b| a < b), "the codes of classes do not ascend")?;
        need(self.classes.is_sorted_by(|a, b| a.text < b.text), "the texts of classes do not ascend")
    }
}

impl Labels {
    fn check(&self, loss: Loss) -> Result<(), String> {
        let two = [self.negative, self.positive].into_iter().flatten();
        need(two.chain(self.classes.iter().copied()).all(f64::is_finite), "a label is not finite")?;
        need(self.classes.is_sorted_by(|a, b| a < b), "the labels of classes do not ascend")?;
        let kind =
            if loss.is_multiclass() { self.negative.or(self.positive).is_none() } else { self.classes.is_empty() };
        need(kind, "the labels are not those of the loss")?;
        need(!self.shares || loss == Loss::Logistic, "labels are shares, which only the logistic loss takes")?;
        let distinct = self.negative.is_none() || self.negative != self.positive;
        need(distinct, "both classes have the same label")
    }
}

impl Summary {
    fn check(&self) -> Result<(), String> {
        let counts = [self.rows, self.rows_zero_weight, self.nnz];
        need(counts.iter().all(|count| *count <= MOST_ROWS), "a counter of rows is out of its range")?;
        need(is_magnitude(self.weight), "the weight of the rows is out of its range")?;
        let numbers = [self.loss, self.loss_constant, self.lane];
        need(numbers.into_iter().flatten().all(f64::is_finite), "a loss is not finite")?;
        need(self.order.is_none_or(|alarm| alarm.is_sound()), "an alarm about the order of rows is none")?;
        need(self.lanes.iter().all(Lane::is_sound), "the share of a lane is out of its range")?;
        let constant = self.constant_lane.is_none_or(|lane| is_share(lane.share, lane.coefficient));
        need(constant, "the share of the constant prediction is out of its range")?;
        need(self.path.iter().all(PathPoint::is_sound), "a penalty that was tried is out of its range")
    }
}

impl Lane {
    fn is_sound(&self) -> bool {
        is_positive(self.scale) && is_magnitude(self.statistic) && is_share(self.share, self.coefficient)
    }
}

/// Whether the share of a member of the mixture, and its coefficient if there is one, are within their ranges.
fn is_share(share: f64, coefficient: Option<f64>) -> bool {
    (0.0..=1.0).contains(&share) && coefficient.is_none_or(f64::is_finite)
}

impl PathPoint {
    /// Whether all numbers are within their ranges.
    pub(crate) fn is_sound(&self) -> bool {
        is_magnitude(self.l1) && is_magnitude(self.l2) && self.loss.is_finite()
    }
}

impl Certificate {
    fn check(&self) -> Result<(), String> {
        let Some(Bound { value, relative, delta, .. }) = self.bound() else { return Ok(()) };
        let sound = value.is_finite() && relative.is_none_or(f64::is_finite) && delta.is_none_or(is_probability);
        need(sound, "a certificate is out of its range")
    }
}
