//! What may end a run before its rows do.

use crate::signals::{Signal, Signals};
use std::time::Instant;

/// Why a run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Signal(Signal),
    /// The time given by `--budget` is used up.
    Budget,
    /// No model is better by more than `--until-gap`.
    Gap,
}

impl Stop {
    /// Whether the run is over; else it can be resumed.
    pub(crate) fn finishes(self) -> bool {
        self == Stop::Gap
    }
}

/// Signals and the end of the budget.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    pub(crate) signals: Signals,
    pub(crate) deadline: Option<Instant>,
}

impl Watch {
    /// Whether it is time to stop.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        match self.signals.caught() {
            Some(signal) => Err(Stop::Signal(signal)),
            None if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => Err(Stop::Budget),
            None => Ok(()),
        }
    }
}
