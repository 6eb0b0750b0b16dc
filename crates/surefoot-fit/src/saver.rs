//! Writer of the model of a run, at regular times during the run and at its end.

use crate::error::FitError;
use std::{
    io::ErrorKind,
    time::{Duration, Instant},
};
use surefoot_glm::Model;
use surefoot_io::{Output, save_model};

/// Minimum time between two saves of the model during a search for the optimum, which keeps improving it.
const STALE: Duration = Duration::from_secs(1);

/// Interval at which the model is saved during a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Snapshot {
    /// Save whenever this much time has passed since the last save.
    Every(Duration),
    /// Save whenever the number of rows learnt is a multiple of this number.
    Rows(u64),
}

impl Default for Snapshot {
    /// Returns the default interval, one minute.
    fn default() -> Snapshot {
        Snapshot::Every(Duration::from_secs(60))
    }
}

/// Output to which the model of a run is saved, if any, and the interval between saves.
#[derive(Debug)]
pub(crate) struct Saver {
    output: Option<Output>,
    every: Snapshot,
    last: Instant,
    /// Number of rows learnt when this run last saved the model; `None` if this run has not saved.
    saved: Option<u64>,
}

impl Saver {
    pub(crate) fn new(output: Option<Output>, every: Snapshot) -> Saver {
        Saver { output, every, last: Instant::now(), saved: None }
    }

    /// Whether the model may be saved repeatedly, because each save replaces the previous one. False for a pipe, which would receive all
    /// the models one after the other, and without an output.
    fn replaces(&self) -> bool {
        self.output.as_ref().is_some_and(Output::is_atomic)
    }

    /// Returns the number of rows learnt when this run last saved the model; `None` if this run has not saved.
    pub(crate) fn saved(&self) -> Option<u64> {
        self.saved
    }

    /// Returns the number of rows left to learn until the next save is due, when `rows` rows are learnt; `u64::MAX` if saves do not
    /// depend on the number of rows.
    pub(crate) fn room(&self, rows: u64) -> u64 {
        match self.every {
            Snapshot::Rows(every) if self.replaces() => every - rows % every,
            _ => u64::MAX,
        }
    }

    /// Whether the model should be saved now that `rows` rows are learnt, according to the interval between saves.
    pub(crate) fn is_due(&self, rows: u64) -> bool {
        self.replaces()
            && self.saved != Some(rows)
            && match self.every {
                Snapshot::Rows(every) => rows.is_multiple_of(every),
                Snapshot::Every(time) => self.last.elapsed() >= time,
            }
    }

    /// Whether the last save was at least [`STALE`] ago, so that an improved model should be saved now.
    pub(crate) fn is_stale(&self) -> bool {
        self.replaces() && self.last.elapsed() >= STALE
    }

    /// Writes the model, which has learnt `rows` rows, to the output and replaces the previous file. Does nothing without an output.
    pub(crate) fn save(&mut self, model: &Model, rows: u64) -> Result<(), FitError> {
        let Some(output) = &mut self.output else { return Ok(()) };
        match save_model(model, output) {
            // A pipe whose reader has closed it needs no model.
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
