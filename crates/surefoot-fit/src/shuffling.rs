//! Store of the rows of a run that reads them in a new random order in each pass.

use crate::{
    data::Data,
    position::InputFingerprint,
    rows::{Rows, source},
};
use std::sync::Arc;
use surefoot_io::{Error, Options, Prefetch, Shuffle, ShuffleOrder};

/// Store of the rows of a run that shuffles them, filled when rows are first requested.
#[derive(Debug)]
pub(crate) struct Shuffling {
    seed: u64,
    /// Limit on the memory for stored rows, in bytes.
    memory: usize,
    rows: Option<Arc<Shuffle>>,
    /// Whether the observer was already told that the rows do not fit in memory.
    reported: bool,
}

impl Shuffling {
    pub(crate) fn new(seed: u64, memory: usize) -> Shuffling {
        Shuffling { seed, memory, rows: None, reported: false }
    }

    /// Opens the rows in the shuffled order of pass number `pass`. The first call reads all data before the first row is delivered.
    pub(crate) fn open(&mut self, data: &Data, options: &Options, threads: u16, pass: u32) -> Result<Rows, Error> {
        let rows = match &self.rows {
            Some(rows) => rows,
            None => {
                let reader = source(data, options)?;
                // A fault found later is described from the file, which is read again, or else from the stored text of the row.
                let with_text = !data.can_reread();
                let rows = match threads {
                    1 => Shuffle::new(reader, self.memory, with_text),
                    _ => Shuffle::new(Prefetch::new(reader), self.memory, with_text),
                };
                self.rows.insert(Arc::new(rows))
            }
        };
        Ok(Rows::shuffled(rows, ShuffleOrder { seed: self.seed, pass }))
    }

    /// Returns the fingerprint of the whole data; `None` until all rows are read.
    pub(crate) fn whole(&self) -> Option<InputFingerprint> {
        let (rows, ends) = self.rows.as_ref()?.whole()?;
        Some(InputFingerprint::of(rows, &ends))
    }

    /// Whether the rows were found not to fit in memory since the last call; returns `true` only once.
    pub(crate) fn spills(&mut self) -> bool {
        let spills = !self.reported && self.rows.as_ref().is_some_and(|rows| rows.spilled() > 0);
        self.reported |= spills;
        spills
    }

    /// Frees the memory of the stored rows.
    pub(crate) fn release(&mut self) {
        self.rows = None;
    }
}
