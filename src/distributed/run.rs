//! Distributed fit in progress, for an engine that starts workers and carries their messages.

use super::{
    checkpoint,
    coordinator::coordinator,
    job::Job,
    page::Seen,
    report::{Latest, Report},
    task::{Outcome, Task},
};
use crate::{
    failure::{Failure, Refused},
    flags::values::Engine,
    terminal::{
        console::{Console, Listener, Message},
        record::Record,
        reporter::Reporter,
    },
};
use serde_json::Value;
use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};
use surefoot_distributed::{Action, Coordinator};
use surefoot_fit::{StopConditions, StopReason};
use surefoot_glm::Model;

/// Number of workers that may be lost without an exchange in between, before the run is given up.
const MAX_LOST: u64 = 5;
/// Time that a stopped run waits for a worker that has the model, if there is none.
const FAREWELL: Duration = Duration::from_secs(5);

/// Messages for workers: the number of the worker and the bytes.
pub type Letters = Vec<(u64, Vec<u8>)>;

/// Distributed fit whose workers are started by somebody else, who also carries the messages. It tells the run what happens, and sends
/// the messages that it gets in return, until the run [has ended](Run::has_ended).
///
/// ```
/// use surefoot_cli::distributed::{Run, program};
/// use surefoot_distributed::Worker;
/// use surefoot_fit::StopConditions;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("rows.svm");
/// std::fs::write(&path, "1 1:0.5\n0 1:1\n1 1:0.3\n0 1:2\n1 1:2\n")?;
/// let path = path.display().to_string();
/// let flags = ["fit", &path, "--passes=auto", "--l2=0.1", "--engine=local", "--shards=2"];
/// let mut run = Run::prepare(flags, StopConditions::default(), |_| {})?;
/// let mut worker = Worker::new(program());
/// run.start(1, 1000)?;
/// let mut letters = run.joined(0);
/// while let Some((_, letter)) = letters.pop() {
///     for answer in worker.handle(&letter) {
///         letters.extend(run.received(0, &answer));
///     }
/// }
/// assert_eq!(run.conclude()?.model.expect("there is a model").weight.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Run {
    job: Job,
    task: Task,
    stop: StopConditions,
    is_requested: bool,
    reporter: Reporter,
    coordinator: Option<Coordinator>,
    latest: Latest,
    lost: Lost,
    /// Time since which a stopped run has no worker.
    alone: Option<Instant>,
    ended: Option<Result<Vec<u8>, String>>,
}

/// Workers lost since the last exchange, and the number of exchanges then.
#[derive(Clone, Copy, Debug, Default)]
struct Lost {
    count: u64,
    exchanges: u64,
}

/// Result of a distributed run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Concluded {
    /// Trained model of a fit; `None` if the run was stopped before there was one.
    pub model: Option<Model>,
    /// Why the run ended early; `None` if it did not.
    pub stop: Option<StopReason>,
    /// Results as the command prints them in the last line of `--json`; of a prediction the numbers of rows; null if the run was stopped
    /// before there were any.
    pub results: Value,
    /// Losses recorded during the run, as lists of equal length.
    pub curve: Value,
    /// Report page of a fit with `--report`, which is not written to a file.
    pub page: Option<String>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("address", &self.address()).field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl Run {
    /// Prepares the run of a command line of `surefoot fit`, `predict` or `eval` without the name of the program. `stop` says when it is to
    /// end early, beside `--budget`; `tell` receives the messages that the command would print.
    ///
    /// # Errors
    /// The first flag at fault, or an input that cannot be read, with a remedy.
    pub fn prepare<W: AsRef<str>>(
        line: impl IntoIterator<Item = W>,
        stop: StopConditions,
        tell: impl Fn(Message<'_>) + Send + Sync + 'static,
    ) -> Result<Run, Refused> {
        let started = Instant::now();
        let line: Vec<String> = line.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let task = Task::parse(&line)?;
        let job = task.prepare(&line)?;
        let console = Console::to(Listener(Arc::new(tell)));
        let reporter = Reporter::new(console, false, 1, Some(Record::new()));
        let deadline = task.budget().and_then(|budget| started.checked_add(budget));
        Ok(Run::new(job, task, stop.with_deadline(deadline), reporter))
    }

    pub(crate) fn new(job: Job, task: Task, stop: StopConditions, reporter: Reporter) -> Run {
        Run {
            job,
            task,
            stop,
            is_requested: false,
            reporter,
            coordinator: None,
            latest: Latest::default(),
            lost: Lost::default(),
            alone: None,
            ended: None,
        }
    }

    /// Returns the name or address of the engine: `local`, `ray`, `ray://HOST:PORT` or `mpi`.
    #[must_use]
    pub fn address(&self) -> &str {
        match &self.task.engine().engine {
            Some(Engine::Python(address)) => address,
            _ => "local",
        }
    }

    /// Returns the number of workers that was asked for.
    #[must_use]
    pub fn workers(&self) -> Option<usize> {
        self.task.engine().workers.map(usize::from)
    }

    /// Returns the number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.job.shards()
    }

    /// Opens the checkpoint, and gets ready for this many workers. It waits `patience` milliseconds for those that are missing.
    ///
    /// # Errors
    /// If the checkpoint cannot be used.
    pub fn start(&mut self, workers: usize, patience: u64) -> Result<(), Refused> {
        let console = &self.reporter.console;
        console.say(&format!("engine: {}, {workers} workers, {} shards", self.address(), self.job.shards()));
        self.coordinator = Some(coordinator(&self.job, &self.task, workers, patience, console)?);
        self.reporter.expect_workers(self.job.shards(), self.job.bytes(), self.task.is_fit());
        Ok(())
    }

    /// Takes note of a new worker.
    pub fn joined(&mut self, worker: u64) -> Letters {
        self.reporter.worker_joined(worker);
        self.tell(|coordinator| coordinator.joined(worker))
    }

    /// Takes note that a worker is lost, and why.
    pub fn lost(&mut self, worker: u64, how: &str) -> Letters {
        if self.has_ended() {
            return Letters::new();
        }
        self.reporter.worker_lost(worker, how);
        let how = if how.is_empty() { String::new() } else { format!(" ({how})") };
        let exchanges = self.exchanges();
        let count = if exchanges > self.lost.exchanges { 1 } else { self.lost.count + 1 };
        self.lost = Lost { count, exchanges };
        if count > MAX_LOST {
            self.fail(format!("workers end again and again{how}: is there enough memory?"));
        }
        self.tell(|coordinator| coordinator.lost(worker))
    }

    /// Takes a message of a worker.
    pub fn received(&mut self, worker: u64, message: &[u8]) -> Letters {
        let now = self.now();
        let mut letters = self.tell(|coordinator| coordinator.tick(now));
        letters.extend(self.tell(|coordinator| coordinator.received(worker, message)));
        if self.has_ended() {
            self.watch();
        }
        letters
    }

    /// Takes note of the time; to be called several times a second.
    pub fn tick(&mut self) -> Letters {
        let now = self.now();
        let mut letters = self.tell(|coordinator| coordinator.tick(now));
        self.watch();
        if self.must_stop().is_some() {
            letters.extend(self.tell(Coordinator::stop));
            self.give_up_alone();
        }
        letters
    }

    /// Asks the run to end early, with the best model so far.
    pub fn stop(&mut self) {
        self.is_requested = true;
    }

    /// Ends the run with an error, unless it has ended.
    pub fn fail(&mut self, message: String) {
        self.ended.get_or_insert(Err(message));
    }

    /// Prints a note.
    pub fn note(&self, text: &str) {
        self.reporter.console.note(text);
    }

    /// Whether the run has ended, with or without a result.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Returns where the run stands, as JSON.
    #[must_use]
    pub fn status(&self) -> Value {
        self.latest.status(&self.reporter)
    }

    /// Returns the result of a run that has ended.
    ///
    /// # Errors
    /// The message with which the run has failed.
    pub fn conclude(mut self) -> Result<Concluded, Refused> {
        let (stop, seconds) = (self.must_stop(), self.reporter.seconds());
        self.watch();
        self.reporter.end_workers();
        let record = self.reporter.record.take().unwrap_or_else(Record::new);
        let (result, workers) = (self.result()?, &self.reporter.watched.workers);
        let seen = Seen { record: &record, workers, seconds, is_stopped: stop.is_some() };
        let outcome = self.task.conclude(&self.job, &result, &seen, &self.reporter.console)?;
        let Outcome { model, results, page, is_over } = outcome;
        Ok(Concluded { model, stop: stop.filter(|_| !is_over), results, curve: record.curve(), page })
    }

    /// Returns the result of the workers, and the reporter.
    pub(crate) fn end(mut self) -> (Result<Vec<u8>, Failure>, Reporter) {
        self.watch();
        self.reporter.end_workers();
        (self.result(), self.reporter)
    }

    fn result(&mut self) -> Result<Vec<u8>, Failure> {
        let ended = self.ended.take().unwrap_or_else(|| Err("the engine gave up the run".to_owned()));
        self.task.clear(&self.job);
        let checkpoint = self.task.checkpoint().filter(|_| self.coordinator.is_some());
        ended.map_err(|message| checkpoint::kept(checkpoint, Failure::data(message)))
    }

    /// Returns the time in milliseconds since the start.
    fn now(&self) -> u64 {
        (self.reporter.seconds() * 1000.0) as u64
    }

    /// Shows the state of the workers.
    fn watch(&mut self) {
        if let Some(coordinator) = &self.coordinator {
            self.reporter.watch(&coordinator.status());
        }
    }

    fn must_stop(&self) -> Option<StopReason> {
        if self.is_requested { Some(StopReason::Requested) } else { self.stop.check().err() }
    }

    fn exchanges(&self) -> u64 {
        self.coordinator.as_ref().map_or(0, |coordinator| coordinator.status().exchanges)
    }

    /// Ends a stopped run without a model if there is no worker to ask for it.
    fn give_up_alone(&mut self) {
        let is_alone = self.coordinator.as_ref().is_none_or(|coordinator| coordinator.status().workers.is_empty());
        self.alone = is_alone.then(|| self.alone.unwrap_or_else(Instant::now));
        if self.alone.is_some_and(|since| since.elapsed() > FAREWELL) {
            self.ended.get_or_insert(Ok(Vec::new()));
        }
    }

    /// Tells the coordinator something, and does what it asks, but for the messages to workers, which it returns.
    fn tell(&mut self, what: impl FnOnce(&mut Coordinator) -> Vec<Action>) -> Letters {
        let Some(coordinator) = &mut self.coordinator else { return Letters::new() };
        let mut letters = Letters::new();
        for action in what(coordinator) {
            match action {
                Action::Send { worker, message } => letters.push((worker, message)),
                Action::Report(report) => self.show(&report),
                Action::Finished(result) => _ = self.ended.get_or_insert(Ok(result)),
                Action::Failed(message) => self.fail(message),
            }
        }
        letters
    }

    fn show(&mut self, report: &[u8]) {
        let Ok(report) = serde_json::from_slice::<Report>(report) else { return };
        self.latest = self.latest.after(&report);
        report.show(&mut self.reporter);
    }
}

/// Returns the number of bytes that rows kept in memory may use, for all workers on this machine together.
#[must_use]
pub fn memory() -> usize {
    crate::process::memory::for_rows()
}
