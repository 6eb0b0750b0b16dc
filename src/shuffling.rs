//! `--shuffle`: all rows of the inputs, in another order in each pass.

use crate::{
    memory,
    resume::Trail,
    rows::{Rows, names},
};
use std::sync::Arc;
use surefoot_io::{Error, InputName, Options, Order, Prefetch, Reader, Shuffle};

/// The rows of a shuffled run, from when they are first asked for.
#[derive(Debug)]
pub(crate) struct Shuffling {
    seed: u64,
    /// Bytes of rows that may be in memory.
    memory: usize,
    rows: Option<Arc<Shuffle>>,
    /// Whether it was said that they are more than fit there.
    told: bool,
}

impl Shuffling {
    pub(crate) fn new(seed: u64, memory: usize) -> Shuffling {
        Shuffling { seed, memory, rows: None, told: false }
    }

    /// The rows in the order of a pass. The inputs are read once, before the first row comes.
    pub(crate) fn open(
        &mut self,
        inputs: &[InputName],
        options: &Options,
        threads: u16,
        pass: u32,
    ) -> Result<Rows, Error> {
        memory::reading(&names(inputs));
        let rows = match &self.rows {
            Some(rows) => rows,
            None => {
                let reader = Reader::open(inputs, options.clone())?;
                // Faults that show later are described from the file, which is read again, or else from the text of the row.
                let with_text = !inputs.iter().all(InputName::can_reread);
                let rows = match threads {
                    1 => Shuffle::new(reader, self.memory, with_text),
                    _ => Shuffle::new(Prefetch::new(reader), self.memory, with_text),
                };
                self.rows.insert(Arc::new(rows))
            }
        };
        Ok(Rows::shuffled(rows, Order { seed: self.seed, pass }))
    }

    /// What was read, once all is.
    pub(crate) fn whole(&self) -> Option<Trail> {
        let (rows, ends) = self.rows.as_ref()?.whole()?;
        Some(Trail::of(rows, &ends))
    }

    /// What is to be said, once, when rows do not fit in memory.
    pub(crate) fn says(&mut self) -> Option<String> {
        let spills = !self.told && self.rows.as_ref().is_some_and(|rows| rows.spilled() > 0);
        self.told |= spills;
        let folder = std::env::temp_dir();
        spills.then(|| {
            format!(
                "memory does not hold all rows: they are shuffled by way of a file in {} (TMPDIR)",
                folder.display()
            )
        })
    }

    /// Forgets the rows.
    pub(crate) fn release(&mut self) {
        self.rows = None;
    }
}
