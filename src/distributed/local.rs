//! Distributed run with worker processes on this machine.

use super::{checkpoint, coordinator::coordinator, job::Job, program::program, report::Report, task::Task};
use crate::{failure::Failure, process::memory, terminal::reporter::Reporter};
use std::{io, process::Command};
use surefoot_distributed::processes::{self, News};

/// Milliseconds to wait for a replacement of a lost worker; processes on one machine start within less.
const PATIENCE: u64 = 5_000;

/// Runs a worker on standard input and output, until its coordinator is gone.
pub(crate) fn work() -> Result<(), Failure> {
    match processes::serve(program(), io::stdin().lock(), io::stdout()) {
        // The coordinator has ended, and has said why.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        served => served.map_err(|error| Failure::data(format!("the connection to the coordinator is lost: {error}"))),
    }
}

/// Runs a job on this many worker processes, and returns their result. `stop` tells whether the run is to end early.
pub(super) fn run(
    job: &Job,
    task: &Task,
    workers: usize,
    stop: &dyn Fn() -> bool,
    reporter: &mut Reporter,
) -> Result<Vec<u8>, Failure> {
    let coordinator = coordinator(job, task, workers, PATIENCE, &reporter.console)?;
    // Workers share the memory that is free, unless each has a limit of its own.
    let memory = task.memory().ok_or(memory::for_rows() / workers.max(1));
    let mut command = || worker(memory);
    reporter.expect_workers(job.shards(), job.bytes(), task.is_fit());
    let mut watch = |news: News<'_>| match news {
        News::Report(report) => {
            if let Ok(report) = serde_json::from_slice::<Report>(report) {
                report.show(reporter);
            }
        }
        News::Started { worker, .. } => reporter.worker_joined(worker),
        News::Lost { worker, status } => {
            let how = status.map_or_else(String::new, |status| status.to_string());
            reporter.worker_lost(worker, &how);
        }
        News::Status(status) => reporter.watch(status),
        _ => {}
    };
    let result = processes::run(coordinator, workers, &mut command, stop, &mut watch);
    reporter.end_workers();
    result.map_err(|message| checkpoint::kept(task.checkpoint(), Failure::data(message)))
}

/// Returns the command that starts a worker: this program, or the interpreter that runs it as a package. `memory` is the limit of its
/// memory or, without one, the share of it for rows.
fn worker(memory: Result<usize, usize>) -> Command {
    let mut command = match std::env::var_os("SUREFOOT_WORKER_PYTHON") {
        Some(python) => {
            let mut command = Command::new(python);
            command.args(["-m", "surefoot"]);
            command
        }
        None => Command::new(std::env::current_exe().unwrap_or_else(|_| "surefoot".into())),
    };
    command.arg("worker");
    match memory {
        Ok(limit) => command.args(["--memory", &limit.to_string()]),
        Err(for_rows) => command.env(memory::VARIABLE, for_rows.to_string()),
    };
    // Ctrl-C in a terminal is for this process, which then asks the workers to stop.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}
