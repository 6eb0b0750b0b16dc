//! The `surefoot` command: see the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(surefoot_cli::command(std::env::args_os()))
}
