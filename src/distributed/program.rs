//! Program that the workers of a distributed fit run.

use super::{
    job::{Finished, Job},
    report::Reports,
};
use crate::{failure::Failure, process::memory};
use std::sync::Arc;
use surefoot_distributed::{Exchange, Program};

/// Program of the workers: reads the rows of its shards, and computes the optimum over those of all.
#[derive(Clone, Copy, Debug)]
pub struct FitProgram;

/// Returns the program that workers of every engine run.
#[must_use]
pub fn program() -> FitProgram {
    FitProgram
}

impl Program for FitProgram {
    fn run(&self, job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
        let job = Job::from_bytes(job)?;
        let (args, fit) = job.fit().map_err(|failure| failure.message)?;
        let own = exchange.own().map(|shard| Ok((shard, job.data(shard)?))).collect::<Result<Vec<_>, String>>()?;
        let fit = fit.memory(memory::for_rows()).threads(1).skip_bad_rows(args.skip_bad_rows);
        let fit = fit.observer(Reports(exchange.clone()));
        let outcome = fit.run_shards(&own, job.schema(), &exchange.shards());
        Finished::to_bytes(outcome.map_err(|error| Failure::from(error).message)?.as_ref())
    }
}
