//! Reasons for ending a run early, including signals.

use super::signals::{Signal, Signals};
use surefoot_fit::{StopConditions, StopReason};

/// Reason for ending a run early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Signal(Signal),
    /// The time given by `--budget` is over.
    Budget,
    /// The certified gap is at most `--until-gap`: no model is better by more than that.
    Gap,
}

impl Stop {
    /// Converts the library's reason for stopping to one of the command: if a stop was requested, the reason is the
    /// signal received.
    pub(crate) fn of(reason: StopReason, signals: &Signals) -> Stop {
        match reason {
            StopReason::Requested => Stop::Signal(signals.caught().unwrap_or(Signal::Interrupt)),
            StopReason::Budget => Stop::Budget,
            StopReason::Gap => Stop::Gap,
        }
    }

    /// Whether the run counts as complete; if not, it can be resumed.
    pub(crate) fn finishes(self) -> bool {
        self == Stop::Gap
    }
}

/// Returns stop conditions that end the run once a signal was received.
pub(crate) fn conditions(signals: &Signals) -> StopConditions {
    let signals = signals.clone();
    StopConditions::when(move || signals.caught().is_some())
}
