//! The order of rows is watched: a printed loss that it has made worthless is found out.
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

/// Standard errors that are no alarm.
const ERRORS: f64 = 5.0;
/// Standard errors of a sample's own noise that are allowed for. Rows in random order have no excess at all, so that it would have to be
/// this noise that makes an excess of [`ERRORS`] or [`SHARE`] as well: fewer than [`ERRORS`] will do, and miss fewer sorted rows.
const NOISE_ERRORS: f64 = 3.0;
/// The share of what there is to explain that is no alarm.
const SHARE: f64 = 0.05;

/// The losses of a model at the rows of a sample, beside those of the rows as they came.
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

/// The margins of a row, one or one a class: as a [`Predictor`](crate::Predictor) has them, without the memory that it takes.
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

/// The loss of these margins, not a number where one of them is none.
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
            // Nobody is told that the loss of the first pass is that of the optimum.
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
