//! How much a worker has read, which any thread of its process can ask at any time.

use crate::message::{FromWorker, Message};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much a worker has read since it was started. These numbers only grow, but for `done`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of rows read; those that were read again count again.
    pub rows: u64,
    /// Number of rows gone through: in the first pass, which reads them, and in later ones over rows in memory.
    pub visited: u64,
    /// Number of stored bytes read.
    pub bytes: u64,
    /// Number of these bytes that belong to the present assignment of shards.
    pub done: u64,
}

impl Progress {
    /// Returns what is known after another message, which may be older than the last one. `is_current` tells whether it
    /// is about the present assignment.
    pub(crate) fn with(self, other: Progress, is_current: bool) -> Progress {
        Progress {
            rows: self.rows.max(other.rows),
            visited: self.visited.max(other.visited),
            bytes: self.bytes.max(other.bytes),
            done: if is_current { self.done.max(other.done) } else { self.done },
        }
    }
}

/// Source of messages about the progress of a worker. They may be sent at any time, lost, repeated and reordered, and
/// change nothing about the run.
#[derive(Clone, Debug, Default)]
pub struct Pulse(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    epoch: u64,
    /// Number of programs that were started. One that was replaced may go on for a while.
    programs: u64,
    progress: Progress,
    told: Progress,
}

impl Pulse {
    /// Returns a message for the coordinator; `None` if nothing was read since the last one.
    #[must_use]
    pub fn message(&self) -> Option<Vec<u8>> {
        let is_new = {
            let inner = self.lock();
            inner.progress != inner.told
        };
        is_new.then(|| self.last())
    }

    /// Returns a message for the coordinator.
    pub(crate) fn last(&self) -> Vec<u8> {
        let mut inner = self.lock();
        inner.told = inner.progress;
        Message::of(FromWorker::Progress { epoch: inner.epoch, progress: inner.progress }).to_bytes()
    }

    /// Takes note of a program that starts, and returns its number.
    pub(crate) fn start(&self, epoch: u64) -> u64 {
        let mut inner = self.lock();
        (inner.epoch, inner.programs, inner.progress.done) = (epoch, inner.programs + 1, 0);
        inner.programs
    }

    /// Takes note of another number for the same assignment.
    pub(crate) fn go_on(&self, epoch: u64) {
        self.lock().epoch = epoch;
    }

    /// Adds what the program of this number has read.
    pub(crate) fn add(&self, program: u64, rows: u64, bytes: u64) {
        let mut inner = self.lock();
        let is_current = program == inner.programs;
        let progress = &mut inner.progress;
        (progress.rows, progress.visited) = (progress.rows + rows, progress.visited + rows);
        progress.bytes += bytes;
        progress.done += if is_current { bytes } else { 0 };
    }

    /// Adds rows that were gone through again.
    pub(crate) fn visit(&self, rows: u64) {
        self.lock().progress.visited += rows;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
