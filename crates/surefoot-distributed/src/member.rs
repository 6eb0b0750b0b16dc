//! State of a worker, as the coordinator knows it.

use crate::{progress::Progress, status::WorkerStatus};
use std::ops::Range;

/// Worker, with the shards that it owns.
#[derive(Debug, Default)]
pub(crate) struct Member {
    pub(crate) epoch: u64,
    pub(crate) own: Range<usize>,
    /// Exchange whose total it waits for.
    pub(crate) waits: Option<u64>,
    /// Rows and bytes that it has read, by its own messages.
    pub(crate) progress: Progress,
    /// Bytes of messages from it and to it.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// Milliseconds that all the others have waited for it alone.
    pub(crate) waited_for: u64,
}

impl Member {
    /// Gives the worker other shards, or none.
    pub(crate) fn give(&mut self, epoch: u64, own: Range<usize>) {
        (self.epoch, self.own, self.waits, self.progress.done) = (epoch, own, None, 0);
    }

    pub(crate) fn status(&self, worker: u64) -> WorkerStatus {
        WorkerStatus {
            worker,
            own: self.own.clone(),
            progress: self.progress,
            sent: self.sent,
            received: self.received,
            waited_for: self.waited_for,
        }
    }
}
