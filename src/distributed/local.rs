//! Distributed fit with worker processes on this machine.

use super::{Finished, Job, checkpoint as stored, program, report::Report};
use crate::{failure::Failure, process::memory, terminal::reporter::Reporter};
use std::{
    ffi::OsString,
    io,
    path::Path,
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};
use surefoot_distributed::{
    Coordinator, Plan,
    processes::{self, News},
};

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

/// Runs a job on this many worker processes, each with this limit on its memory if there is one. `stop` tells whether the run is to end early.
pub(crate) fn run(
    job: &Job,
    workers: usize,
    memory: Option<usize>,
    checkpoint: Option<&OsString>,
    stop: &dyn Fn() -> bool,
    reporter: &mut Reporter,
) -> Result<Finished, Failure> {
    let bytes = job.to_bytes();
    let store = stored::store(checkpoint.map(Path::new), &bytes)?;
    if store.end() > 0 {
        reporter.console.note(&format!("going on after {} exchanges, which the checkpoint has", store.end()));
    }
    let incarnation = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_millis() as u64);
    let plan = Plan { shards: job.shards(), workers, patience: PATIENCE, incarnation };
    let unreadable = |error: io::Error| Failure::data(format!("the checkpoint cannot be read: {error}"));
    let coordinator = Coordinator::new(plan, bytes, store).map_err(unreadable)?;
    // Workers share the memory that is free, unless each has a limit of its own.
    let memory = memory.ok_or(memory::for_rows() / workers.max(1));
    let mut command = || worker(memory);
    reporter.expect_workers(job.shards(), job.bytes());
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
    let finished = Finished::from_bytes(&result.map_err(Failure::data)?).map_err(Failure::data)?;
    if let Some(folder) = checkpoint.filter(|_| finished.is_over()) {
        stored::remove(Path::new(folder));
    }
    Ok(finished)
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
