//! Distributed fit in progress, for an engine that starts workers and carries their messages.

use super::{
    checkpoint,
    job::{Finished, Job},
    page,
    report::{Latest, Report},
};
use crate::{
    failure::{Failure, Refused},
    flags::{cli::FitArgs, inputs, values::Engine},
    terminal::{
        console::{Console, Listener, Message},
        record::Record,
        reporter::Reporter,
    },
};
use serde_json::Value;
use std::{
    fmt,
    io::Error,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use surefoot_distributed::{Action, Coordinator, Plan};
use surefoot_fit::{Data, StopConditions, StopReason};
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
    address: String,
    workers: Option<usize>,
    /// Rows of a run whose report page is wanted.
    reported: Option<Data>,
    checkpoint: Option<PathBuf>,
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

/// Result of a distributed fit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Concluded {
    /// Trained model; `None` if the run was stopped before there was one.
    pub model: Option<Model>,
    /// Why the run ended early; `None` if it did not.
    pub stop: Option<StopReason>,
    /// Results as the command prints them in the last line of `--json`.
    pub results: Value,
    /// Losses recorded during the run, as lists of equal length.
    pub curve: Value,
    /// Report page, if it was asked for.
    pub page: Option<String>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("address", &self.address).field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl Run {
    /// Prepares the run of a command line of `surefoot fit` without the name of the program. With `--report` the result holds the page,
    /// which is not written to a file. `stop` says when it is to end early, beside
    /// `--budget`; `tell` receives the messages that the command would print.
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
        let (job, args) = Job::with_flags(&line)?;
        let console = Console::to(Listener(Arc::new(tell)));
        let reporter = Reporter::new(console, false, 1, Some(Record::new()));
        let deadline = args.budget.and_then(|budget| started.checked_add(budget));
        let reported = args.report.as_ref().map(|_| inputs::data(&args.data)).transpose().map_err(Failure::from)?;
        Ok(Run { reported, ..Run::new(job, &args, stop.with_deadline(deadline), reporter) })
    }

    pub(crate) fn new(job: Job, args: &FitArgs, stop: StopConditions, reporter: Reporter) -> Run {
        Run {
            job,
            address: match &args.engine.engine {
                Some(Engine::Python(address)) => address.clone(),
                _ => "local".to_owned(),
            },
            workers: args.engine.workers.map(usize::from),
            reported: None,
            checkpoint: args.engine.checkpoint.as_ref().map(PathBuf::from),
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
        &self.address
    }

    /// Returns the number of workers that was asked for.
    #[must_use]
    pub fn workers(&self) -> Option<usize> {
        self.workers
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
        let bytes = self.job.to_bytes();
        let unreadable = |error: Error| Failure::data(format!("the checkpoint cannot be read: {error}"));
        let store = checkpoint::store(self.checkpoint.as_deref(), &bytes)?;
        let (console, shards) = (&self.reporter.console, self.job.shards());
        console.say(&format!("engine: {}, {workers} workers, {shards} shards", self.address));
        if store.end() > 0 {
            console.note(&format!("going on after {} exchanges, which the checkpoint has", store.end()));
        }
        let incarnation = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_millis() as u64);
        let plan = Plan { shards, workers: workers.min(shards), patience, incarnation };
        self.coordinator = Some(Coordinator::new(plan, bytes, store).map_err(unreadable)?);
        self.reporter.expect_workers(shards, self.job.bytes());
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
        let (stop, reported, job) = (self.must_stop(), self.reported.take(), self.job.clone());
        let (finished, reporter) = self.end();
        let finished = finished?;
        let stop = stop.filter(|_| !finished.is_over());
        let (seconds, is_stopped) = (reporter.seconds(), stop.is_some());
        let (record, workers) = (reporter.record.unwrap_or_else(Record::new), &reporter.watched.workers);
        let about = |data| page::About { job: &job, data, record: &record, workers, seconds, is_stopped };
        let page = reported.as_ref().map(|data| page::html(&finished, &about(data))).transpose()?.flatten();
        let (results, curve) = (finished.results(seconds), record.curve());
        Ok(Concluded { model: finished.model, stop, results, curve, page })
    }

    /// Returns the result of the workers, and the reporter. The checkpoint of a run that is over is removed.
    pub(crate) fn end(mut self) -> (Result<Finished, Failure>, Reporter) {
        self.watch();
        self.reporter.end_workers();
        let ended = self.ended.unwrap_or_else(|| Err("the engine gave up the run".to_owned()));
        let finished = ended.and_then(|result| Finished::from_bytes(&result)).map_err(Failure::data);
        let folder = self.checkpoint.filter(|_| self.coordinator.is_some());
        let finished = match folder {
            Some(folder) => checkpoint::conclude(&folder, finished),
            None => finished,
        };
        (finished, self.reporter)
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
