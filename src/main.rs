//! The `surefoot` command: learns linear models from streams of rows, predicts with them and inspects them.
//!
//! Each command is one file in [`commands`]; all flags are declared in [`cli`](flags::cli). A command either succeeds or returns a
//! [`Failure`], whose status becomes the exit status and whose message is printed here as one line.

mod commands;
mod failure;
mod flags;
mod html_report;
mod process;
mod terminal;
mod words;

use clap::{CommandFactory, error::ErrorKind};
use failure::Failure;
use flags::{
    cli::{Cli, Command},
    hint, values,
};
use process::{memory, streams};
use std::process::ExitCode;
use terminal::{console, lines};

fn main() -> ExitCode {
    streams::keep_closed();
    let outcome = match Cli::read(std::env::args_os()) {
        Ok(Cli { command: Some(command) }) => run(command),
        Ok(Cli { command: None }) => lines::printed(Cli::command().print_help()),
        Err(error) => explain(&error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            console::fail(&failure);
            ExitCode::from(failure.status)
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    memory::limit(match &command {
        Command::Fit(args) => args.memory.memory,
        Command::Predict(args) => args.memory.memory,
        Command::Eval(args) => args.memory.memory,
        _ => None,
    });
    match command {
        Command::Fit(args) => commands::fit::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Eval(args) => commands::eval::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Lab(args) => commands::lab::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}

/// Handles arguments that clap did not parse: prints the help text or the version if requested; otherwise returns an error that
/// describes the mistake in the arguments.
fn explain(error: &clap::Error) -> Result<(), Failure> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return lines::printed(error.print());
    }
    let message = values::first_paragraph(&error.to_string());
    let line: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    Err(Failure::usage(match hint::hint(error, &line) {
        Some(hint) => format!("{message}; did you mean: {hint}? see surefoot --help"),
        None => format!("{message}; see surefoot --help"),
    }))
}
