//! Cost of a distributed fit: `cargo run --release -p surefoot-bench --bin scale`.
//!
//! Measures on this machine what an exchange of vectors, a pass of the optimum and a round of one pass take, fits a model to every second
//! of these measurements, and prints how far the others are from it. Then come tables of what the model gives for clusters.
//!
//! With `measure FILE` the measurements are stored as well, and `from FILE` prints all from them.

use std::{fs, process::ExitCode};
use surefoot_bench::scale::{Costs, Measurements, check_of_simulation, earlier_runs, next_choices, serve, tables};

/// Number of times that everything is measured.
const REPEATS: usize = 3;

fn measure() -> Result<Measurements, String> {
    Measurements::take(REPEATS, &|part| eprintln!("scale: measures {part}"))
}

fn print(measurements: &Measurements) {
    let costs = Costs::of(measurements);
    println!("A feature in the sums of a round has {:.1} bytes (median of the rounds).", measurements.bytes);
    println!("An exchange of vectors takes {:.2} of its processor time by the clock (median).", measurements.clock);
    let Costs { coordinator, worker, pass, work, send, join, absorb } = &costs;
    for model in [coordinator, worker, pass, work, send, join, absorb] {
        print!("{model}");
    }
    print!("{}{}{}{}", check_of_simulation(&costs), tables(&costs), next_choices(&costs), earlier_runs(&costs));
}

fn run(asked: &[&str]) -> Result<(), String> {
    let fault = |error: std::io::Error| error.to_string();
    match asked {
        ["worker"] => return serve().map_err(fault),
        [] => print(&measure()?),
        ["measure", file] => {
            let measurements = measure()?;
            fs::write(file, measurements.to_json()).map_err(fault)?;
            print(&measurements);
        }
        ["from", file] => print(&Measurements::from_json(&fs::read_to_string(file).map_err(fault)?)?),
        _ => return Err("usage: scale [measure FILE | from FILE]".to_owned()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    match run(&asked.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(says) => {
            eprintln!("scale: {says}");
            ExitCode::FAILURE
        }
    }
}
