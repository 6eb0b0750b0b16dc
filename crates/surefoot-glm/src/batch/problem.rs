//! Batch training problem: the rows, the objective and the starting point. Also writes the optimum into a model.

use super::{
    optimum::{Ended, Examples, Goal, Optimum, optimise},
    scaling::Scaling,
};
use crate::{
    data::feature_groups::{Bounds, Rule},
    labels::label_set::Labels,
    model::{
        certificate::{Bound, Certificate, Subject},
        settings::{Penalty, PenaltyTerm, Settings},
        summary::PathPoint,
        trained_model::Model,
    },
    numeric::check::need,
};
use std::fmt;

/// Minimisation problem for the penalised mean loss over rows in memory, built by
/// [`Gathered::problem`](crate::Gathered::problem).
#[derive(Debug)]
pub struct Problem {
    pub(crate) settings: Settings,
    pub(crate) labels: Labels,
    pub(crate) examples: Examples,
    /// Number of rows of positive weight, in all shards.
    pub(crate) rows: usize,
    /// Index, in the feature list of the model, of the feature that each column of the rows holds.
    pub(crate) position: Vec<usize>,
    /// Penalty factor and bounds of the weight of each column as the optimiser sees it, after scaling; empty if all
    /// columns have factor 1 and the same bounds.
    pub(crate) rules: Vec<Rule>,
    /// Scales that the columns have been divided by under a standardised penalty; `None` under any other penalty.
    pub(crate) scaling: Option<Scaling>,
    /// Penalty factor and bounds of the weight of each column in the units of the data, before scaling.
    pub(crate) raw_rules: Vec<Rule>,
    /// Starting point of the search: the weights, column by column, and the intercepts.
    pub(crate) start: (Vec<f64>, Vec<f64>),
    /// Penalties tried by cross-validation, with their held-out losses; empty if no penalty was chosen.
    pub(crate) tried: Vec<PathPoint>,
}

impl Problem {
    /// Returns the settings, including the penalty chosen by cross-validation, if any.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the penalty term whose strength is to be chosen by cross-validation; `None` if the strengths are given.
    #[must_use]
    pub fn path(&self) -> Option<PenaltyTerm> {
        self.settings.penalty.path
    }

    /// Returns the column with the largest ratio |mean| / standard deviation, as its feature's index in the model and
    /// the ratio. A large ratio limits the accuracy of floating-point sums. `None` if no column varies, or if the rows
    /// are in shards. O(nonzeros).
    #[must_use]
    pub fn farthest_column(&self) -> Option<(usize, f64)> {
        /// Running mean and variance of one column. Values are taken relative to the first one, so that a constant
        /// column has a standard deviation of exactly 0.
        #[derive(Clone, Copy, Default)]
        struct Column {
            first: f64,
            rows: usize,
            share: f64,
            beyond: f64,
            square: f64,
        }
        if self.examples.is_in_shards() {
            return None;
        }
        let mut columns = vec![Column::default(); self.position.len()];
        let weights = (0..self.examples.len()).map(|i| self.examples.weight(i)).filter(|weight| *weight > 0.0);
        let (rows, total) = weights.fold((0, 0.0), |(rows, total), weight| (rows + 1, total + weight));
        self.each_nonzero(|column, weight, x| {
            let column = &mut columns[column];
            column.first = if column.rows == 0 { x } else { column.first };
            column.rows += 1;
            column.share += weight / total;
            column.beyond += weight / total * (x - column.first);
        });
        for column in &mut columns {
            column.share = if column.rows == rows { 1.0 } else { column.share };
            // From here on the mean minus the first value, zeros included.
            column.beyond -= (1.0 - column.share) * column.first;
        }
        self.each_nonzero(|column, weight, x| {
            let column = &mut columns[column];
            column.square += weight / total * ((x - column.first) - column.beyond).powi(2);
        });
        let ratio = |column: &Column| {
            let mean = column.first + column.beyond;
            mean.abs() / (column.square + (1.0 - column.share) * mean * mean).sqrt()
        };
        let ratios = self.position.iter().zip(&columns).map(|(&at, column)| (at, ratio(column)));
        ratios.filter(|(_, ratio)| ratio.is_finite()).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Calls `visit` with column, row weight and value of each nonzero in rows of positive weight.
    fn each_nonzero(&self, mut visit: impl FnMut(usize, f64, f64)) {
        for i in (0..self.examples.len()).filter(|&i| self.examples.weight(i) > 0.0) {
            let (weight, (columns, values)) = (self.examples.weight(i), self.examples.row(i));
            columns.iter().zip(values).for_each(|(&column, x)| visit(column as usize, weight, *x));
        }
    }

    pub(crate) fn goal(&self, penalty: &Penalty, tolerance: f64, threads: usize) -> Goal<'_> {
        Goal {
            loss: self.settings.loss,
            classes: self.labels.classes.len(),
            l1: penalty.l1,
            l2: penalty.l2,
            bounds: penalty.bounds,
            rules: &self.rules,
            intercept: self.settings.intercept,
            tolerance,
            threads,
        }
    }

    /// Minimises the objective until the relative duality gap is certified to be at most `tolerance`, or until another
    /// reason of [`Ended`] applies. `stop` and `each` are the callbacks of [`optimise`]. Returns `None` if no row has
    /// positive weight.
    #[must_use]
    pub fn search(
        &self,
        tolerance: f64,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
        each: &mut dyn FnMut(&Optimum),
    ) -> Option<Optimum> {
        let goal = self.goal(&self.settings.penalty, tolerance, threads);
        optimise(&self.examples, &goal, (&self.start.0, &self.start.1), stop, each)
    }

    /// Writes the optimum into the model that the problem was built from: weights, intercepts, certificate, penalty and
    /// regularisation path. Features that occur in none of the rows keep their weights if there is no penalty; under a
    /// penalty they get their optimal weight 0.
    ///
    /// # Errors
    /// A message, if the sizes of `found` or `model` differ from those of this problem; the model is then unchanged.
    pub fn place(&self, found: &Optimum, model: &mut Model) -> Result<(), String> {
        let width = model.intercept.len();
        let fits = self.start.1.len() == width
            && model.index.len().checked_mul(width) == Some(model.weight.len())
            && self.position.iter().all(|&at| at < model.index.len());
        need(fits, "the model is not the one that the search began with")?;
        let own = found.intercept.len() == width && found.weights.len() == self.position.len() * width;
        need(own, "the optimum is that of another search")?;
        if !self.settings.is_unpenalised() {
            // Features that do not occur in these rows: 0 at the optimum.
            model.weight.fill(0.0);
        }
        for (column, (weights, &at)) in found.weights.chunks(width.max(1)).zip(&self.position).enumerate() {
            let bounds = self.raw_rules.get(column).map_or(self.settings.penalty.bounds, |rule| rule.bounds);
            let raw = |w: f64| self.scaling.as_ref().map_or(w, |scaling| scaling.weight(column, w, bounds));
            model.weight[at * width..][..width].iter_mut().zip(weights).for_each(|(to, w)| *to = raw(*w));
        }
        model.intercept.copy_from_slice(&found.intercept);
        model.certificates = vec![self.certificate(found)];
        model.settings.penalty = self.settings.penalty;
        model.summary.path.clone_from(&self.tried);
        Ok(())
    }

    /// Returns the reason why the optimum should not be used as a model: without a penalty, separable labels or more
    /// weights than rows. `None` if there is no such reason.
    #[must_use]
    pub fn caution(&self, found: &Optimum) -> Option<Caution> {
        if self.settings.penalty.l1 > 0.0 || self.settings.penalty.l2 > 0.0 {
            return None;
        }
        let rows = self.rows;
        let weights = self.position.len() + usize::from(self.settings.intercept);
        match found.ended {
            Ended::Unattained => Some(Caution::Separable),
            _ if weights > rows => Some(Caution::MoreWeightsThanRows { weights, rows }),
            _ => None,
        }
    }

    /// Builds the certificate of an optimum: its duality gap as the bound, or, without a gap, the reason why there is
    /// no bound.
    fn certificate(&self, found: &Optimum) -> Certificate {
        let penalty = self.settings.penalty;
        if let Some(gap) = found.gap {
            return Certificate::Deterministic(Bound {
                subject: Subject::Excess,
                value: gap,
                relative: found.relative_gap(),
                delta: None,
                weighted: false,
                comparator: Some(comparator(&self.settings)),
                assumptions: Vec::new(),
            });
        }
        if let Some(caution) = self.caution(found) {
            return Certificate::none(format!("{caution}; --l2 auto chooses a penalty, --l2 X sets one"));
        }
        let unpenalised = penalty.l1 == 0.0 && penalty.l2 == 0.0;
        Certificate::none(match found.ended {
            Ended::Unattained => "the loss falls for ever along weights that nothing holds, and no model has the least",
            Ended::Decrement if unpenalised => {
                "without a penalty --tol only ends the search and bounds nothing; --l2 X gives a certificate"
            }
            Ended::Decrement => {
                "weights that nothing holds (--penalty-factor 0) have no certificate here: the search ends where another Newton \
                 step would gain less than --tol; a factor above 0 gives one"
            }
            _ if unpenalised => "without a penalty no dual point bounds the objective; --l2 X gives a certificate",
            _ => "the search ended before a dual point bounded the objective",
        })
    }
}

/// Reason why the optimum of an unpenalised problem should not be used as a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caution {
    /// Linearly separable labels: the loss keeps decreasing as the weights grow, and has no minimum.
    Separable,
    /// More weights than rows, so that the rows do not determine the weights.
    MoreWeightsThanRows {
        /// Number of weights, including the intercept.
        weights: usize,
        /// Number of rows of positive weight.
        rows: usize,
    },
}

impl fmt::Display for Caution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caution::Separable => write!(
                f,
                "the labels are separable: the loss falls for ever as weights without a penalty grow, no model has the least, and this \
                 one is far too certain of new rows to be used as it is"
            ),
            Caution::MoreWeightsThanRows { weights, rows } => write!(
                f,
                "{weights} weights without a penalty are not determined by {rows} rows: the model fits their noise, and is not to be \
                 used as it is"
            ),
        }
    }
}

/// Words appended to the description of the models that a certificate compares with, if the penalty is standardised.
const STANDARDIZED: &str = ", penalties of weights times the largest |x| of their columns";

/// Describes in words the set of models that a certificate compares the optimum with, such as "every model with weights
/// of at least 0".
fn comparator(settings: &Settings) -> String {
    let penalty = settings.penalty;
    let bounded = !penalty.bounds.is_free() || !settings.groups.bounds.is_empty();
    let over = match (bounded, penalty.bounds == Bounds::NONNEGATIVE && settings.groups.bounds.is_empty()) {
        (_, true) => "every model with weights of at least 0",
        (true, false) => "every model with weights within their bounds",
        (false, false) => "every model",
    };
    let units = if penalty.standardize && penalty.l1 + penalty.l2 > 0.0 { STANDARDIZED } else { "" };
    format!("{over}{units}")
}
