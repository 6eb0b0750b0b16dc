//! The alarm about an order of rows that has made a printed loss worthless.

use crate::numeric::check::MOST_ROWS;
use serde::{Deserialize, Serialize};

/// Says that the order of rows has made the printed loss worthless: the model loses more on the rows that it was trained on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderAlarm {
    /// The mean loss of the model over the rows of the run; `None` where it is too large to be added up.
    pub loss: Option<f64>,
    /// The loss that is printed for them.
    pub printed: f64,
    /// How many rows the run has met, those of weight 0 aside.
    pub rows: u64,
    /// How many of them the model was scored on.
    pub scored: u64,
}

impl OrderAlarm {
    /// Whether a run can have said so.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let finite = self.printed.is_finite() && self.loss.is_none_or(f64::is_finite);
        finite && self.scored <= self.rows && self.rows <= MOST_ROWS && self.loss.is_none_or(|loss| loss > self.printed)
    }
}
