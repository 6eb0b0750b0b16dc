//! Measurement of the exchange of vectors among worker processes of this machine.

use super::model::Measured;
use crate::process_time;
use std::{
    env,
    io::{self, stdin, stdout},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};
use surefoot_distributed::{
    Coordinator, Exchange, MemoryStore, Plan, Program,
    processes::{self, News},
};
use surefoot_glm::shards::{Collective, Partial, nodes};

const SHARDS: usize = 16;

/// Argument with which this program serves as a worker.
pub(super) const WORKER: &str = "worker";

/// Program that adds up vectors of this many numbers, this many times: the job is both numbers. Reports before and after.
struct Sums;

impl Program for Sums {
    fn run(&self, job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
        let [dim, times]: [usize; 2] = serde_json::from_slice(job).map_err(|error| error.to_string())?;
        // Without what the first exchange costs alone, such as memory that is taken for the first time.
        add_up(exchange, dim)?;
        let before = processor_time_of_all(exchange)?;
        exchange.report(Vec::new);
        for _ in 0..times {
            add_up(exchange, dim)?;
        }
        exchange.report(Vec::new);
        let after = processor_time_of_all(exchange)?;
        Ok((after - before).to_string().into_bytes())
    }
}

fn add_up(exchange: &Exchange, dim: usize) -> Result<(), String> {
    let part = |range| (range, Partial { sums: vec![1.0; dim], ..Partial::default() });
    let own = nodes(exchange.own(), SHARDS).into_iter().map(part).collect();
    exchange.combine(own).map(drop).map_err(|stop| stop.to_string())
}

/// Returns the processor time of all workers so far.
fn processor_time_of_all(exchange: &Exchange) -> Result<f64, String> {
    let mut time = process_time().as_secs_f64();
    let part = |range| (range, Partial { sums: vec![std::mem::take(&mut time)], ..Partial::default() });
    let own = nodes(exchange.own(), SHARDS).into_iter().map(part).collect();
    Ok(exchange.combine(own).map_err(|stop| stop.to_string())?.sums[0])
}

/// Serves as a worker over standard input and output.
///
/// # Errors
/// If a stream cannot be read or written.
pub fn serve() -> io::Result<()> {
    processes::serve(Sums, stdin().lock(), stdout())
}

/// Seconds of one exchange.
#[derive(Clone, Copy, Debug)]
struct Once {
    coordinator: f64,
    workers: f64,
    clock: f64,
}

/// Runs some exchanges, and returns the mean of their times.
fn run(workers: usize, dim: usize, times: usize) -> Result<Once, String> {
    let job = serde_json::to_vec(&[dim, times]).map_err(|error| error.to_string())?;
    let plan = Plan { shards: SHARDS, workers, patience: 60_000, incarnation: 1 };
    let coordinator = Coordinator::new(plan, job, Box::<MemoryStore>::default()).map_err(|error| error.to_string())?;
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = || {
        let mut command = Command::new(&program);
        command.arg(WORKER);
        command
    };
    let mut reports: Vec<(Duration, Instant)> = Vec::new();
    let mut watch = |news: News<'_>| {
        if let News::Report(_) = news {
            reports.push((process_time(), Instant::now()));
        }
    };
    let spent = processes::run(coordinator, workers, &mut command, &|| false, &mut watch)?;
    let [from, to] = reports[..] else { return Err("a report of a worker is missing".to_owned()) };
    let spent: f64 = String::from_utf8_lossy(&spent).parse().map_err(|_| "no time of the workers".to_owned())?;
    let each = |seconds: f64| seconds / times as f64;
    Ok(Once {
        coordinator: each((to.0 - from.0).as_secs_f64()),
        workers: each(spent) / workers as f64,
        clock: each((to.1 - from.1).as_secs_f64()),
    })
}

/// Measurements of exchanges.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    /// Processor time of the coordinator.
    pub(super) coordinator: Vec<Measured>,
    /// Processor time of a worker.
    pub(super) worker: Vec<Measured>,
    /// Time by the clock, with whatever else runs on the machine, as a share of all processor time.
    pub(super) clock: Vec<f64>,
}

/// Returns the number of vectors that workers send: a worker sends one for each node of the tree of shards that it owns.
fn vectors_sent(workers: usize) -> usize {
    (0..workers).map(|k| nodes(k * SHARDS / workers..(k + 1) * SHARDS / workers, SHARDS).len()).sum()
}

/// Measures exchanges; counts are workers, numbers, and vectors that all workers send.
///
/// # Errors
/// If workers cannot be started, or one fails.
pub(super) fn vectors() -> Result<Vectors, String> {
    let mut measured = Vectors::default();
    for workers in [1, 2, 3, 4, 6, 8] {
        for bits in [9, 12, 14, 16, 18, 20, 22] {
            let dim: usize = 1 << bits;
            let times = (16_000_000 / (dim * workers + 4_000)).clamp(4, 2000);
            let once = run(workers, dim, times)?;
            measured.clock.push(once.clock / (once.coordinator + workers as f64 * once.workers));
            let counts = [workers, dim, vectors_sent(workers)].map(|count| count as f64).to_vec();
            let what = format!("{workers} workers, {dim} numbers");
            let one = |seconds| Measured { what: what.clone(), counts: counts.clone(), seconds };
            measured.coordinator.push(one(once.coordinator));
            measured.worker.push(one(once.workers));
        }
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    #[test]
    fn workers_send_a_vector_for_each_node_that_they_own() {
        // Of three workers, the first owns shards 0 to 5: the nodes 0 to 4 and 4 to 5.
        assert_eq!([1, 2, 3, 4, 8].map(super::vectors_sent), [1, 2, 7, 4, 8]);
    }
}
