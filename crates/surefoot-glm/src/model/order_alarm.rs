//! The alarm about rows in an order that makes the printed loss meaningless.

use crate::numeric::check::MOST_ROWS;
use serde::{Deserialize, Serialize};

/// Alarm that the order of rows, such as sorted data, has made the printed loss meaningless: the model has a larger loss on the rows that
/// it was trained on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderAlarm {
    /// Mean loss of the model over the rows of the run; `None` if it overflows.
    pub loss: Option<f64>,
    /// The printed loss of those rows.
    #[serde(rename = "progressive_loss")]
    pub printed: f64,
    /// Number of rows of the run, without those of weight 0.
    pub rows: u64,
    /// Number of rows that the model was scored on.
    #[serde(rename = "rows_scored")]
    pub scored: u64,
}

impl OrderAlarm {
    /// Whether an alarm read from a file is valid.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let finite = self.printed.is_finite() && self.loss.is_none_or(f64::is_finite);
        finite && self.scored <= self.rows && self.rows <= MOST_ROWS && self.loss.is_none_or(|loss| loss > self.printed)
    }
}
