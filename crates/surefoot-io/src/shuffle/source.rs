//! Row source that delivers the rows of another source in a new shuffled order in each pass.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use surefoot_glm::{Batch, Place};

use super::{order::ShuffleOrder, record, store::Store};
use crate::{
    error::{Error, ErrorKind, shown},
    read::reader::RowSource,
};

/// Maximum number of rows, and of nonzeros, per batch; a single row with more nonzeros is a batch of its own.
const ROWS: usize = 1 << 10;
const PAIRS: usize = 1 << 14;

/// Shuffler of the rows of a source: the source is read once, and the rows are then delivered in the [`ShuffleOrder`] of each pass over the
/// data.
///
/// Rows are kept in memory as far as they fit, and the others in an unnamed file in `TMPDIR`; the order does not depend on this. The
/// [positions](surefoot_glm::Row::position) of rows are those in the source, so that the same rows are held out as in the order of the
/// data.
///
/// ```
/// use surefoot_glm::Batch;
/// use surefoot_io::{Options, ShuffleOrder, Reader, RowSource, Shuffle};
///
/// let text = &b"0 1:1\n1 1:2\n2 1:3\n3 1:4\n4 1:5\n5 1:6\n"[..];
/// let reader = Reader::with_reader("data.svm", text, Options::default())?;
/// let shuffle = Shuffle::new(reader, 1 << 20, false);
/// let mut labels = Vec::new();
/// for pass in [1, 2] {
///     let mut rows = shuffle.rows(ShuffleOrder { seed: 0, pass });
///     let mut batch = Batch::default();
///     while rows.read(&mut batch)? {
///         labels.extend_from_slice(&batch.label);
///     }
/// }
/// assert_eq!(labels[..6], [5.0, 4.0, 0.0, 3.0, 2.0, 1.0]);
/// assert_eq!(labels[6..], [2.0, 3.0, 1.0, 0.0, 5.0, 4.0]);
/// # Ok::<(), surefoot_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Shuffle {
    shared: Arc<Shared>,
}

/// Row source that delivers all rows of a [`Shuffle`] in the order of one pass. Only one pass can be read at a time.
#[derive(Debug)]
pub struct ShuffledRows {
    shared: Arc<Shared>,
    order: ShuffleOrder,
    begun: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    progress: ShuffleProgress,
}

/// Progress counters of a [`Shuffle`], readable by other threads without a lock.
#[derive(Debug, Default)]
struct ShuffleProgress {
    /// Number of stored bytes read from the source. The field `all` below is their total, or 0 if it is unknown.
    bytes: AtomicU64,
    all: AtomicU64,
    /// Number of rows of the source, 0 until all have been read. The field `given` below is the number of rows delivered in the current
    /// pass.
    rows: AtomicU64,
    given: AtomicU64,
    /// Size of the temporary file that holds the rows beyond the memory limit, in bytes.
    spilled: AtomicU64,
    /// Whether the [`Shuffle`] was dropped; readers of its rows then stop early.
    over: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Source of the rows; `None` once all rows have been read.
    source: Option<Box<dyn RowSource + Send>>,
    with_text: bool,
    limit: usize,
    store: Option<Store>,
    /// Number of rows read so far. The field `positive` below counts those with positive weight and a label.
    rows: u64,
    positive: u64,
    /// Place in the input of its last row, for each input that has rows.
    ends: Vec<Place>,
}

impl Shuffle {
    /// Builds a shuffler of the rows of `source` that keeps about `memory` bytes of rows in memory and the others in a temporary file. If
    /// `with_text`, the text of each row is kept too; later error messages need it if the source cannot be read again.
    #[must_use]
    pub fn new(source: impl RowSource + Send + 'static, memory: usize, with_text: bool) -> Shuffle {
        let progress = ShuffleProgress::default();
        progress.all.store(source.progress().1.unwrap_or(0), Relaxed);
        let state = State { source: Some(Box::new(source)), with_text, limit: memory, ..State::default() };
        Shuffle { shared: Arc::new(Shared { state: Mutex::new(state), progress }) }
    }

    /// Returns a source of all rows in the given order. Before its first batch it reads the whole shuffled source, and returns that
    /// source's error if there is one.
    #[must_use]
    pub fn rows(&self, order: ShuffleOrder) -> ShuffledRows {
        ShuffledRows { shared: self.shared.clone(), order, begun: false }
    }

    /// Returns the number of stored (possibly compressed) bytes read from the source, and their total (`None` if unknown).
    #[must_use]
    pub fn bytes(&self) -> (u64, Option<u64>) {
        let ShuffleProgress { bytes, all, .. } = &self.shared.progress;
        (bytes.load(Relaxed), Some(all.load(Relaxed)).filter(|&all| all > 0))
    }

    /// Returns the fraction, from 0 to 1, of all rows that were already delivered in the current pass.
    #[must_use]
    pub fn share(&self) -> f64 {
        let ShuffleProgress { rows, given, .. } = &self.shared.progress;
        given.load(Relaxed) as f64 / rows.load(Relaxed).max(1) as f64
    }

    /// Returns the size in bytes of the temporary file that holds the rows beyond the memory limit; 0 if there is none.
    #[must_use]
    pub fn spilled(&self) -> u64 {
        self.shared.progress.spilled.load(Relaxed)
    }

    /// Returns the number of rows, and for each input that has rows the place of its last row; `None` until the source has been read to its
    /// end.
    #[must_use]
    pub fn whole(&self) -> Option<(u64, Vec<Place>)> {
        let state = self.shared.lock();
        state.source.is_none().then(|| (state.rows, state.ends.clone()))
    }
}

impl Drop for Shuffle {
    /// Tells readers of the rows on other threads to stop early.
    fn drop(&mut self) {
        self.shared.progress.over.store(true, Relaxed);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RowSource for ShuffledRows {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let Shared { progress, .. } = &*self.shared;
        let over = || progress.over.load(Relaxed);
        let mut state = self.shared.lock();
        batch.clear();
        state.fill(self.order, progress)?;
        let Some(store) = state.store.as_mut().filter(|_| !over()) else { return Ok(false) };
        if !self.begun {
            progress.given.store(0, Relaxed);
            store.arrange(self.order, &over).map_err(failed)?;
            self.begun = true;
        }
        while batch.len() < ROWS && batch.index.len() < PAIRS {
            let Some(record) = store.next().map_err(failed)? else { break };
            record::decode(record, batch);
        }
        progress.spilled.store(store.spilled(), Relaxed);
        progress.given.fetch_add(batch.len() as u64, Relaxed);
        Ok(!batch.is_empty())
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let ShuffleProgress { bytes, all, .. } = &self.shared.progress;
        (bytes.load(Relaxed), Some(all.load(Relaxed)).filter(|&all| all > 0))
    }
}

impl State {
    /// Reads the rows of the source to its end, unless this was done before; stops if the [`Shuffle`] is dropped.
    fn fill(&mut self, order: ShuffleOrder, progress: &ShuffleProgress) -> Result<(), Error> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let store = self.store.get_or_insert_with(|| Store::new(order, self.limit));
        let (mut batch, mut bytes) = (Batch::default(), Vec::new());
        while !progress.over.load(Relaxed) {
            let more = source.read(&mut batch)?;
            progress.bytes.store(source.progress().0, Relaxed);
            if !more {
                self.source = None;
                progress.rows.store(self.rows, Relaxed);
                break;
            }
            for r in 0..batch.len() {
                let counts = batch.weight[r] > 0.0 && !batch.label[r].is_nan();
                self.positive += u64::from(counts);
                bytes.clear();
                record::encode(&batch, r, if counts { self.positive } else { 0 }, self.with_text, &mut bytes);
                store.push(self.rows, &bytes).map_err(failed)?;
                self.rows += 1;
            }
            for place in &batch.place {
                match self.ends.last_mut().filter(|end| end.input == place.input) {
                    Some(end) => *end = *place,
                    None => self.ends.push(*place),
                }
            }
            progress.spilled.store(store.spilled(), Relaxed);
        }
        Ok(())
    }
}

/// Builds the error about a temporary file that cannot be written or read.
fn failed(source: io::Error) -> Error {
    let folder = shown(std::env::temp_dir().as_os_str());
    ErrorKind::Write { file: format!("{folder} (for rows to be shuffled that memory does not hold; TMPDIR)"), source }
        .into()
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("rows", &self.rows).field("store", &self.store).finish_non_exhaustive()
    }
}
