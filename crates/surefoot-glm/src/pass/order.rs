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
mod sample;
mod verdict;

use super::row_loop::Books;
use crate::model::order_alarm::OrderAlarm;
use crate::{
    data::rows::Row,
    model::{state::State, trained_model::Model},
    numeric::{check::need, sums::Mean},
};
pub use constant::Losing;
use sample::Sample;
use serde_json::{Value, json};
pub(crate) use verdict::Printed;

/// Standard errors that are no alarm.
const ERRORS: f64 = 5.0;
/// Standard errors of a sample's own noise that are allowed for. Rows in random order have no excess at all, so that it would have to be
/// this noise that makes an excess of [`ERRORS`] or [`SHARE`] as well: fewer than [`ERRORS`] will do, and miss fewer sorted rows.
const DOUBT: f64 = 3.0;
/// The share of what there is to explain that is no alarm.
const SHARE: f64 = 0.05;

/// The watch over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OrderWatch {
    sample: Sample,
    /// Rows that come before the run, in the loss that is printed.
    before: Mean,
    /// The alarm of the run before.
    earlier: Option<OrderAlarm>,
}

/// The name of the sample in the state of an unfinished model.
const SAMPLE: &str = "order";

impl OrderWatch {
    /// At the start of a run that takes a finished model further.
    pub(crate) fn after(model: &Model, before: Mean) -> OrderWatch {
        OrderWatch { earlier: model.summary.order, before, ..OrderWatch::default() }
    }

    /// Takes note of a row of the first pass: of its own weight, with the weight that it is counted with, and its loss.
    #[inline]
    pub(crate) fn add(&mut self, row: &Row<'_>, given: f64, value: f64) {
        self.sample.add(row, given, value);
    }

    /// The rows of the sample, and how many the run has met.
    pub(crate) fn sample(&self) -> (impl Iterator<Item = Row<'_>>, u64) {
        (self.sample.rows(), self.sample.seen())
    }

    /// Puts into an unfinished model what is needed to go on.
    pub(crate) fn pause(&self, state: &mut State) {
        state.scalars[SAMPLE] =
            json!({ "sample": self.sample.scalars(), "before": self.before, "earlier": self.earlier });
        state.arrays.extend(self.sample.to_arrays(SAMPLE));
    }

    /// From what [`pause`](OrderWatch::pause) has put there.
    pub(crate) fn resume(state: &State) -> Result<OrderWatch, String> {
        let of = |name: &str| state.scalars[SAMPLE].get(name).unwrap_or(&Value::Null);
        let sample = Sample::from_arrays(SAMPLE, of("sample"), state)?;
        let earlier = State::parse::<Option<OrderAlarm>>(of("earlier"))?;
        let before = State::parse::<Mean>(of("before"))?;
        let sound = before.is_sound() && earlier.is_none_or(|alarm| alarm.is_sound());
        need(sound, "the watch over the order of rows is out of its range")?;
        Ok(OrderWatch { sample, before, earlier })
    }

    /// Checks the state of an unfinished model that was read from a file.
    pub(crate) fn check(state: &State) -> Result<(), String> {
        OrderWatch::resume(state).map(|_| ())
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
        let scored = sample.score(self, model);
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

#[cfg(test)]
mod tests;
