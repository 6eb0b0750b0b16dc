//! Job of the workers of a distributed run.

use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{path::PathBuf, time::UNIX_EPOCH};
use surefoot_fit::Data;
use surefoot_glm::Model;
use surefoot_io::{InferredSchema, InputName, Options, model_from_bytes, model_to_bytes, split_inputs};

/// Name of the data in messages about all shards, where no other is at hand.
pub(super) const ALL: &str = "the rows of all shards";

/// Work of several processes: the command line, the schema of the rows, and the parts of the inputs that each shard has.
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
    /// Where predictions go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parts: Option<Parts>,
    /// Model to apply, as the bytes of its file; empty for a fit.
    #[serde(skip)]
    model: Vec<u8>,
    /// Number of stored bytes of all shards, where the job was made; `None` if it is not known.
    #[serde(skip)]
    bytes: Option<u64>,
}

/// Folder in which the predictions of each shard become a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parts {
    pub(crate) folder: String,
    /// Whether the predictions are shown on a terminal in the end.
    pub(crate) shown: bool,
}

impl Parts {
    /// Returns the path of the file of a shard.
    pub(crate) fn path(&self, shard: usize, shards: usize) -> PathBuf {
        PathBuf::from(&self.folder).join(format!("part-{shard:05}-of-{shards:05}.txt"))
    }
}

impl Job {
    /// Divides inputs into shards, after reading the first rows for the schema.
    pub(crate) fn new(line: &[String], inputs: &[InputName], options: &Options, shards: u16) -> Result<Job, Failure> {
        let schema = InferredSchema::of(inputs, options)?;
        let options = options.with_schema(&schema);
        let text = |input: &InputName| serde_json::to_value(input).map_err(|error| Failure::data(error.to_string()));
        let shards = split_inputs(inputs, &options, usize::from(shards))?;
        let bytes: Option<u64> = shards.iter().flatten().map(InputName::size).sum();
        let shards = shards.iter().map(|inputs| inputs.iter().map(text).collect()).collect::<Result<_, _>>()?;
        let (version, line) = (env!("CARGO_PKG_VERSION").to_owned(), without_talk(line));
        let changed = inputs.iter().map(changed).collect();
        Ok(Job { version, line, schema, changed, shards, parts: None, model: Vec::new(), bytes })
    }

    /// Adds the model to apply. Workers do not read its file, which may be another one by then.
    pub(crate) fn with_model(self, model: &Model) -> Result<Job, Failure> {
        let slim = Model { state: None, unfinished: None, ..model.clone() };
        let model = model_to_bytes(&slim).map_err(|error| Failure::data(error.to_string()))?;
        Ok(Job { model, ..self })
    }

    /// Adds the folder where predictions go.
    pub(crate) fn with_parts(self, parts: Parts) -> Job {
        Job { parts: Some(parts), ..self }
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

    /// Returns the job as bytes: a line of JSON, and the model if there is one.
    ///
    /// # Panics
    /// Never: jobs are always valid JSON.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("a job is valid JSON");
        bytes.push(b'\n');
        bytes.extend(&self.model);
        bytes
    }

    /// Reads what [`to_bytes`](Job::to_bytes) returned.
    ///
    /// # Errors
    /// A message, if the bytes are damaged or were written by another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Job, String> {
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let (line, model) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
        let job: Job = serde_json::from_slice(line).map_err(|error| format!("the job cannot be read: {error}"))?;
        let own = env!("CARGO_PKG_VERSION");
        match job.version == own {
            true => Ok(Job { model: model.to_vec(), ..job }),
            false => Err(format!(
                "the job is of version {} and this worker of version {own}: install one of them everywhere",
                job.version
            )),
        }
    }

    /// Returns the words of the command line behind the name of the program.
    pub(super) fn line(&self) -> &[String] {
        &self.line
    }

    pub(crate) fn schema(&self) -> &InferredSchema {
        &self.schema
    }

    /// Returns the model to apply, called `name` in messages.
    pub(super) fn model(&self, name: &str) -> Result<Model, Failure> {
        Ok(model_from_bytes(name, &self.model)?)
    }

    /// Returns where predictions go.
    pub(super) fn parts(&self) -> Result<&Parts, Failure> {
        self.parts.as_ref().ok_or_else(|| Failure::data("the job names no folder for predictions"))
    }

    /// Returns the files that the predictions of the shards become, in order.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let parts = self.parts()?;
        Ok((0..self.shards()).map(|shard| parts.path(shard, self.shards())).collect())
    }

    /// Returns the number of stored bytes of a shard, as far as it is known.
    pub(super) fn size(&self, shard: usize) -> u64 {
        self.data(shard).map_or(0, |data| data.inputs().iter().filter_map(InputName::size).sum())
    }

    /// Returns the inputs of a shard.
    pub(crate) fn data(&self, shard: usize) -> Result<Data, Failure> {
        let input = |text: &Value| serde_json::from_value(text.clone());
        let inputs = self.shards.get(shard).into_iter().flatten().map(input).collect::<Result<Vec<InputName>, _>>();
        let unreadable = |error| Failure::data(format!("the inputs of the job cannot be read: {error}"));
        inputs.map(Data::Inputs).map_err(unreadable)
    }
}

/// Returns the time of the last change of a file.
fn changed(input: &InputName) -> Option<u64> {
    let time = input.path()?.metadata().ok()?.modified().ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|time| time.as_nanos() as u64)
}

/// Returns a command line without the flags that change nothing about the result, so that a run can go on with others.
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
