//! Distributed fit with worker processes on this machine.

use super::{Finished, Job, program, report::Report};
use crate::{failure::Failure, process::memory, terminal::reporter::Reporter};
use std::{
    ffi::OsString,
    io,
    path::Path,
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};
use surefoot_distributed::{
    Coordinator, FolderStore, MemoryStore, Plan, Store,
    processes::{self, News},
};

/// Milliseconds to wait for a replacement of a lost worker; processes on one machine start within less.
const PATIENCE: u64 = 5_000;

/// Runs a worker on standard input and output, until its coordinator is gone.
pub(crate) fn work() -> Result<(), Failure> {
    match processes::serve(program(), io::stdin().lock(), io::stdout().lock()) {
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
    let store = store(checkpoint.map(Path::new), &bytes)?;
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
    let mut watch = |news: News<'_>| match news {
        News::Report(report) => {
            if let Ok(report) = serde_json::from_slice::<Report>(report) {
                report.show(reporter);
            }
        }
        News::Lost { status, .. } => {
            let how = status.map_or_else(String::new, |status| format!(" ({status})"));
            reporter.console.note(&format!("a worker was lost{how}; another one repeats its part"));
        }
        _ => {}
    };
    let result = processes::run(coordinator, workers, &mut command, stop, &mut watch);
    let finished = Finished::from_bytes(&result.map_err(Failure::data)?).map_err(Failure::data)?;
    if let Some(folder) = checkpoint.filter(|_| finished.is_over()) {
        remove(Path::new(folder));
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
    command
}

/// Name of the file, in the folder of a checkpoint, with the job that it belongs to.
const JOB: &str = "job.json";

/// Opens the checkpoint of a job, or creates it; without a folder, nothing survives the run.
fn store(folder: Option<&Path>, job: &[u8]) -> Result<Box<dyn Store>, Failure> {
    let Some(folder) = folder else { return Ok(Box::<MemoryStore>::default()) };
    let failed =
        |error: io::Error| Failure::data(format!("{}: the checkpoint cannot be used: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    match std::fs::read(folder.join(JOB)) {
        Ok(known) if known == job => {}
        Ok(_) => {
            let says =
                "holds the state of another run: repeat the command and the data of that run, or give another folder";
            return Err(Failure::data(format!("{}: {says}", folder.display())));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if folder.read_dir().map_err(failed)?.next().is_some() {
                return Err(Failure::data(format!(
                    "{}: give an empty folder, or one that is not there",
                    folder.display()
                )));
            }
            std::fs::write(folder.join(JOB), job).map_err(failed)?;
        }
        Err(error) => return Err(failed(error)),
    }
    Ok(Box::new(FolderStore::open(folder).map_err(failed)?))
}

/// Removes the checkpoint of a run that has ended. What cannot be removed costs disk space only.
fn remove(folder: &Path) {
    let Ok(entries) = folder.read_dir() else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name == JOB || name == "state" || name.starts_with("totals-") {
            let _ = std::fs::remove_file(path);
        }
    }
    let _ = std::fs::remove_dir(folder);
}
