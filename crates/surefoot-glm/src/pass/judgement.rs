//! Detects rows in an order that makes the printed loss meaningless, such as sorted data.
//!
//! A loss of rows as they come, each scored before it is learnt, says how good the model is if late rows are like early
//! ones. Of rows that come sorted it says nothing: a learner that sees one class for long predicts that class, is right,
//! and forgets the others. So a bounded sample of the rows is kept while a run lasts, and the model it ends with is scored on them:
//! on all rows of a small set, and on a uniform sample of a large one.
//!
//! The *alarm*: the mean loss of the model over the rows of the run exceeds the printed one by more than [`ERRORS`] standard
//! errors and by more than [`SHARE`] of what the best constant loses above a model that gives each row its least loss. Where
//! only a sample was scored, three standard errors of its own noise come on top.

mod constant;
mod verdict;

use super::{
    order::{OrderMonitor, sample::RowSample},
    row_loop::RowLoop,
};
use crate::{
    data::rows::Row,
    loss::Loss,
    model::{order_alarm::OrderAlarm, trained_model::Model},
    simd::margin::MarginSum,
};
pub use constant::WorseThanConstant;
pub(crate) use verdict::Printed;
use verdict::{RowLosses, SampleLosses};

/// An excess loss below this many standard errors is no alarm.
const ERRORS: f64 = 5.0;
/// Standard errors of sampling noise subtracted from an excess loss, where only a sample of the rows was scored. Lower than [`ERRORS`],
/// since a false alarm would need [`ERRORS`] and [`SHARE`] to be exceeded by sampling noise as well.
const NOISE_ERRORS: f64 = 3.0;
/// An excess loss below this share of the explainable loss is no alarm.
const SHARE: f64 = 0.05;

/// Scores a model on the rows of a sample; each loss is stored beside the loss when the row was read.
fn score(sample: &RowSample, row_loop: &RowLoop, model: &Model) -> SampleLosses {
    let loss = row_loop.loss();
    let mut scored = SampleLosses::new(loss, sample.seen());
    let mut margins = Vec::new();
    for (row, counted, came) in sample.counted() {
        margins_of(model, &row, &mut margins);
        let label = row.label.unwrap_or(f64::NAN);
        let Some(y) = model.labels.encode(label).or((!loss.classifies()).then_some(label)) else { continue };
        let weight = row_loop.weight_of_all(label, row.weight);
        let value = loss_of(loss, y, &margins);
        scored.add(&RowLosses { y, offset: row.offset, weight, value, counted, came });
    }
    scored
}

/// Margins of a row, one or one per class: to the bit those of a [`Predictor`](crate::Predictor), without building its lookup table.
fn margins_of(model: &Model, row: &Row<'_>, margins: &mut Vec<f64>) {
    let columns = model.intercept.len();
    let mut sums = vec![MarginSum::default(); columns];
    for (k, (id, value)) in row.index.iter().zip(row.value).enumerate() {
        let Ok(at) = model.index.binary_search(id) else { continue };
        let weights = &model.weight[at * columns..][..columns];
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| sum.add_one(k, weight * value));
    }
    margins.clear();
    margins.extend(sums.iter().zip(&model.intercept).map(|(sum, &intercept)| sum.total(intercept) + row.offset));
}

/// Loss of these margins; NaN if a margin is not finite.
fn loss_of(loss: Loss, y: f64, margins: &[f64]) -> f64 {
    match margins {
        _ if loss.is_multiclass() => loss.multiclass_value(y as usize, margins),
        [margin] => loss.value(y, *margin),
        _ => f64::NAN,
    }
}

impl RowLoop {
    /// Whether the order of rows has made the printed loss of this model worthless. O(sample).
    pub(crate) fn order_alarm(&self, model: &Model) -> Option<OrderAlarm> {
        let OrderMonitor { sample, before, earlier } = &self.order;
        let holdout = &self.holdout;
        if holdout.plan.optimum.is_some() {
            // The loss of the first pass is not reported as that of the optimum.
            return None;
        }
        if sample.is_empty() || holdout.earlier_model().is_some() {
            return *earlier;
        }
        let scored = score(sample, self, model);
        let losses = self.printed();
        let held_out = holdout.has_held_out_rows() || holdout.prints_held_out();
        let printed = match held_out {
            _ if holdout.plan.passes == 1 => Printed::AsTheyCame(losses.mean().since(before)?),
            true => Printed::Loss { loss: losses.loss()?, rows: holdout.held_out() },
            false => Printed::Loss { loss: losses.mean().since(before)?, rows: sample.seen() },
        };
        scored.alarm(printed).or_else(|| {
            // What was printed for earlier rows is still part of the printed loss.
            let all = Printed::Loss { loss: losses.loss()?, rows: sample.seen() };
            earlier.and_then(|_| scored.alarm(all))
        })
    }
}
