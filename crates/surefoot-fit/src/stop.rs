//! Conditions that stop a run early.

use crate::error::FitError;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Maximum time to wait for rows before the stop conditions are checked again.
pub(crate) const PATIENCE: Duration = Duration::from_millis(5);

/// Reason why a run ended before its regular end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The caller requested to stop.
    Requested,
    /// The deadline has passed.
    Budget,
    /// The excess loss is certified to be at most the requested gap.
    Gap,
}

impl StopReason {
    /// Whether the run is finished, because it reached the requested gap. Otherwise it can be resumed.
    #[must_use]
    pub fn finishes(self) -> bool {
        self == StopReason::Gap
    }
}

/// Conditions that stop a run early: a request of the caller, and a deadline. They are checked every few milliseconds.
#[derive(Clone, Default)]
pub struct StopConditions {
    requested: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    deadline: Option<Instant>,
}

impl StopConditions {
    /// Builds a condition that stops once `requested` returns true. `requested` should take no more than microseconds.
    #[must_use]
    pub fn when(requested: impl Fn() -> bool + Send + Sync + 'static) -> StopConditions {
        StopConditions { requested: Some(Arc::new(requested)), deadline: None }
    }

    /// Builds a condition that stops once the flag is set.
    #[must_use]
    pub fn flag(flag: Arc<AtomicBool>) -> StopConditions {
        StopConditions::when(move || flag.load(Relaxed))
    }

    /// Returns these conditions with another deadline; `None` means no deadline.
    #[must_use]
    pub fn with_deadline(self, deadline: Option<Instant>) -> StopConditions {
        StopConditions { deadline, ..self }
    }

    /// Checks the stop conditions: returns an error if the run has to stop.
    ///
    /// # Errors
    /// The reason to stop.
    pub fn check(&self) -> Result<(), StopReason> {
        if self.requested.as_ref().is_some_and(|requested| requested()) {
            return Err(StopReason::Requested);
        }
        match self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            true => Err(StopReason::Budget),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for StopConditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requested = self.requested.as_ref().map(|requested| requested());
        f.debug_struct("StopConditions").field("requested", &requested).field("deadline", &self.deadline).finish()
    }
}

/// Reason why work was interrupted: a stop condition that was met, or an error.
#[derive(Debug)]
pub enum Interrupt {
    /// Stop condition that was met.
    Stop(StopReason),
    /// Error after which the work cannot continue.
    Error(FitError),
}

impl From<StopReason> for Interrupt {
    fn from(reason: StopReason) -> Interrupt {
        Interrupt::Stop(reason)
    }
}

impl<E: Into<FitError>> From<E> for Interrupt {
    fn from(error: E) -> Interrupt {
        Interrupt::Error(error.into())
    }
}
