//! `surefoot completions`: prints a completion script for a shell, generated from the definitions of the commands and their
//! flags.

use crate::{
    failure::Failure,
    flags::cli::{Cli, CompletionsArgs},
    terminal::lines,
};
use clap::CommandFactory;

pub(crate) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "surefoot", &mut script);
    lines::print(&script)
}
