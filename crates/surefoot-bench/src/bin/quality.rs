//! Quality of default settings: `cargo run --release -p surefoot-bench --bin quality -- DIR [--passes N] [--loss NAME]`.
//!
//! Trains on every DIR/NAME.train.svm that has a DIR/NAME.test.svm beside it (plain, gzip or zstd), and prints one line per task.

use std::{path::PathBuf, process::ExitCode};
use surefoot_bench::{Outcome, Task, tasks};
use surefoot_glm::{Loss, Plan, Settings};

const USAGE: &str = "usage: quality DIR [--passes N] [--loss NAME]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(says) => {
            eprintln!("quality: {says}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let (mut folder, mut plan, mut settings) = (None, Plan::ONE_PASS, Settings::default());
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().and_then(|value| value.into_string().ok()).ok_or(USAGE);
        match arg.to_str() {
            Some("--passes") => plan.passes = value()?.parse().ok().filter(|&n| n > 0).ok_or(USAGE)?,
            Some("--loss") => settings.loss = loss(&value()?)?,
            _ if folder.is_none() => folder = Some(PathBuf::from(arg)),
            _ => return Err(USAGE.to_owned()),
        }
    }
    let folder = folder.ok_or(USAGE)?;
    let tasks = tasks(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    println!("{}", head(settings.loss, plan));
    for task in tasks {
        match task.run(&settings, plan) {
            Ok(outcome) => println!("{}", line(&task, &outcome)),
            Err(error) => println!("{:16} not used: {error}", task.name),
        }
    }
    Ok(())
}

fn loss(name: &str) -> Result<Loss, String> {
    Loss::ALL.into_iter().find(|loss| loss.name() == name).ok_or_else(|| format!("no loss '{name}'; {USAGE}"))
}

fn head(loss: Loss, plan: Plan) -> String {
    let printed = if plan.passes == 1 { "progressive" } else { "held out" };
    let metrics = if loss.classifies() { "accuracy      AUC" } else { "         R² or D²" };
    format!("{:16} {:>9} {printed:>11} {:>11} {metrics:>17} {:>6}", "name", "rows", "test loss", "lane")
}

fn line(task: &Task, outcome: &Outcome) -> String {
    let test = &outcome.test;
    let metrics = match (test.accuracy, test.auc) {
        (Some(accuracy), auc) => format!("{accuracy:8.4} {:8.4}", auc.unwrap_or(f64::NAN)),
        _ => format!("{:17.4}", test.score().unwrap_or(f64::NAN)),
    };
    let [printed, loss] = [outcome.loss, test.loss].map(|loss| short(loss.unwrap_or(f64::NAN)));
    format!("{:16} {:>9} {printed:>11} {loss:>11} {metrics} {:>6}", task.name, outcome.rows, outcome.lane)
}

/// Formats a loss with four decimals if they suffice, otherwise with six significant digits.
fn short(loss: f64) -> String {
    if loss.abs() >= 0.01 && loss.abs() < 1e4 { format!("{loss:.4}") } else { format!("{loss:.5e}") }
}
