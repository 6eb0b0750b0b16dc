//! Evaluation of a model on labelled rows, row by row, for every loss.

use super::{ClassMetrics, Measured, Metrics, PlotData};
use crate::{
    data::{
        fault::{Fault, Part},
        rows::{Row, check_weight},
    },
    loss::Loss,
    model::{
        predictor::{Predictor, RowMargins},
        trained_model::Model,
    },
    shards::Partial,
};
use std::sync::Arc;

/// Evaluates a model on labelled rows: predicts each row, and accumulates [`Metrics`] for a model with one margin, or
/// [`ClassMetrics`] for a multiclass model.
///
/// ```
/// use surefoot_glm::{Batch, Loss, Plan, Settings, Tally, Trainer};
/// let mut batch = Batch::default();
/// (0..60).for_each(|t| batch.push(Some(f64::from(t % 3)), 1.0, &[(t % 3, 1.0)].map(|(j, x)| (j as u64, x))));
/// let mut trainer = Trainer::new(Settings { loss: Loss::Softmax, ..Settings::default() }, Plan::ONE_PASS);
/// trainer.learn(&batch, 0, batch.len()).unwrap();
/// let model = trainer.model();
/// let mut tally = Tally::new(&model);
/// for r in 0..batch.len() {
///     let row = batch.row(r);
///     tally.add(model.labels.encode(row.label.unwrap()).unwrap(), &row).unwrap();
/// }
/// assert_eq!(tally.measured().accuracy, Some(1.0));
/// ```
#[derive(Debug)]
pub struct Tally {
    loss: Loss,
    predictor: Arc<Predictor>,
    metrics: Kind,
    /// Buffer for the margins of the current row.
    scores: RowMargins,
}

#[derive(Debug)]
enum Kind {
    One(Box<Metrics>),
    Many(Box<ClassMetrics>),
}

impl Tally {
    /// Prepares an evaluation of `model`, to which rows are then added. Costs O(features).
    #[must_use]
    pub fn new(model: &Model) -> Tally {
        Tally::of(model.settings.loss, Arc::new(Predictor::new(model)))
    }

    /// Prepares an evaluation of the model whose weights `predictor` holds.
    pub(crate) fn of(loss: Loss, predictor: Arc<Predictor>) -> Tally {
        let metrics = match loss.is_multiclass() {
            true => Kind::Many(Box::new(ClassMetrics::new(loss))),
            false => Kind::One(Box::new(Metrics::new(loss))),
        };
        Tally { loss, predictor, metrics, scores: RowMargins::default() }
    }

    /// Returns an evaluation of the same model to which no rows have been added. O(1).
    #[must_use]
    pub fn anew(&self) -> Tally {
        Tally::of(self.loss, Arc::clone(&self.predictor))
    }

    /// Returns the sums of the rows added so far, as a partial result of a shard.
    pub(super) fn sums(&mut self) -> Partial {
        match &mut self.metrics {
            Kind::One(metrics) => metrics.sums(),
            Kind::Many(metrics) => metrics.sums(),
        }
    }

    /// Returns the margins of the rows added so far, or if not `exact` their histogram, as a partial result of a shard.
    pub(super) fn ranking(self, exact: bool) -> Partial {
        match self.metrics {
            Kind::One(metrics) => metrics.into_ranking(exact),
            Kind::Many(_) => Partial::default(),
        }
    }

    /// Adds a row with the encoded label `y` (for classification the result of
    /// [`Labels::encode`](crate::Labels::encode)). A row of weight 0 is only counted, whatever its label. Returns the
    /// number of the row's features that are unseen in training. Costs O(nonzeros · margins).
    ///
    /// # Errors
    /// Returns the errors of [`Predictor::score`], and a fault for a label outside the domain of the loss or a weight
    /// outside 1e-300 to 1e240.
    pub fn add(&mut self, y: f64, row: &Row<'_>) -> Result<usize, Fault> {
        let mut unseen = 0;
        if row.weight != 0.0 {
            check_weight(row.weight)?;
            if !self.loss.takes(y, self.predictor.columns_of_classes()) {
                return Err(Fault::new(Part::Label, "not a label of the model's loss"));
            }
        }
        match &mut self.metrics {
            Kind::One(metrics) if row.weight == 0.0 => metrics.add(0.0, 0.0, 0.0),
            Kind::Many(metrics) if row.weight == 0.0 => metrics.add(0, 0.0, &[]),
            Kind::One(metrics) => {
                let scored = self.predictor.score(row)?;
                unseen = scored.unseen;
                metrics.add(y, row.weight, scored.margin);
            }
            Kind::Many(metrics) => {
                self.predictor.score_classes(row, &mut self.scores)?;
                unseen = self.scores.unseen;
                metrics.add(y as usize, row.weight, &self.scores.margins);
            }
        }
        Ok(unseen)
    }

    /// Whether the feature `id` was seen in the training of the model.
    #[must_use]
    pub fn knows(&self, id: u64) -> bool {
        self.predictor.knows(id)
    }

    /// Returns the metrics of the rows added so far.
    #[must_use]
    pub fn measured(&self) -> Measured {
        match &self.metrics {
            Kind::One(metrics) => metrics.measured(),
            Kind::Many(metrics) => metrics.measured(),
        }
    }

    /// Returns the data for plots of the rows added so far.
    #[must_use]
    pub fn plot_data(&self) -> PlotData {
        match &self.metrics {
            Kind::One(metrics) => metrics.plot_data(),
            Kind::Many(metrics) => metrics.plot_data(),
        }
    }
}
