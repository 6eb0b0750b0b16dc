//! Commands whose work is spread over shards.

use super::{
    eval,
    fit::{self, Finished},
    job::Job,
    page::{self, Seen},
    predict,
};
use crate::{
    failure::{Failure, Refused},
    flags::{
        cli::{Cli, Command, EngineArgs, EvalArgs, FitArgs, PredictArgs},
        hint,
    },
    terminal::{console::Console, unused},
};
use serde_json::Value;
use std::{
    ffi::{OsStr, OsString},
    sync::Arc,
    time::Duration,
};
use surefoot_distributed::Exchange;
use surefoot_glm::Model;

/// Command with its flags.
#[derive(Debug)]
pub(crate) enum Task {
    Fit(Box<FitArgs>),
    Predict(Box<PredictArgs>),
    Eval(Box<EvalArgs>),
}

/// Outcome of a run.
pub(super) struct Outcome {
    pub(super) model: Option<Model>,
    pub(super) results: Value,
    /// Report page of a fit, if it was asked for.
    pub(super) page: Option<String>,
    /// Whether the run has come to its end, and is not to go on later.
    pub(super) is_over: bool,
}

impl Outcome {
    fn of(results: Value) -> Outcome {
        Outcome { model: None, results, page: None, is_over: true }
    }
}

impl Task {
    /// Parses the words of a command line behind the name of the program.
    pub(crate) fn parse(line: &[String]) -> Result<Task, Failure> {
        let words: Vec<OsString> =
            ["surefoot"].into_iter().chain(line.iter().map(String::as_str)).map(OsString::from).collect();
        match Cli::read(words.clone()) {
            Ok(Cli { command: Some(Command::Fit(args)) }) => Ok(Task::Fit(args)),
            Ok(Cli { command: Some(Command::Predict(args)) }) => Ok(Task::Predict(args)),
            Ok(Cli { command: Some(Command::Eval(args)) }) => Ok(Task::Eval(args)),
            Ok(_) => Err(Failure::usage("flags of fit, predict or eval are needed")),
            Err(error) => Err(Failure::usage(hint::refusal(&error, &words).0)),
        }
    }

    /// Checks the flags, and divides the inputs into shards.
    pub(crate) fn prepare(&self, line: &[String]) -> Result<Job, Failure> {
        match self {
            Task::Fit(args) => fit::prepare(line, args),
            Task::Predict(args) => predict::prepare(line, args),
            Task::Eval(args) => eval::prepare(line, args),
        }
    }

    /// Does the part of one worker, and returns the result, which is the same in all of them.
    pub(super) fn work(&self, job: &Job, exchange: &Arc<Exchange>) -> Result<Vec<u8>, Failure> {
        match self {
            Task::Fit(args) => fit::work(job, args, exchange),
            Task::Predict(args) => predict::work(job, args, exchange),
            Task::Eval(args) => eval::work(job, args, exchange),
        }
    }

    /// Reads the result of the workers of a run; warnings go to the console.
    pub(super) fn conclude(
        &self,
        job: &Job,
        result: &[u8],
        seen: &Seen<'_>,
        console: &Console,
    ) -> Result<Outcome, Failure> {
        match self {
            Task::Fit(args) => {
                let finished = Finished::from_bytes(result).map_err(Failure::data)?;
                let page = page::html(&finished, job, args, seen)?;
                finished.remove_checkpoint(args.checkpoint.as_deref());
                unused::tell_groups(&finished.numbers.unused_groups, console);
                let (results, is_over) = (finished.results(seen.seconds), finished.is_over());
                Ok(Outcome { model: finished.model, results, page, is_over })
            }
            _ if result.is_empty() => Ok(Outcome { is_over: false, ..Outcome::of(Value::Null) }),
            Task::Predict(args) => Ok(Outcome::of(predict::results(job, args, result, console)?)),
            Task::Eval(args) => Ok(Outcome::of(eval::results(job, args, result, console)?)),
        }
    }

    /// Removes what workers that were ended may have left.
    pub(super) fn clear(&self, job: &Job) {
        if let Task::Predict(_) = self {
            predict::clear(job);
        }
    }

    /// Whether a run that is stopped early has a result.
    pub(super) fn has_partial_result(&self) -> bool {
        self.is_fit()
    }

    pub(super) fn is_fit(&self) -> bool {
        matches!(self, Task::Fit(_))
    }

    pub(super) fn engine(&self) -> &EngineArgs {
        match self {
            Task::Fit(args) => &args.engine,
            Task::Predict(args) => &args.engine,
            Task::Eval(args) => &args.engine,
        }
    }

    pub(super) fn checkpoint(&self) -> Option<&OsStr> {
        match self {
            Task::Fit(args) => args.checkpoint.as_deref(),
            Task::Predict(_) | Task::Eval(_) => None,
        }
    }

    /// Returns the limit of the memory of each worker.
    pub(super) fn memory(&self) -> Option<usize> {
        match self {
            Task::Fit(args) => args.memory.memory,
            Task::Predict(args) => args.memory.memory,
            Task::Eval(args) => args.memory.memory,
        }
    }

    pub(super) fn budget(&self) -> Option<Duration> {
        match self {
            Task::Fit(args) => args.budget,
            Task::Predict(_) | Task::Eval(_) => None,
        }
    }
}

impl Job {
    /// Parses a command line of `surefoot fit`, `predict` or `eval`, without the name of the program, checks it, and divides the inputs that
    /// it names into shards, after reading the first rows.
    ///
    /// ```
    /// use surefoot_cli::distributed::Job;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("rows.svm");
    /// std::fs::write(&path, "1 1:0.5\n0 1:1\n1 1:0.3\n0 1:2\n")?;
    /// let path = path.display().to_string();
    /// let job = Job::prepare(["fit", &path, "--passes", "auto", "--l2", "0.1", "--engine", "local", "--shards", "2"])?;
    /// assert_eq!((job.shards(), Job::from_bytes(&job.to_bytes())?.shards()), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first flag at fault, or an input that cannot be read, with a remedy.
    pub fn prepare<W: AsRef<str>>(line: impl IntoIterator<Item = W>) -> Result<Job, Refused> {
        let line: Vec<String> = line.into_iter().map(|word| word.as_ref().to_owned()).collect();
        Ok(Task::parse(&line)?.prepare(&line)?)
    }
}
