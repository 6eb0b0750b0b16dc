//! Choice of the engine that carries out a job: this program, the program that runs the command, or the Python package.

use super::{job::Job, local, run::Run, task::Task};
use crate::{
    failure::Failure,
    flags::{cli::EngineArgs, values::Engine},
    process::typed,
    terminal::reporter::Reporter,
    words::number,
};
use std::process;
use surefoot_fit::{StopConditions, StopReason};

/// Engines of the program that runs the command, if it has any.
pub(crate) type Engines<'a> = Option<&'a mut dyn FnMut(Run) -> Option<Run>>;

/// Passes the command line to the Python package, if its flags name an engine of the package and this program has none.
pub(crate) fn passed_on(flags: &EngineArgs, engines: &Engines<'_>) -> Option<Result<(), Failure>> {
    let is_elsewhere = matches!(flags.engine, Some(Engine::Python(_))) && engines.is_none();
    is_elsewhere.then(by_python)
}

fn by_python() -> Result<(), Failure> {
    let python = std::env::var_os("SUREFOOT_PYTHON").unwrap_or_else(|| "python3".into());
    let status = process::Command::new(&python).args(["-m", "surefoot.distributed"]).args(typed::words()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        // The message is printed already.
        Ok(status) => Err(Failure { status: status.code().map_or(1, |code| code as u8), message: String::new() }),
        Err(error) => {
            let python = python.to_string_lossy();
            let remedy = "pip install surefoot, and name its interpreter by SUREFOOT_PYTHON";
            Err(Failure::data(format!(
                "this engine is one of the Python package, and {python} cannot be run ({error}): {remedy}"
            )))
        }
    }
}

/// Job that has ended.
pub(crate) struct Carried {
    /// Result of the workers; empty if the job was stopped before there was one.
    pub(crate) result: Vec<u8>,
    /// Reason why the job was asked to end early, if it was.
    pub(crate) stopped: Option<StopReason>,
    pub(crate) reporter: Reporter,
}

/// Has the workers of an engine carry out a job, until it has ended or is stopped.
pub(crate) fn carry_out(
    job: Job,
    stop: &StopConditions,
    mut reporter: Reporter,
    engines: Engines<'_>,
) -> Result<Carried, Failure> {
    let task = Task::parse(&typed::words())?;
    let (result, mut reporter) = match (&task.engine().engine, engines) {
        (Some(Engine::Python(_)), Some(engines)) => {
            let run = engines(Run::new(job, task, stop.clone(), reporter));
            run.ok_or_else(|| Failure::data("the engine gave up the run"))?.end()
        }
        _ => {
            let workers = task.engine().workers.map_or_else(cores, usize::from).min(job.shards());
            let shards = number::count(job.shards() as u64);
            let text =
                format!("engine: {workers} worker processes, {shards} shards; every worker reads the rows of its own");
            reporter.console.say(&text);
            let result = local::run(&job, &task, workers, &|| stop.check().is_err(), &mut reporter);
            // Also after a result: a worker may have been ended while it repeated what was done already.
            task.clear(&job);
            (result, reporter)
        }
    };
    reporter.end();
    Ok(Carried { result: result?, stopped: stop.check().err(), reporter })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
