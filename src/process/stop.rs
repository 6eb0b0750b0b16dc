//! Signals as a condition that ends a run.

use super::signals::{Signal, Signals};
use surefoot_fit::{StopConditions, StopReason};

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
    /// The reason, and the signal behind a request.
    pub(crate) fn of(reason: StopReason, signals: &Signals) -> Stop {
        match reason {
            StopReason::Requested => Stop::Signal(signals.caught().unwrap_or(Signal::Interrupt)),
            StopReason::Budget => Stop::Budget,
            StopReason::Gap => Stop::Gap,
        }
    }

    /// Whether the run is over; otherwise it can be resumed.
    pub(crate) fn finishes(self) -> bool {
        self == Stop::Gap
    }
}

/// Ends once a signal was caught.
pub(crate) fn conditions(signals: &Signals) -> StopConditions {
    let signals = signals.clone();
    StopConditions::when(move || signals.caught().is_some())
}
