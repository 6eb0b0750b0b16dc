//! Reading of batches ahead of their use, on another thread.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use surefoot_glm::{Batch, threads::start};

use super::reader::RowSource;
use crate::error::Error;

/// Row source that reads a few batches of another source ahead, on a separate thread; batches are recycled.
///
/// Dropping the `Prefetch` does not wait for the thread, which ends at once or, if it is blocked in a read, when that read returns.
///
/// ```
/// use surefoot_glm::Batch;
/// use surefoot_io::{Options, Prefetch, Reader, RowSource};
///
/// let reader = Reader::with_reader("data.svm", &b"1 3:0.5\n0 3:1\n"[..], Options::default())?;
/// let mut rows = Prefetch::new(reader);
/// let mut batch = Batch::default();
/// assert!(rows.read(&mut batch)?);
/// assert_eq!(batch.len(), 2);
/// assert!(!rows.read(&mut batch)?);
/// # Ok::<(), surefoot_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Prefetch(Mode);

enum Mode {
    ReaderThread(ReaderThread),
    /// Source that is read on the caller's thread, on demand, because no thread could be started.
    Here(Box<dyn RowSource + Send>),
}

impl std::fmt::Debug for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mode::ReaderThread(ahead) => ahead.fmt(f),
            Mode::Here(_) => f.write_str("Here"),
        }
    }
}

/// Thread that reads batches ahead, and the channels on which filled batches arrive and used ones go back.
#[derive(Debug)]
struct ReaderThread {
    full: Receiver<FilledBatch>,
    empty: Sender<Batch>,
    thread: Option<JoinHandle<()>>,
    progress: (u64, Option<u64>),
}

#[derive(Debug)]
struct FilledBatch {
    batch: Batch,
    result: Result<bool, Error>,
    progress: (u64, Option<u64>),
}

/// Maximum number of batches read ahead of their use.
const AHEAD: usize = 4;

impl Prefetch {
    /// Starts a thread that reads batches from `source` ahead of their use.
    #[must_use]
    pub fn new(source: impl RowSource + Send + 'static) -> Prefetch {
        let (give, full) = sync_channel(AHEAD);
        let (empty, take) = channel();
        let progress = source.progress();
        Prefetch(match start("reader", source, move |source| fill(source, &give, &take)) {
            Ok(thread) => Mode::ReaderThread(ReaderThread { full, empty, thread: Some(thread), progress }),
            Err(source) => Mode::Here(Box::new(source)),
        })
    }

    /// Reads the next batch like [`RowSource::read`], but returns `None` if none arrives within `patience`.
    ///
    /// # Errors
    /// If the source returns an error.
    pub fn read_within(&mut self, batch: &mut Batch, patience: Duration) -> Result<Option<bool>, Error> {
        let ahead = match &mut self.0 {
            Mode::ReaderThread(ahead) => ahead,
            Mode::Here(source) => return source.read(batch).map(Some),
        };
        match ahead.full.recv_timeout(patience) {
            Ok(filled) => ahead.accept(filled, batch).map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => ahead.ended(batch).map(Some),
        }
    }
}

impl ReaderThread {
    fn accept(&mut self, filled: FilledBatch, batch: &mut Batch) -> Result<bool, Error> {
        self.progress = filled.progress;
        // If the thread has ended, nobody needs the memory.
        let _ = self.empty.send(std::mem::replace(batch, filled.batch));
        filled.result
    }

    /// Called when the reading thread has ended: returns `false` if the source has ended, and propagates a panic of the thread.
    fn ended(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        batch.clear();
        Ok(false)
    }
}

impl RowSource for Prefetch {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let ahead = match &mut self.0 {
            Mode::ReaderThread(ahead) => ahead,
            Mode::Here(source) => return source.read(batch),
        };
        match ahead.full.recv() {
            Ok(filled) => ahead.accept(filled, batch),
            Err(_) => ahead.ended(batch),
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        match &self.0 {
            Mode::ReaderThread(ahead) => ahead.progress,
            Mode::Here(source) => source.progress(),
        }
    }
}

/// Reads batches from `source` and sends them to the receiver of `give`, until the source ends or the receiver is dropped. Used
/// batches come back from `take`.
fn fill(mut source: impl RowSource, give: &SyncSender<FilledBatch>, take: &Receiver<Batch>) {
    loop {
        let mut batch = take.try_recv().unwrap_or_default();
        let result = source.read(&mut batch);
        let last = match &result {
            Ok(more) => !more,
            Err(error) => !error.is_row(),
        };
        let progress = source.progress();
        if give.send(FilledBatch { batch, result, progress }).is_err() || last {
            return;
        }
    }
}
