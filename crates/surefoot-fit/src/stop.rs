//! The conditions that end a run before its rows do.

use crate::error::FitError;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Maximum wait for rows before the stop conditions are checked again.
pub(crate) const PATIENCE: Duration = Duration::from_millis(5);

/// Why a run ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Requested by the caller.
    Requested,
    /// The time allowed is used up.
    Budget,
    /// The excess loss is certified to be within the requested gap.
    Gap,
}

impl StopReason {
    /// Whether the run has reached its aim; otherwise it can be resumed.
    #[must_use]
    pub fn finishes(self) -> bool {
        self == StopReason::Gap
    }
}

/// Conditions that stop a run early: a request of the caller, and a deadline. Checked every few milliseconds.
#[derive(Clone, Default)]
pub struct StopConditions {
    requested: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    deadline: Option<Instant>,
}

impl StopConditions {
    /// Stops once `requested` returns true; it should take no more than microseconds.
    #[must_use]
    pub fn when(requested: impl Fn() -> bool + Send + Sync + 'static) -> StopConditions {
        StopConditions { requested: Some(Arc::new(requested)), deadline: None }
    }

    /// Stops once the flag is set.
    #[must_use]
    pub fn flag(flag: Arc<AtomicBool>) -> StopConditions {
        StopConditions::when(move || flag.load(Relaxed))
    }

    /// These conditions with another deadline, or with none.
    #[must_use]
    pub fn with_deadline(self, deadline: Option<Instant>) -> StopConditions {
        StopConditions { deadline, ..self }
    }

    /// Checks the conditions.
    ///
    /// # Errors
    /// The reason to stop, if there is one.
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

/// Why work was interrupted: an error, or a stop condition.
#[derive(Debug)]
pub enum Interrupt {
    /// It is to stop, for a reason that is no error.
    Stop(StopReason),
    /// It cannot go on.
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
