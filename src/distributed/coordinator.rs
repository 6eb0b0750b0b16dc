//! Coordinator of a job, whose state may lie in a folder.

use super::{checkpoint, job::Job, task::Task};
use crate::{failure::Failure, terminal::console::Console};
use std::{
    io,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};
use surefoot_distributed::{Coordinator, Plan};

/// Opens the checkpoint of a job, if it has one, and returns its coordinator, which waits `patience` milliseconds for workers that are
/// missing.
pub(super) fn coordinator(
    job: &Job,
    task: &Task,
    workers: usize,
    patience: u64,
    console: &Console,
) -> Result<Coordinator, Failure> {
    let (bytes, shards) = (job.to_bytes(), job.shards());
    let unreadable = |error: io::Error| Failure::data(format!("the checkpoint cannot be read: {error}"));
    let store = checkpoint::store(task.checkpoint().map(Path::new), &bytes)?;
    if store.end() > 0 {
        console.note(&format!("going on after {} exchanges, which the checkpoint has", store.end()));
    }
    let incarnation = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_millis() as u64);
    let plan = Plan { shards, workers: workers.min(shards), patience, incarnation };
    let coordinator = Coordinator::new(plan, bytes, store).map_err(unreadable)?;
    Ok(if task.has_partial_result() { coordinator } else { coordinator.without_partial_result() })
}
