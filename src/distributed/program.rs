//! Program that the workers of a distributed fit run.

use super::{
    job::{Finished, Job},
    report::Reports,
};
use crate::{failure::Failure, process::memory};
use std::sync::Arc;
use surefoot_distributed::{Exchange, Program};
use surefoot_fit::Rounds;
use surefoot_glm::{Partial as RoundPartial, shards::Interrupted};

/// Program of the workers: one pass over the rows of all shards, or the optimum over them.
#[derive(Clone, Copy, Debug)]
pub struct FitProgram;

/// Returns the program that workers of every engine run.
#[must_use]
pub fn program() -> FitProgram {
    FitProgram
}

/// Rounds of one pass by way of the exchange of the worker.
struct ByExchange<'e>(&'e Arc<Exchange>);

impl Rounds for ByExchange<'_> {
    fn start(&self) -> Option<Vec<u8>> {
        self.0.start().map(<[u8]>::to_vec)
    }

    fn combine(&self, own: RoundPartial) -> Result<RoundPartial, Interrupted> {
        self.0.combine_round(own)
    }

    fn reached(&self, state: &mut dyn FnMut() -> Vec<u8>) {
        self.0.reached(state);
    }
}

impl Program for FitProgram {
    fn run(&self, job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
        let job = Job::from_bytes(job)?;
        let (args, fit) = job.fit().map_err(|failure| failure.message)?;
        let own = exchange.own().map(|shard| Ok((shard, job.data(shard)?))).collect::<Result<Vec<_>, String>>()?;
        let fit = fit.memory(memory::for_rows()).threads(1).skip_bad_rows(args.skip_bad_rows);
        let fit = fit.observer(Reports::new(exchange.clone()));
        let outcome = match fit.plan().optimum {
            Some(_) => fit.run_shards(&own, job.schema(), &exchange.shards()),
            None => fit.run_rounds(&own, job.schema(), &exchange.shards(), &ByExchange(exchange)),
        };
        Finished::to_bytes(outcome.map_err(|error| Failure::from(error).message)?.as_ref())
    }
}
