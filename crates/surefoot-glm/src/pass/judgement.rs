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
    order::{OrderWatch, sample::Sample},
    row_loop::Books,
};
use crate::{
    data::rows::Row,
    loss::Loss,
    model::{order_alarm::OrderAlarm, trained_model::Model},
    simd::margin::Margin,
};
pub use constant::Losing;
pub(crate) use verdict::Printed;
use verdict::{Judged, Scored};

/// Standard errors that are no alarm.
const ERRORS: f64 = 5.0;
/// Standard errors of a sample's own noise that are allowed for. Rows in random order have no excess at all, so that it would have to be
/// this noise that makes an excess of [`ERRORS`] or [`SHARE`] as well: fewer than [`ERRORS`] will do, and miss fewer sorted rows.
const DOUBT: f64 = 3.0;
/// The share of what there is to explain that is no alarm.
const SHARE: f64 = 0.05;

/// The losses of a model at the rows of a sample, beside those of the rows as they came.
fn score(sample: &Sample, books: &Books, model: &Model) -> Judged {
    let loss = books.loss();
    let mut scored = Judged::new(loss, sample.seen());
    let mut margins = Vec::new();
    for (row, counted, came) in sample.counted() {
        margins_of(model, &row, &mut margins);
        let label = row.label.unwrap_or(f64::NAN);
        let Some(y) = model.labels.code(label).or((!loss.classifies()).then_some(label)) else { continue };
        let weight = books.weight_of_all(label, row.weight);
        let value = loss_of(loss, y, &margins);
        scored.add(&Scored { y, offset: row.offset, weight, value, counted, came });
    }
    scored
}

/// The margins of a row, one or one a class: as a [`Predictor`](crate::Predictor) has them, without the memory that it takes.
fn margins_of(model: &Model, row: &Row<'_>, margins: &mut Vec<f64>) {
    let columns = model.intercept.len();
    let mut sums = vec![Margin::default(); columns];
    for (k, (id, value)) in row.index.iter().zip(row.value).enumerate() {
        let Ok(at) = model.index.binary_search(id) else { continue };
        let weights = &model.weight[at * columns..][..columns];
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| sum.add_one(k, weight * value));
    }
    margins.clear();
    margins.extend(sums.iter().zip(&model.intercept).map(|(sum, &intercept)| sum.with(intercept) + row.offset));
}

/// The loss of these margins, not a number where one of them is none.
fn loss_of(loss: Loss, y: f64, margins: &[f64]) -> f64 {
    match margins {
        _ if loss.has_margins() => loss.value_of(y as usize, margins),
        [margin] => loss.value(y, *margin),
        _ => f64::NAN,
    }
}

impl Books {
    /// Whether the order of rows has made the printed loss of this model worthless. O(sample).
    pub(crate) fn order_alarm(&self, model: &Model) -> Option<OrderAlarm> {
        let OrderWatch { sample, before, earlier } = &self.order;
        let passes = &self.passes;
        if passes.plan.optimum.is_some() {
            // Nobody is told that the loss of the first pass is that of the optimum.
            return None;
        }
        if sample.is_empty() || passes.of_earlier_run().is_some() {
            return *earlier;
        }
        let scored = score(sample, self, model);
        let board = self.printed();
        let held_out = passes.judges() || passes.prints_held_out();
        let printed = match held_out {
            _ if passes.plan.passes == 1 => Printed::AsTheyCame(board.mean().since(before)?),
            true => Printed::Loss { loss: board.loss()?, rows: passes.shelved() },
            false => Printed::Loss { loss: board.mean().since(before)?, rows: sample.seen() },
        };
        scored.judge(printed).or_else(|| {
            // What was printed for earlier rows is still part of the printed loss.
            let all = Printed::Loss { loss: board.loss()?, rows: sample.seen() };
            earlier.and_then(|_| scored.judge(all))
        })
    }
}
