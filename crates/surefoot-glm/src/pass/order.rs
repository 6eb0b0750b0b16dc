//! A sample of the rows of a run, by which their order is judged at its end: see [`judgement`](super::judgement).

pub(in crate::pass) mod sample;

use crate::model::order_alarm::OrderAlarm;
use crate::{
    data::rows::Row,
    model::{state::State, trained_model::Model},
    numeric::{check::need, sums::Mean},
};
use sample::RowSample;
use serde_json::{Value, json};

/// Monitor of the order of rows during a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OrderMonitor {
    pub(super) sample: RowSample,
    /// Printed loss of the rows before this run.
    pub(super) before: Mean,
    /// Alarm of the earlier run, if any.
    pub(super) earlier: Option<OrderAlarm>,
}

/// The name of the sample in the state of an unfinished model.
const SAMPLE: &str = "order";

impl OrderMonitor {
    /// A monitor for a run that continues from a finished model.
    pub(crate) fn continuing_from(model: &Model, before: Mean) -> OrderMonitor {
        OrderMonitor { earlier: model.summary.order, before, ..OrderMonitor::default() }
    }

    /// Offers a row of the first pass to the sample: its row with the weight it counts with, its given weight, and its loss.
    #[inline]
    pub(crate) fn add(&mut self, row: &Row<'_>, given: f64, value: f64) {
        self.sample.add(row, given, value);
    }

    /// Rows of the sample, and the number of rows that it was drawn from.
    pub(crate) fn sample(&self) -> (impl Iterator<Item = Row<'_>>, u64) {
        (self.sample.rows(), self.sample.seen())
    }

    /// Writes the monitor into the state of an unfinished model.
    pub(crate) fn pause(&self, state: &mut State) {
        state.scalars[SAMPLE] =
            json!({ "sample": self.sample.scalars(), "loss_before": self.before, "earlier_alarm": self.earlier });
        state.arrays.extend(self.sample.to_arrays(SAMPLE));
    }

    /// Reads a monitor written by [`pause`](OrderMonitor::pause).
    pub(crate) fn resume(state: &State) -> Result<OrderMonitor, String> {
        let of = |name: &str| state.scalars[SAMPLE].get(name).unwrap_or(&Value::Null);
        let sample = RowSample::from_arrays(SAMPLE, of("sample"), state)?;
        let earlier = State::parse::<Option<OrderAlarm>>(of("earlier_alarm"))?;
        let before = State::parse::<Mean>(of("loss_before"))?;
        let sound = before.is_sound() && earlier.is_none_or(|alarm| alarm.is_sound());
        need(sound, "the watch over the order of rows is out of its range")?;
        Ok(OrderMonitor { sample, before, earlier })
    }

    /// Checks the state of an unfinished model that was read from a file.
    pub(crate) fn check(state: &State) -> Result<(), String> {
        OrderMonitor::resume(state).map(|_| ())
    }
}

#[cfg(test)]
mod tests;
