//! Statistics of labels from the rows of a round, in the units of its start.

use super::LabelUnits;
use crate::{
    loss::{Loss, derivative_cut::LabelRange},
    numeric::check::{MOST_ROWS, is_magnitude, need},
};
use serde::{Deserialize, Serialize};

/// Largest multiple of the unit of labels as which a label counts within a round, so that squares of derivatives fit
/// into an f32. The unit follows at the end of the round.
const FARTHEST: f64 = (1_u64 << 40) as f64;

/// Sums, over rows of a round, of the labels in the unit of the start of the round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelRows {
    rows: u64,
    /// Sum of |label|, for squared loss of label².
    sizes: f64,
    /// Largest |label| or |offset|, in the unit of the data, to which the unit of labels is then fitted.
    largest: f64,
    /// Mean and range of the labels, for losses with a log link.
    range: LabelRange,
}

impl LabelRows {
    /// Adds the rows of another part of the round.
    pub(crate) fn join(&mut self, other: &LabelRows) {
        self.rows += other.rows;
        self.sizes = (self.sizes + other.sizes).min(f64::MAX);
        self.largest = self.largest.max(other.largest);
        self.range.join(&other.range);
    }

    /// Checks that the sums, read from a message, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sizes = is_magnitude(self.sizes) && is_magnitude(self.largest) && self.rows <= MOST_ROWS;
        need(sizes && self.range.is_sound(), "the labels of the rows of a round are out of their range")
    }
}

impl LabelUnits {
    /// Whether the units of labels and gradients have been chosen, by rows learnt one by one.
    pub(crate) fn are_known(&self) -> bool {
        self.label > 0.0 && self.gradient > 0.0
    }

    /// Returns the label `y` as a multiple of the unit of labels, at most [`FARTHEST`].
    pub(crate) fn label_in_round(&self, y: f64) -> f64 {
        self.label_in_units(y).clamp(-FARTHEST, FARTHEST)
    }

    /// Adds a row to the sums of its round.
    pub(crate) fn count_in_round(&self, sums: &mut LabelRows, loss: Loss, y: f64, offset: f64, weight: f64) {
        sums.rows += 1;
        let label = self.label_in_round(y);
        let has_log_link = self.label_range.is_some();
        let left = if loss.classifies() || has_log_link { label } else { self.label_in_round(y - offset) };
        sums.sizes += if loss == Loss::Squared { left * left } else { left.abs() };
        if has_log_link {
            sums.range.count(label, offset, weight);
        }
        if !loss.classifies() {
            sums.largest = sums.largest.max(if has_log_link { y } else { y.abs().max(offset.abs()) });
        }
    }

    /// Updates the statistics with the rows of a round, and then the unit of labels.
    pub(crate) fn add_round(&mut self, loss: Loss, sums: &LabelRows) {
        if sums.rows == 0 {
            return;
        }
        self.rows = (self.rows + sums.rows).min(MOST_ROWS);
        let mean = sums.sizes / sums.rows as f64;
        self.moment += (mean - self.moment) * (sums.rows as f64 / self.rows as f64);
        if let Some(label_range) = &mut self.label_range {
            label_range.join(&sums.range);
        }
        self.fit_label(loss, sums.largest, 0.0);
    }
}
