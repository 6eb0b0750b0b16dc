//! Reasons for ending a run early, with signals as one of them.

use super::signals::{Signal, Signals};
use surefoot_fit::{StopConditions, StopReason};

/// Reason for ending a run early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Signal(Signal),
    /// The time given by `--budget` is used up.
    Budget,
    /// No model is better by more than `--until-gap`.
    Gap,
}

impl Stop {
    /// Converts the library's reason; a requested stop carries the signal that requested it.
    pub(crate) fn of(reason: StopReason, signals: &Signals) -> Stop {
        match reason {
            StopReason::Requested => Stop::Signal(signals.caught().unwrap_or(Signal::Interrupt)),
            StopReason::Budget => Stop::Budget,
            StopReason::Gap => Stop::Gap,
        }
    }

    /// Whether the run is complete; otherwise it can be resumed.
    pub(crate) fn finishes(self) -> bool {
        self == Stop::Gap
    }
}

/// Returns stop conditions that are met once a signal has been caught.
pub(crate) fn conditions(signals: &Signals) -> StopConditions {
    let signals = signals.clone();
    StopConditions::when(move || signals.caught().is_some())
}
