//! Saving the model of a run, now and then and at its end.

use crate::{failure::Failure, values::Snapshot};
use std::{
    io::ErrorKind,
    time::{Duration, Instant},
};
use surefoot_glm::Model;
use surefoot_io::{Error, InputName, Output, save_model};

/// How long a better model may wait for its file in a search, where all wait for the best.
const STALE: Duration = Duration::from_secs(1);

/// The file of the model and when it is written.
#[derive(Debug)]
pub(crate) struct Saver {
    output: Output,
    every: Snapshot,
    last: Instant,
    /// At which row the model in the file was saved by this run, if it was.
    saved: Option<u64>,
}

impl Saver {
    /// Tries the output, leaving nothing behind.
    pub(crate) fn new(name: &std::ffi::OsStr, every: Snapshot) -> Result<Saver, Error> {
        Ok(Saver { output: Output::create(name)?, every, last: Instant::now(), saved: None })
    }

    pub(crate) fn check_distinct(&self, inputs: &[InputName]) -> Result<(), Error> {
        self.output.check_distinct(inputs)
    }

    pub(crate) fn output(&self) -> &Output {
        &self.output
    }

    pub(crate) fn name(&self) -> &str {
        self.output.name()
    }

    /// Whether a model may be written more than once: a pipe would get them one after the other.
    fn replaces(&self) -> bool {
        self.output.is_atomic()
    }

    /// How many rows may be learnt from row `rows` on before a snapshot is due.
    pub(crate) fn room(&self, rows: u64) -> u64 {
        match self.every {
            Snapshot::Rows(every) if self.replaces() => every - rows % every,
            _ => u64::MAX,
        }
    }

    /// Whether a snapshot is due at row `rows`.
    pub(crate) fn is_due(&self, rows: u64) -> bool {
        self.replaces()
            && self.saved != Some(rows)
            && match self.every {
                Snapshot::Rows(every) => rows.is_multiple_of(every),
                Snapshot::Every(time) => self.last.elapsed() >= time,
            }
    }

    /// Whether a model that is better than the one in the file should not wait any longer.
    pub(crate) fn is_stale(&self) -> bool {
        self.replaces() && self.last.elapsed() >= STALE
    }

    /// Replaces the file by this model.
    pub(crate) fn save(&mut self, model: &Model, rows: u64) -> Result<(), Failure> {
        match save_model(model, &mut self.output) {
            // A reader of a pipe that has gone away wants no model.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            saved => saved.map_err(|error| self.output.error(error))?,
        }
        match self.output.commit() {
            Err(error) if error.is_broken_pipe() => return Ok(()),
            committed => committed?,
        }
        (self.last, self.saved) = (Instant::now(), Some(rows));
        Ok(())
    }

    /// Says at a failure what the last snapshot holds, if there is one.
    pub(crate) fn explain(&self, failure: Failure) -> Failure {
        match self.saved {
            Some(rows) => failure.and(format!("{} holds the snapshot at row {rows}", self.name())),
            None => failure,
        }
    }
}
