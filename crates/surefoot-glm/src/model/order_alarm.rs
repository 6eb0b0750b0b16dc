//! The alarm that rows came in an order that makes the reported loss meaningless.

use crate::numeric::check::MOST_ROWS;
use serde::{Deserialize, Serialize};

/// Alarm that the order of rows, such as sorted data, has made the reported loss meaningless: the model has a larger
/// loss on the rows that it was trained on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderAlarm {
    /// Mean loss of the model over the rows of the run; `None` if the loss overflows.
    pub loss: Option<f64>,
    /// Reported loss of the rows of the run, measured before each row was learnt.
    #[serde(rename = "progressive_loss")]
    pub printed: f64,
    /// Number of rows of the run, without rows of weight 0.
    pub rows: u64,
    /// Number of rows on which the model was scored.
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
