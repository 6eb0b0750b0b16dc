//! Job of the workers of a distributed fit, and its result.

use crate::{
    failure::{Failure, Refused},
    flags::{
        cli::{Cli, Command, FitArgs},
        hint, inputs,
        start::Start,
        values::Passes,
    },
    terminal::results::Results,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{ffi::OsString, time::UNIX_EPOCH};
use surefoot_fit::{Data, Fit, Interrupt, ShardedOutcome};
use surefoot_glm::{Caution, Model, Plan, RoundTrainer, Summary, Trainer, optimum::Ended};
use surefoot_io::{Inferred, InferredSchema, InputName, check_inputs, model_from_bytes, model_to_bytes, split_inputs};

/// Fit of several processes: the command line, the schema of the rows, and the parts of the inputs that each shard has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Version of the program, because workers of other versions might find something else.
    version: String,
    /// Words of the command line behind the name of the program.
    line: Vec<String>,
    schema: InferredSchema,
    /// Time of the last change of each input that is a file, in nanoseconds since 1970, by which a checkpoint recognises it.
    changed: Vec<Option<u64>>,
    /// Inputs of each shard, as text of their own format.
    shards: Vec<Vec<Value>>,
    /// Number of stored bytes of all shards, where the job was made; `None` if it is not known.
    #[serde(skip)]
    bytes: Option<u64>,
}

impl Job {
    /// Divides the inputs of a fit into shards, after reading the first rows for the schema.
    pub(crate) fn new(line: &[String], data: &Data, fit: &Fit<'_>, shards: u16) -> Result<Job, Failure> {
        let (options, shards) = (fit.options(), usize::from(shards));
        if fit.plan().optimum.is_none() {
            let refused = |reason| Failure::usage(format!("{reason}; --passes auto takes it"));
            RoundTrainer::new(fit.settings().clone(), shards as u32).map_err(refused)?;
        }
        let schema = InferredSchema::of(data.inputs(), options)?;
        let options = options.with_schema(&schema);
        let text = |input: &InputName| serde_json::to_value(input).map_err(|error| Failure::data(error.to_string()));
        let shards = split_inputs(data.inputs(), &options, shards)?;
        let bytes: Option<u64> = shards.iter().flatten().map(InputName::size).sum();
        let shards = shards.iter().map(|inputs| inputs.iter().map(text).collect()).collect::<Result<_, _>>()?;
        let (version, line) = (env!("CARGO_PKG_VERSION").to_owned(), without_talk(line));
        Ok(Job { version, line, schema, changed: data.inputs().iter().map(changed).collect(), shards, bytes })
    }

    /// Parses a command line of `surefoot fit`, without the name of the program, checks it, and divides the inputs that it names into
    /// shards, after reading the first rows.
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
        Ok(Job::with_flags(&line)?.0)
    }

    /// Prepares a job, and returns it with the flags of the command line.
    pub(super) fn with_flags(line: &[String]) -> Result<(Job, FitArgs), Failure> {
        let args = parse(line)?;
        check(&args)?;
        let data = inputs::data(&args.data)?;
        check_inputs(data.inputs())?;
        let Start { mut fit, .. } = Start::new(&args, &data)?;
        if let Err(Interrupt::Error(error)) = fit.read_means(&data) {
            return Err(error.into());
        }
        Ok((Job::new(line, &data, &fit, args.engine.shards)?, args))
    }

    /// Returns the number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.shards.len()
    }

    /// Returns the number of stored bytes of all shards; `None` if it is not known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Returns the job as bytes.
    ///
    /// # Panics
    /// Never: jobs are always valid JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a job is valid JSON")
    }

    /// Reads what [`to_bytes`](Job::to_bytes) returned.
    ///
    /// # Errors
    /// A message, if the bytes are damaged or were written by another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Job, String> {
        let job: Job = serde_json::from_slice(bytes).map_err(|error| format!("the job cannot be read: {error}"))?;
        let own = env!("CARGO_PKG_VERSION");
        match job.version == own {
            true => Ok(job),
            false => Err(format!(
                "the job is of version {} and this worker of version {own}: install one of them everywhere",
                job.version
            )),
        }
    }

    pub(crate) fn schema(&self) -> &InferredSchema {
        &self.schema
    }

    /// Returns the inputs of a shard.
    pub(crate) fn data(&self, shard: usize) -> Result<Data, String> {
        let input = |text: &Value| serde_json::from_value(text.clone());
        let inputs = self.shards.get(shard).into_iter().flatten().map(input).collect::<Result<Vec<InputName>, _>>();
        inputs.map(Data::Inputs).map_err(|error| format!("the inputs of the job cannot be read: {error}"))
    }

    /// Returns the words of the command line that change the model.
    pub(super) fn line(&self) -> &[String] {
        &self.line
    }

    /// Returns the fit that the command line of the job describes.
    pub(crate) fn fit(&self) -> Result<(FitArgs, Fit<'static>), Failure> {
        let args = parse(&self.line)?;
        // The inputs were checked where the job was made, and need not all be there where a worker runs.
        let fit = Start::new(&args, &Data::files(Vec::<String>::new()))?.fit;
        Ok((args, fit))
    }
}

/// Returns the time of the last change of a file.
fn changed(input: &InputName) -> Option<u64> {
    let time = input.path()?.metadata().ok()?.modified().ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|time| time.as_nanos() as u64)
}

/// Returns a command line without the flags that change nothing about the model, so that a run can go on with others.
fn without_talk(line: &[String]) -> Vec<String> {
    const WITH_VALUE: [&str; 11] = [
        "--engine",
        "--workers",
        "--shards",
        "--checkpoint",
        "--output",
        "--test",
        "--budget",
        "--threads",
        "--memory",
        "--snapshot",
        "--report",
    ];
    const ALONE: [&str; 3] = ["--json", "--quiet", "-q"];
    let (mut kept, mut words) = (Vec::new(), line.iter());
    while let Some(word) = words.next() {
        let (name, has_value) = word.split_once('=').map_or((word.as_str(), false), |(name, _)| (name, true));
        if word == "--" {
            kept.extend([word].into_iter().chain(words.by_ref()).cloned());
        } else if !has_value && (name == "-o" || WITH_VALUE.contains(&name)) {
            words.next();
        } else if !(word.starts_with("-o") || WITH_VALUE.contains(&name) || ALONE.contains(&name)) {
            kept.push(word.clone());
        }
    }
    kept
}

/// Parses the words of a command line behind the name of the program.
fn parse(line: &[String]) -> Result<FitArgs, Failure> {
    let words: Vec<OsString> =
        ["surefoot"].into_iter().chain(line.iter().map(String::as_str)).map(OsString::from).collect();
    match Cli::read(words.clone()) {
        Ok(Cli { command: Some(Command::Fit(args)) }) => Ok(*args),
        Ok(_) => Err(Failure::usage("flags of fit are needed")),
        Err(error) => Err(Failure::usage(hint::refusal(&error, &words).0)),
    }
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
        (args.shuffle, "--shuffle does nothing with --engine: the optimum does not depend on the order of the rows"),
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

/// What is known of the optimum beside the model.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_do_not_change_the_model_are_dropped() {
        let of = |line: &str| without_talk(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).join(" ");
        let (all, left) = (
            "fit a.svm -o m --json --l2 0.1 --workers 3 --engine=local --tol 1e-9 -omodel -q --budget 5m b.svm",
            "fit a.svm --l2 0.1 --tol 1e-9 b.svm",
        );
        assert_eq!((of(all), of(left)), (left.to_owned(), left.to_owned()));
        assert_eq!(of("fit --json -- -o --workers"), "fit -- -o --workers");
    }
}
