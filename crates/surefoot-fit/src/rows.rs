//! Reader of rows: on the caller's thread, ahead on another thread, or in shuffled order.

use crate::{
    data::{Data, MemoryRows, Source},
    stop::PATIENCE,
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};
use surefoot_glm::Batch;
use surefoot_io::{Error, Options, Prefetch, Reader, RowSource, Shuffle, ShuffleOrder};

/// Two callbacks for programs that account for memory: the first is called with the data when they are opened, the second with the number
/// of rows in each batch read.
type Watcher = (fn(&Data), fn(usize));

static WATCHER: OnceLock<Watcher> = OnceLock::new();

/// Registers callbacks for all readers of this process: `opened` is called when data are opened, `read` with the number of rows of each
/// batch. Meant for programs that account for memory. Only the first call has an effect.
pub fn watch_rows(opened: fn(&Data), read: fn(usize)) {
    let _ = WATCHER.set((opened, read));
}

pub(crate) fn tell_opened(data: &Data) {
    if let Some((opened, _)) = WATCHER.get() {
        opened(data);
    }
}

/// Reader of rows, which reads on the caller's thread or ahead on another thread.
#[derive(Debug)]
pub struct Rows(RowOrigin);

enum RowOrigin {
    Here(Box<dyn RowSource + Send>),
    Ahead(Prefetch),
    Shuffled(Shuffled),
}

/// Reader of rows in the shuffled order of one pass.
struct Shuffled {
    rows: Prefetch,
    of: Arc<Shuffle>,
    /// Number of bytes that had been read from the data before this pass started.
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

/// Result of waiting a few milliseconds for the next batch of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next rows are in the batch.
    Rows,
    /// All rows have been read.
    End,
    /// No further rows have arrived yet.
    Waiting,
}

/// Opens a source of all rows, in the order of the data.
pub(crate) fn source(data: &Data, options: &Options) -> Result<Box<dyn RowSource + Send>, Error> {
    tell_opened(data);
    Ok(match data {
        Data::Inputs(inputs) => Box::new(Reader::open(inputs, options.clone())?),
        Data::Memory(rows) => Box::new(MemoryRows::new(Arc::clone(rows))),
        Data::Source(Source(rows)) => rows.open(options)?,
        Data::Stream(stream) => stream.take().unwrap_or_else(|| Box::new(MemoryRows::new(Arc::default()))),
    })
}

impl Rows {
    /// Opens data for reading. With one thread, files are read on the caller's thread. A pipe, which may block, is always read on another
    /// thread, so that a request to stop is answered in the meantime.
    ///
    /// # Errors
    /// Errors of opening the first input.
    pub fn open(data: &Data, options: &Options, threads: u16) -> Result<Rows, Error> {
        let rows = source(data, options)?;
        let alone = threads == 1 && data.can_reread() || matches!(data, Data::Memory(_));
        Ok(Rows(if alone { RowOrigin::Here(rows) } else { RowOrigin::Ahead(Prefetch::new(rows)) }))
    }

    /// Opens a reader of the rows of one pass in shuffled order. It always uses another thread, because much may have to be read and sorted
    /// before the first row is delivered.
    pub(crate) fn shuffled(of: &Arc<Shuffle>, order: ShuffleOrder) -> Rows {
        let before = of.bytes().0;
        Rows(RowOrigin::Shuffled(Shuffled { rows: Prefetch::new(of.rows(order)), of: Arc::clone(of), before }))
    }

    /// Waits at most a few milliseconds for the next batch.
    ///
    /// # Errors
    /// Errors of reading. After an error about a single row, reading can continue.
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

    /// Returns the number of bytes read so far, as stored on disk (before decompression), and the total if known. For rows in memory or a
    /// stream, both numbers count rows.
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

    /// Returns the progress in bytes: the bytes read plus, for shuffled rows, the fraction of the stored rows that were delivered times the
    /// total size.
    #[must_use]
    pub fn work(&self) -> u64 {
        let (bytes, all) = self.bytes();
        match &self.0 {
            RowOrigin::Shuffled(Shuffled { of, .. }) => bytes + (of.share() * all.unwrap_or(0) as f64) as u64,
            _ => bytes,
        }
    }
}
