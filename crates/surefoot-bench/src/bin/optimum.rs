//! Computes optima over data sets, and measures the time that this takes: `cargo run --release -p surefoot-bench --bin optimum < JOBS`.
//!
//! A job is a line `FILE.svm LOSS L1 L2 none|free TOL THREADS [nonnegative]`, and is answered by a JSON object. The time is that of the
//! search with rows in memory; reading is not included.

use serde_json::json;
use std::{io::BufRead, process::ExitCode, time::Instant};
use surefoot_bench::examples;
use surefoot_glm::{
    Bounds, Loss,
    optimum::{Examples, Goal, optimise},
};

fn main() -> ExitCode {
    match std::io::stdin()
        .lock()
        .lines()
        .try_fold(Held::default(), |held, line| job(&line.map_err(|error| error.to_string())?, held))
    {
        Ok(_) => ExitCode::SUCCESS,
        Err(says) => {
            eprintln!("optimum: {says}");
            ExitCode::from(2)
        }
    }
}

/// Data set kept in memory between jobs: the name of its file and its loss, the rows, and the number of classes.
type Held = (String, Examples, usize);

/// Does one job, described by a line of input. Takes the data set of the previous job, and returns the one in memory afterwards, so
/// that consecutive jobs need not read it again.
fn job(line: &str, mut held: Held) -> Result<Held, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let &[file, loss, l1, l2, intercept, tolerance, threads, ..] = &words[..] else {
        return Err(format!("no job: '{line}'"));
    };
    let known = Loss::ALL.into_iter().find(|known| known.name() == loss);
    let known = known.ok_or_else(|| format!("no loss '{loss}'"))?;
    let number = |word: &str| word.parse::<f64>().map_err(|_| format!("no number: '{word}'"));
    let name = format!("{file} {loss}");
    if held.0 != name {
        let (rows, classes) = examples(file.as_ref(), known).map_err(|error| error.to_string())?;
        held = (name, rows, classes);
    }
    let goal = Goal {
        loss: known,
        classes: held.2,
        l1: number(l1)?,
        l2: number(l2)?,
        bounds: if words.len() == 8 { Bounds::NONNEGATIVE } else { Bounds::FREE },
        rules: &[],
        intercept: intercept == "free",
        tolerance: number(tolerance)?,
        threads: number(threads)? as usize,
    };
    let begin = Instant::now();
    let found = optimise(&held.1, &goal, (&[], &[]), &|| false, &mut |_| ()).ok_or("no rows")?;
    let seconds = begin.elapsed().as_secs_f64();
    let zeros = found.weights.iter().filter(|w| **w == 0.0).count();
    println!(
        "{}",
        json!({
            "file": file, "loss": loss, "l1": goal.l1, "l2": goal.l2, "intercept": intercept, "seconds": seconds,
            "objective": found.objective, "gap": found.gap, "relative": found.relative_gap(), "passes": found.passes,
            "iterations": found.iterations, "ended": format!("{:?}", found.ended), "zeros": zeros, "b": found.intercept,
        })
    );
    Ok(held)
}
