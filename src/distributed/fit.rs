//! Fit of several processes: its job, the part of a worker, and the result.

use super::{checkpoint, job::Job, report::Reports};
use crate::{
    failure::Failure,
    flags::{cli::FitArgs, inputs, start::Start, values::Passes},
    process::memory,
    terminal::results::Results,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{ffi::OsStr, path::Path, sync::Arc};
use surefoot_distributed::Exchange;
use surefoot_fit::{Data, Fit, Interrupt, Rounds, ShardedOutcome, UnusedGroups};
use surefoot_glm::{
    Caution, Model, Partial as RoundPartial, Plan, RoundTrainer, Summary, Trainer, optimum::Ended, shards::Interrupted,
};
use surefoot_io::{Inferred, check_inputs, model_from_bytes, model_to_bytes};

/// Prepares the job of a command line with these flags.
pub(super) fn prepare(line: &[String], args: &FitArgs) -> Result<Job, Failure> {
    check(args)?;
    let data = inputs::data(&args.data)?;
    check_inputs(data.inputs())?;
    let Start { mut fit, .. } = Start::new(args, &data)?;
    if let Err(Interrupt::Error(error)) = fit.read_means(&data) {
        return Err(error.into());
    }
    job(line, &data, &fit, args.engine.shards)
}

/// Divides the inputs of a fit into shards, after reading the first rows for the schema.
pub(crate) fn job(line: &[String], data: &Data, fit: &Fit<'_>, shards: u16) -> Result<Job, Failure> {
    if fit.plan().optimum.is_none() {
        let refused = |reason| Failure::usage(format!("{reason}; --passes auto takes it"));
        RoundTrainer::new(fit.settings().clone(), u32::from(shards)).map_err(refused)?;
    }
    Job::new(line, data.inputs(), fit.options(), shards)
}

/// Rounds of one pass by way of the exchange of the worker.
struct ByExchange<'e>(&'e Arc<Exchange>);

impl Rounds for ByExchange<'_> {
    fn start(&self) -> Option<Vec<u8>> {
        self.0.start().map(<[u8]>::to_vec)
    }

    fn combine(&self, own: RoundPartial) -> Result<RoundPartial, Interrupted> {
        self.0.combine_round(own)
    }

    fn reached(&self, state: &mut dyn FnMut() -> Vec<u8>) {
        self.0.reached(state);
    }
}

/// Makes one pass over the rows of all shards, or finds the optimum over them: the part of one worker.
pub(super) fn work(job: &Job, args: &FitArgs, exchange: &Arc<Exchange>) -> Result<Vec<u8>, Failure> {
    // The inputs were checked where the job was made, and need not all be there where a worker runs.
    let fit = Start::new(args, &Data::files(Vec::<String>::new()))?.fit;
    let own = exchange.own().map(|shard| Ok((shard, job.data(shard)?))).collect::<Result<Vec<_>, Failure>>()?;
    let fit = fit.memory(memory::for_rows()).threads(1).skip_bad_rows(args.skip_bad_rows);
    let fit = fit.observer(Reports::new(exchange.clone()));
    let outcome = match fit.plan().optimum {
        Some(_) => fit.run_shards(&own, job.schema(), &exchange.shards()),
        None => fit.run_rounds(&own, job.schema(), &exchange.shards(), &ByExchange(exchange)),
    };
    Finished::to_bytes(outcome?.as_ref()).map_err(Failure::data)
}

/// Returns an error for flags that mean something else, or nothing, for a fit of several processes.
pub(crate) fn check(args: &FitArgs) -> Result<(), Failure> {
    let refused = [
        (
            matches!(args.passes, Some(Passes::Times(2..))),
            "--engine makes one pass, or computes the optimum: leave --passes out, or give --passes auto",
        ),
        (
            args.resume.is_some(),
            "--engine starts from no model: a run with --checkpoint DIR goes on by the same command",
        ),
        (
            args.shuffle,
            "--shuffle is not supported with --engine: one pass reads the rows of each part in their order, and the optimum does not depend \
             on it",
        ),
        (args.settings.radius.is_some(), "--radius is not supported with --engine: leave one of them out"),
    ];
    match refused.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, message)) => Err(Failure::usage(message)),
        None => Ok(()),
    }
}

/// Result of a distributed fit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// Trained model; `None` if the run was stopped before there was one.
    pub model: Option<Model>,
    pub(crate) numbers: Numbers,
}

/// Results of the search for the optimum, beside the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Numbers {
    pub(crate) objective: Option<f64>,
    pub(crate) passes: f64,
    pub(crate) is_over: bool,
    pub(crate) ended: String,
    pub(crate) skipped: u64,
    /// Whether the labels are separable, and the numbers of weights and rows if there are more weights than rows.
    pub(crate) separable: bool,
    pub(crate) more_weights: Option<(usize, usize)>,
    #[serde(default)]
    pub(crate) unused_groups: UnusedGroups,
}

impl Numbers {
    pub(crate) fn caution(&self) -> Option<Caution> {
        let more = self.more_weights.map(|(weights, rows)| Caution::MoreWeightsThanRows { weights, rows });
        if self.separable { Some(Caution::Separable) } else { more }
    }

    /// Returns how the search has ended; `None` if there was none.
    pub(crate) fn ended(&self) -> Option<Ended> {
        const ALL: [Ended; 6] =
            [Ended::Certified, Ended::Decrement, Ended::Unattained, Ended::Stalled, Ended::Exhausted, Ended::Stopped];
        ALL.into_iter().find(|ended| format!("{ended:?}") == self.ended)
    }
}

impl Finished {
    /// Removes the checkpoint of a run that is over; to be called when the model is in safety.
    pub(crate) fn remove_checkpoint(&self, folder: Option<&OsStr>) {
        if let Some(folder) = folder.filter(|_| self.is_over()) {
            checkpoint::remove(Path::new(folder));
        }
    }

    /// Whether the run has come to its end, and is not to go on later.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.numbers.is_over
    }

    /// Returns the results as the command `fit --json` prints them in its last line, for a run of this many seconds.
    #[must_use]
    pub fn results(&self, seconds: f64) -> Value {
        self.with_results(seconds, |results| results.event())
    }

    /// Returns what a function makes of the results of a run of this many seconds.
    pub(super) fn with_results<T>(&self, seconds: f64, make: impl FnOnce(&Results<'_>) -> T) -> T {
        let found = Inferred::default();
        let Some(model) = &self.model else { return make(&Results::nothing(&Summary::default(), &found)) };
        let (trainer, summary) = (Trainer::new(model.settings.clone(), Plan::ONE_PASS), self.summary(model));
        let results = Results::of(model, "the model", &trainer, &summary, &found);
        make(&self.fill(Results { seconds, ..results }))
    }

    /// Returns the summary of the model, with the passes of the search.
    pub(crate) fn summary(&self, model: &Model) -> Summary {
        Summary { passes: self.numbers.passes.ceil() as u32, ..model.summary.clone() }
    }

    /// Adds to results what is known of the optimum.
    pub(crate) fn fill<'a>(&self, results: Results<'a>) -> Results<'a> {
        Results {
            skipped: self.numbers.skipped,
            objective: self.numbers.objective,
            ended: self.numbers.ended(),
            caution: self.numbers.caution(),
            ..results
        }
    }

    /// Returns the result of a program as bytes: the length of the numbers, the numbers as JSON, and the model.
    pub(crate) fn to_bytes(outcome: Option<&ShardedOutcome>) -> Result<Vec<u8>, String> {
        let Some(outcome) = outcome else { return Ok(Vec::new()) };
        let numbers = Numbers {
            objective: outcome.optimum.as_ref().map(|found| found.objective),
            passes: outcome.optimum.as_ref().map_or(1.0, |found| found.passes),
            is_over: outcome.is_over,
            ended: outcome.optimum.as_ref().map_or_else(String::new, |found| format!("{:?}", found.ended)),
            skipped: outcome.skipped,
            separable: outcome.caution == Some(Caution::Separable),
            more_weights: match outcome.caution {
                Some(Caution::MoreWeightsThanRows { weights, rows }) => Some((weights, rows)),
                _ => None,
            },
            unused_groups: outcome.unused_groups.clone(),
        };
        let numbers = serde_json::to_vec(&numbers).map_err(|error| error.to_string())?;
        let model = model_to_bytes(&outcome.model).map_err(|error| error.to_string())?;
        Ok([&(numbers.len() as u32).to_le_bytes()[..], &numbers, &model].concat())
    }

    /// Reads the result of a program.
    ///
    /// # Errors
    /// A message, if the bytes are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Finished, String> {
        if bytes.is_empty() {
            return Ok(Finished { model: None, numbers: Numbers::default() });
        }
        let damaged = || "the result of the workers is damaged".to_owned();
        let (len, rest) = bytes.split_first_chunk::<4>().ok_or_else(damaged)?;
        let (numbers, model) = rest.split_at_checked(u32::from_le_bytes(*len) as usize).ok_or_else(damaged)?;
        let numbers = serde_json::from_slice(numbers).map_err(|_| damaged())?;
        let model = model_from_bytes("the result of the workers", model).map_err(|error| error.to_string())?;
        Ok(Finished { model: Some(model), numbers })
    }
}
