//! Alarm that the order of rows, such as sorted data, made the reported loss meaningless.

use crate::numeric::check::MOST_ROWS;
use serde::{Deserialize, Serialize};

/// Alarm that the order of rows, such as sorted data, made the reported loss meaningless: on its own training rows,
/// the final model has a much larger loss than the reported one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderAlarm {
    /// Mean loss of the final model over the training rows of the run; `None` if the loss overflows.
    pub loss: Option<f64>,
    /// Reported mean loss of the training rows of the run, each scored before it was learnt.
    #[serde(rename = "progressive_loss")]
    pub printed: f64,
    /// Number of training rows of positive weight in the run.
    pub rows: u64,
    /// Number of the rows counted in `rows` on which the final model was scored; fewer than `rows` if only a sample was kept.
    #[serde(rename = "rows_scored")]
    pub scored: u64,
}

impl OrderAlarm {
    /// Whether the alarm, read from a file, has valid numbers.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let finite = self.printed.is_finite() && self.loss.is_none_or(f64::is_finite);
        finite && self.scored <= self.rows && self.rows <= MOST_ROWS && self.loss.is_none_or(|loss| loss > self.printed)
    }
}
