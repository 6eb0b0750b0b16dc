//! Saving the model of a run, on a schedule and at its end.

use crate::error::FitError;
use std::{
    io::ErrorKind,
    time::{Duration, Instant},
};
use surefoot_glm::Model;
use surefoot_io::{Output, save_model};

/// Maximum delay before a better model is saved in a search for the optimum.
const STALE: Duration = Duration::from_secs(1);

/// Schedule of saving during a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Snapshot {
    /// At this interval of time.
    Every(Duration),
    /// After this many rows each.
    Rows(u64),
}

impl Default for Snapshot {
    /// Every minute.
    fn default() -> Snapshot {
        Snapshot::Every(Duration::from_secs(60))
    }
}

/// The output of the model, if there is one, and its schedule.
#[derive(Debug)]
pub(crate) struct Saver {
    output: Option<Output>,
    every: Snapshot,
    last: Instant,
    /// At which row the model in the file was saved by this run, if it was.
    saved: Option<u64>,
}

impl Saver {
    pub(crate) fn new(output: Option<Output>, every: Snapshot) -> Saver {
        Saver { output, every, last: Instant::now(), saved: None }
    }

    /// Whether a model may be written more than once: a pipe would get them one after the other.
    fn replaces(&self) -> bool {
        self.output.as_ref().is_some_and(Output::is_atomic)
    }

    /// At which row the model in the file was saved by this run, if it was.
    pub(crate) fn saved(&self) -> Option<u64> {
        self.saved
    }

    /// Number of rows from row `rows` on until a snapshot is due.
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

    /// Replaces the file, if there is one, by this model.
    pub(crate) fn save(&mut self, model: &Model, rows: u64) -> Result<(), FitError> {
        let Some(output) = &mut self.output else { return Ok(()) };
        match save_model(model, output) {
            // A reader of a pipe that has gone away wants no model.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            saved => saved.map_err(|error| FitError::Save(output.error(error)))?,
        }
        match output.commit() {
            Err(error) if error.is_broken_pipe() => return Ok(()),
            committed => committed.map_err(FitError::Save)?,
        }
        (self.last, self.saved) = (Instant::now(), Some(rows));
        Ok(())
    }
}
