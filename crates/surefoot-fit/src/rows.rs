//! Rows as they are read: on this thread, ahead on another, or in a shuffled order.

use crate::{
    data::{Data, MemoryRows},
    stop::PATIENCE,
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};
use surefoot_glm::Batch;
use surefoot_io::{Error, Options, Prefetch, Reader, RowSource, Shuffle, ShuffleOrder};

/// Functions that are told when data are opened and how many rows of a batch were read.
type Watcher = (fn(&Data), fn(usize));

static WATCHER: OnceLock<Watcher> = OnceLock::new();

/// Registers callbacks for all readers of this process: `opened` when data are opened, `read` with the number of rows per batch. For
/// programs that account for memory. Only the first call has an effect.
pub fn watch_rows(opened: fn(&Data), read: fn(usize)) {
    let _ = WATCHER.set((opened, read));
}

pub(crate) fn tell_opened(data: &Data) {
    if let Some((opened, _)) = WATCHER.get() {
        opened(data);
    }
}

/// A reader of rows, on this thread or ahead on another.
#[derive(Debug)]
pub struct Rows(RowOrigin);

enum RowOrigin {
    Here(Box<dyn RowSource + Send>),
    Ahead(Prefetch),
    Shuffled(Shuffled),
}

/// Rows in another order than that of the inputs.
struct Shuffled {
    rows: Prefetch,
    of: Arc<Shuffle>,
    /// Bytes that were read before these rows were asked for.
    before: u64,
}

impl fmt::Debug for RowOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowOrigin::Here(_) => "Here",
            RowOrigin::Ahead(_) => "Ahead",
            RowOrigin::Shuffled(_) => "Shuffled",
        })
    }
}

/// The result of a short wait for rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The batch holds the next rows.
    Rows,
    /// No rows are left.
    End,
    /// No rows have come yet.
    Waiting,
}

/// A source of all rows, in their order.
pub(crate) fn source(data: &Data, options: &Options) -> Result<Box<dyn RowSource + Send>, Error> {
    tell_opened(data);
    Ok(match data {
        Data::Inputs(inputs) => Box::new(Reader::open(inputs, options.clone())?),
        Data::Memory(rows) => Box::new(MemoryRows::new(Arc::clone(rows))),
        Data::Stream(stream) => stream.take().unwrap_or_else(|| Box::new(MemoryRows::new(Arc::default()))),
    })
}

impl Rows {
    /// Opens data. With one thread files are read on the caller's; a pipe, which may block, is always read on another, so that
    /// a request to stop is answered meanwhile.
    ///
    /// # Errors
    /// Errors of the first input.
    pub fn open(data: &Data, options: &Options, threads: u16) -> Result<Rows, Error> {
        let rows = source(data, options)?;
        let alone = threads == 1 && data.can_reread() || matches!(data, Data::Memory(_));
        Ok(Rows(if alone { RowOrigin::Here(rows) } else { RowOrigin::Ahead(Prefetch::new(rows)) }))
    }

    /// Always on another thread, which may have much to read and to sort before the first row comes.
    pub(crate) fn shuffled(of: &Arc<Shuffle>, order: ShuffleOrder) -> Rows {
        let before = of.bytes().0;
        Rows(RowOrigin::Shuffled(Shuffled { rows: Prefetch::new(of.rows(order)), of: Arc::clone(of), before }))
    }

    /// Waits a few milliseconds at most for the next batch.
    ///
    /// # Errors
    /// Errors of the reader; after a row at fault reading may go on.
    pub fn next(&mut self, batch: &mut Batch) -> Result<Next, Error> {
        let more = match &mut self.0 {
            RowOrigin::Here(reader) => Some(reader.read(batch)?),
            RowOrigin::Ahead(prefetch) | RowOrigin::Shuffled(Shuffled { rows: prefetch, .. }) => {
                prefetch.read_within(batch, PATIENCE)?
            }
        };
        if more == Some(true)
            && let Some((_, read)) = WATCHER.get()
        {
            read(batch.len());
        }
        Ok(match more {
            Some(true) => Next::Rows,
            Some(false) => Next::End,
            None => Next::Waiting,
        })
    }

    /// Bytes read so far, as stored, and the total if known; for rows in memory, rows.
    #[must_use]
    pub fn bytes(&self) -> (u64, Option<u64>) {
        match &self.0 {
            RowOrigin::Here(reader) => reader.progress(),
            RowOrigin::Ahead(prefetch) => prefetch.progress(),
            RowOrigin::Shuffled(Shuffled { of, before, .. }) => {
                let (bytes, all) = of.bytes();
                (bytes - before, all)
            }
        }
    }

    /// Progress in bytes: of reading, or of delivering rows that are stored after reading.
    #[must_use]
    pub fn work(&self) -> u64 {
        let (bytes, all) = self.bytes();
        match &self.0 {
            RowOrigin::Shuffled(Shuffled { of, .. }) => bytes + (of.share() * all.unwrap_or(0) as f64) as u64,
            _ => bytes,
        }
    }
}
