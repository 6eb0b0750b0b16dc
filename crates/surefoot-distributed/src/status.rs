//! State of a run, for whoever watches it.

use crate::progress::Progress;
use serde::Serialize;
use std::ops::Range;

/// State of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Status {
    /// Number of exchanges so far.
    pub exchanges: u64,
    /// Number of times that a worker was lost.
    pub lost: u64,
    /// Workers that are there, by their numbers.
    pub workers: Vec<WorkerStatus>,
    /// Workers that were lost, in that order.
    pub gone: Vec<WorkerStatus>,
}

/// State of one worker.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkerStatus {
    /// Number of the worker.
    pub worker: u64,
    /// Shards that it owns, or owned when it was lost.
    pub own: Range<usize>,
    /// How much it has read, as far as it has told.
    pub progress: Progress,
    /// Number of bytes of messages that it has sent.
    pub sent: u64,
    /// Number of bytes of messages that were sent to it.
    pub received: u64,
    /// Milliseconds that all the others have waited for it alone: its share in what the run could be faster.
    pub waited_for: u64,
}

impl Status {
    /// Returns all workers, those that were lost at the end.
    pub fn all(&self) -> impl Iterator<Item = &WorkerStatus> {
        self.workers.iter().chain(&self.gone)
    }

    /// Returns the number of workers that own shards.
    #[must_use]
    pub fn working(&self) -> usize {
        self.workers.iter().filter(|worker| !worker.own.is_empty()).count()
    }
}
