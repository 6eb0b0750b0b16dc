//! Program that the workers of a distributed run run.

use super::{job::Job, task::Task};
use std::sync::Arc;
use surefoot_distributed::{Exchange, Program};

/// Program of the workers: the command of the job, each on its own shards.
#[derive(Clone, Copy, Debug)]
pub struct WorkerProgram;

/// Returns the program that workers of every engine run.
#[must_use]
pub fn program() -> WorkerProgram {
    WorkerProgram
}

impl Program for WorkerProgram {
    fn run(&self, job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
        let job = Job::from_bytes(job)?;
        Task::parse(job.line()).and_then(|task| task.work(&job, exchange)).map_err(|failure| failure.message)
    }
}
