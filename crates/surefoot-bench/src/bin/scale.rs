//! Cost of a distributed fit: `cargo run --release -p surefoot-bench --bin scale`.
//!
//! Measures on this machine what an exchange of vectors, a pass of the optimum and a round of one pass take, fits a model to every second
//! of these measurements, and prints how far the others are from it. Then come tables of what the model gives for clusters.

use std::process::ExitCode;
use surefoot_bench::scale::{Costs, check_of_simulation, earlier_runs, next_choices, serve, tables};

/// Number of runs of each exchange among processes.
const RUNS: usize = 3;

fn all() -> Result<(), String> {
    let costs = Costs::measure(RUNS, &|part| eprintln!("scale: measures {part}"))?;
    let Costs { coordinator, worker, pass, work, send, join, absorb, .. } = &costs;
    println!("A feature in the sums of a round has {:.1} bytes (median of the rounds).", costs.bytes);
    println!("An exchange of vectors takes {:.2} of its processor time by the clock (median).", costs.clock);
    for model in [coordinator, worker, pass, work, send, join, absorb] {
        print!("{model}");
    }
    print!("{}{}{}{}", check_of_simulation(&costs), tables(&costs), next_choices(&costs), earlier_runs(&costs));
    Ok(())
}

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        Some("worker") => serve().map_err(|error| error.to_string()),
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
