//! The `surefoot` command: learns linear models from streams of rows, predicts with them and inspects them.
//!
//! This library is the command itself, [`command`], and the fit behind it for programs that call it with the same flags, [`embedded`], such
//! as the Python package. A program of its own is better off with the crate `surefoot-fit`.
//!
//! Each command is one file in `commands`; all flags are declared in `flags::cli`. A command either succeeds or returns a failure, whose
//! status becomes the exit status and whose message is printed here as one line.

mod apply;
mod commands;
pub mod distributed;
pub mod embedded;
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
    hint,
};
use process::{memory, streams, typed};
use std::ffi::OsString;
use terminal::{console, lines};

/// Runs a command line, whose first word is the name of the program, and returns its exit status: 0 if it succeeded, 1 if the data or a file
/// are at fault, 2 if the command line is, 128 plus the number of the signal if one ended it. Prints to standard output and standard error,
/// and catches signals: at most one call per process.
pub fn command(line: impl IntoIterator<Item = OsString>) -> u8 {
    run_line(line, None)
}

/// Runs a command line as [`command`] does, with engines that this program has: `engines` carries out a distributed run other than that of
/// `--engine local`, and returns it when it has ended; `None` if there is nothing to return.
pub fn command_with_engines(
    line: impl IntoIterator<Item = OsString>,
    engines: &mut dyn FnMut(distributed::Run) -> Option<distributed::Run>,
) -> u8 {
    run_line(line, Some(engines))
}

fn run_line(line: impl IntoIterator<Item = OsString>, engines: distributed::engines::Engines<'_>) -> u8 {
    streams::keep_closed();
    let line: Vec<OsString> = line.into_iter().collect();
    let typed: Vec<String> = line.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let outcome = match Cli::read(line.clone()) {
        Ok(Cli { command: Some(command) }) => typed::during(&typed, || run(command, engines)),
        Ok(Cli { command: None }) => lines::printed(Cli::command().print_help()),
        Err(error) => explain(&error, &line),
    };
    match outcome {
        Ok(()) => 0,
        Err(failure) => {
            console::fail(&failure);
            failure.status
        }
    }
}

fn run(command: Command, engines: distributed::engines::Engines<'_>) -> Result<(), Failure> {
    memory::limit(match &command {
        Command::Fit(args) => args.memory.memory,
        Command::Predict(args) => args.memory.memory,
        Command::Eval(args) => args.memory.memory,
        Command::Worker(args) => args.memory.memory,
        _ => None,
    });
    match command {
        Command::Fit(args) => commands::fit::run(&args, engines),
        Command::Predict(args) => commands::predict::run(&args, engines),
        Command::Eval(args) => commands::eval::run(&args, engines),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Lab(args) => commands::lab::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
        Command::Worker(_) => distributed::local::work(),
    }
}

/// Handles arguments that clap did not parse: prints the help text or the version if requested; otherwise returns an error that
/// describes the mistake in the arguments.
fn explain(error: &clap::Error, line: &[OsString]) -> Result<(), Failure> {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return lines::printed(error.print());
    }
    let (message, end) = hint::refusal(error, line);
    Err(Failure::usage(format!("{message}{end} see surefoot --help")))
}
