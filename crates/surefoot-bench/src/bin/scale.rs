//! Cost of a distributed fit: `cargo run --release -p surefoot-bench --bin scale`.
//!
//! Measures the time of an exchange among worker processes of this machine, for several numbers of workers and of features, fits the cost
//! model to every second of these measurements, and prints how far the others are from it. Then come tables of the seconds of a pass over
//! the rows that the model gives for clusters, with the sums joined by one coordinator, as here, or along a tree of workers.
//!
//! The model: an exchange of d numbers among W workers takes a + b·W + (c + e·W)·d seconds. The constants of a cluster are its latency and
//! its bandwidth in place of a, b and e; c is what a worker does with the total.

use std::{
    process::{Command, ExitCode},
    sync::Arc,
    time::Instant,
};
use surefoot_distributed::{Coordinator, Exchange, MemoryStore, Plan, Program, processes};
use surefoot_glm::shards::{Collective, Partial, nodes};

const SHARDS: usize = 16;

/// Program that adds up vectors of this many numbers, this many times: the job is both numbers.
struct Sums;

impl Program for Sums {
    fn run(&self, job: &[u8], exchange: &Arc<Exchange>) -> Result<Vec<u8>, String> {
        let [dim, times]: [usize; 2] = serde_json::from_slice(job).map_err(|error| error.to_string())?;
        let mut sum = 0.0;
        for _ in 0..times {
            let part = |range| (range, Partial { sums: vec![1.0; dim], ..Partial::default() });
            let own = nodes(exchange.own(), SHARDS).into_iter().map(part).collect();
            let total = exchange.combine(own).map_err(|stop| stop.to_string())?;
            sum += total.sums[dim / 2];
        }
        Ok(sum.to_string().into_bytes())
    }
}

/// Returns the seconds of a run of this many exchanges.
fn run(workers: usize, dim: usize, times: usize) -> Result<f64, String> {
    let job = serde_json::to_vec(&[dim, times]).map_err(|error| error.to_string())?;
    let plan = Plan { shards: SHARDS, workers, patience: 60_000, incarnation: 1 };
    let coordinator = Coordinator::new(plan, job, Box::<MemoryStore>::default()).map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = || {
        let mut command = Command::new(&program);
        command.arg("worker");
        command
    };
    let began = Instant::now();
    processes::run(coordinator, workers, &mut command, &|| false, &mut |_| ())?;
    Ok(began.elapsed().as_secs_f64())
}

/// Measurement of an exchange.
#[derive(Clone, Copy)]
struct Measured {
    workers: f64,
    dim: f64,
    seconds: f64,
}

impl Measured {
    /// Returns what the constants of the model are multiplied by.
    fn terms(&self) -> [f64; 4] {
        [1.0, self.workers, self.dim, self.workers * self.dim]
    }
}

/// Measures exchanges: the median of three differences of a long and a short run.
fn measure(workers: usize, dim: usize) -> Result<Measured, String> {
    let times = (4_000_000 / (dim + 2_000)).clamp(4, 1000);
    let mut seconds = Vec::new();
    for _ in 0..3 {
        seconds.push((run(workers, dim, 2 * times)? - run(workers, dim, times)?) / times as f64);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(Measured { workers: workers as f64, dim: dim as f64, seconds: seconds[1].max(1e-6) })
}

/// Fits the constants of the model by nonnegative least squares of relative errors (coordinate descent).
fn fit(all: &[Measured]) -> [f64; 4] {
    let mut constants = [0.0; 4];
    for _ in 0..20_000 {
        for k in 0..4 {
            let (mut over, mut under) = (0.0, 0.0);
            for measured in all {
                let terms = measured.terms();
                let others: f64 = (0..4).filter(|other| *other != k).map(|other| constants[other] * terms[other]).sum();
                let scaled = terms[k] / measured.seconds;
                over += scaled * (1.0 - others / measured.seconds);
                under += scaled * scaled;
            }
            constants[k] = f64::max(over / under, 0.0);
        }
    }
    constants
}

fn predicted(constants: &[f64; 4], measured: &Measured) -> f64 {
    measured.terms().iter().zip(constants).map(|(term, constant)| term * constant).sum()
}

/// Cluster: seconds of latency per message, bytes per second of a link, and seconds per nonzero of a pass on one core.
struct Cluster {
    latency: f64,
    bandwidth: f64,
    nonzero: f64,
}

impl Cluster {
    /// Returns the seconds of one pass: the rows of a worker, and the exchange by one coordinator or along a tree of workers.
    fn pass(&self, rows: f64, nonzeros: f64, dim: f64, workers: f64, per_number: f64, is_tree: bool) -> f64 {
        let bytes = 8.0 * dim.min(rows / workers * nonzeros * 2.0);
        let steps = workers.log2().ceil().max(1.0);
        let exchange = match is_tree {
            true => 2.0 * steps * (self.latency + bytes / self.bandwidth),
            false => 2.0 * self.latency + 2.0 * workers * bytes / self.bandwidth,
        };
        rows * nonzeros * self.nonzero / workers + dim * per_number + exchange
    }
}

fn tables(per_number: f64) {
    let cluster = Cluster { latency: 2e-4, bandwidth: 1.25e9, nonzero: 2e-9 };
    println!(
        "\nSeconds of a pass, 100 nonzeros per row; links of 10 Gbit/s with 0.2 ms of latency, {} ns per nonzero\n",
        cluster.nonzero * 1e9
    );
    println!(
        "| rows | features | workers | rows alone | one coordinator | tree |\n| ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for rows in [1e9, 1e12] {
        for bits in [24, 30] {
            for workers in [10.0, 100.0, 1000.0] {
                let dim = 2_f64.powi(bits);
                let alone = rows * 100.0 * cluster.nonzero / workers;
                let [star, tree] = [false, true].map(|tree| cluster.pass(rows, 100.0, dim, workers, per_number, tree));
                println!("| 10^{} | 2^{bits} | {workers} | {alone:.1} | {star:.1} | {tree:.1} |", rows.log10());
            }
        }
    }
}

fn all() -> Result<(), String> {
    let mut measured = Vec::new();
    for workers in [1, 2, 3, 4, 6, 8] {
        for bits in [8, 12, 14, 16, 18, 20, 22] {
            measured.push(measure(workers, 1 << bits)?);
        }
    }
    let half = |odd: usize| measured.iter().copied().skip(odd).step_by(2).collect::<Vec<_>>();
    let (fitted, held_back) = (half(0), half(1));
    let constants = fit(&fitted);
    println!("a + b·W + (c + e·W)·d with a, b, c, e = {constants:?} s, fitted to every second measurement\n");
    println!("| workers | features | ms | model | error | |\n| ---: | ---: | ---: | ---: | ---: | --- |");
    for (k, one) in measured.iter().enumerate() {
        let (model, kind) = (predicted(&constants, one), if k % 2 == 0 { "fitted" } else { "held back" });
        let error = 100.0 * (model / one.seconds - 1.0);
        println!(
            "| {} | {} | {:.3} | {:.3} | {error:+.0} % | {kind} |",
            one.workers,
            one.dim,
            1e3 * one.seconds,
            1e3 * model
        );
    }
    let mut errors: Vec<f64> =
        held_back.iter().map(|one| (predicted(&constants, one) / one.seconds - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let (median, largest) = (errors[errors.len() / 2], errors[errors.len() - 1]);
    println!("\nheld back: median error {:.0} %, largest {:.0} %", 100.0 * median, 100.0 * largest);
    tables(constants[2]);
    Ok(())
}

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("worker") => {
            processes::serve(Sums, std::io::stdin().lock(), std::io::stdout()).map_err(|error| error.to_string())
        }
        _ => all(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(says) => {
            eprintln!("scale: {says}");
            ExitCode::FAILURE
        }
    }
}
