//! Monitor of the order of rows: keeps a sample of the rows of a run, on which the final model is scored (see
//! [`judgement`](super::judgement)).

mod packed_rows;
pub(in crate::pass) mod sample;

use crate::model::order_alarm::OrderAlarm;
use crate::{
    data::rows::Row,
    model::{state::State, trained_model::Model},
    numeric::{check::need, sums::Mean},
};
use sample::RowSample;
use serde_json::{Value, json};

/// Monitor of the order of rows during a run, from which an alarm about their order is raised.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OrderMonitor {
    pub(super) sample: RowSample,
    /// Reported mean loss, with its total weight, of the rows learnt before this run.
    pub(super) before: Mean,
    /// Alarm about the order of rows from the run before this one; `None` if there was none.
    pub(super) earlier: Option<OrderAlarm>,
}

/// Key under which an unfinished model stores the monitor.
const SAMPLE: &str = "order";

impl OrderMonitor {
    /// Returns a monitor for a run that continues training from a finished model.
    pub(crate) fn continuing_from(model: &Model, before: Mean) -> OrderMonitor {
        OrderMonitor { earlier: model.summary.order, before, ..OrderMonitor::default() }
    }

    /// Offers a row of the first pass to the sample. `given` is its weight in the data (the row itself carries its
    /// weight after class weights), and `value` its loss when it was read.
    #[inline]
    pub(crate) fn add(&mut self, row: &Row<'_>, given: f64, value: f64) {
        self.sample.add(row, given, value);
    }

    /// Visits the sampled rows in their order, and returns the number of rows from which they were drawn.
    pub(crate) fn each_sampled(&self, mut visit: impl FnMut(&Row<'_>)) -> u64 {
        self.sample.each(1, |row, _, _| visit(row));
        self.sample.seen()
    }

    /// Stores the monitor in the state of an unfinished model.
    pub(crate) fn pause(&self, state: &mut State) {
        state.scalars[SAMPLE] =
            json!({ "sample": self.sample.scalars(), "loss_before": self.before, "earlier_alarm": self.earlier });
        state.arrays.extend(self.sample.to_arrays(SAMPLE));
    }

    /// Restores a monitor stored by [`pause`](OrderMonitor::pause).
    pub(crate) fn resume(state: &State) -> Result<OrderMonitor, String> {
        let of = |name: &str| state.scalars[SAMPLE].get(name).unwrap_or(&Value::Null);
        let sample = RowSample::from_arrays(SAMPLE, of("sample"), state)?;
        let earlier = State::parse::<Option<OrderAlarm>>(of("earlier_alarm"))?;
        let before = State::parse::<Mean>(of("loss_before"))?;
        let sound = before.is_sound() && earlier.is_none_or(|alarm| alarm.is_sound());
        need(sound, "the watch over the order of rows is out of its range")?;
        Ok(OrderMonitor { sample, before, earlier })
    }

    /// Checks that the monitor stored in the state of an unfinished model is valid.
    pub(crate) fn check(state: &State) -> Result<(), String> {
        OrderMonitor::resume(state).map(|_| ())
    }
}

#[cfg(test)]
mod tests;
