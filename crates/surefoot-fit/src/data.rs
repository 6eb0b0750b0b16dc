//! Sources of the rows of a fit: files, pipes, rows in memory, or a stream.

use std::{
    fmt,
    sync::{
        Arc, Mutex,
        mpsc::{self, Sender},
    },
};
use surefoot_glm::{Batch, Part, Place, threads::start};
use surefoot_io::{Error, InputName, Located, Location, Options, RowSource, check_inputs, spool};
use xxhash_rust::xxh3::Xxh3;

use crate::stop::{Interrupt, PATIENCE, StopConditions};

/// Source of the rows of a fit, an evaluation or a prediction.
///
/// ```
/// use surefoot_fit::Data;
/// use surefoot_glm::Batch;
/// let mut batch = Batch::default();
/// batch.push(Some(1.0), 1.0, &[(3, 0.5)]);
/// let rows = Data::from(batch);
/// assert_eq!((rows.to_string(), rows.can_reread()), ("rows in memory".to_owned(), true));
/// assert_eq!(Data::files(["a.svm", "b.svm"]).to_string(), "a.svm, b.svm");
/// ```
#[derive(Clone, Debug)]
pub enum Data {
    /// Files, pipes, or standard input, read one after the other.
    Inputs(Vec<InputName>),
    /// Rows in memory, whose features are identified by number.
    Memory(Arc<Batch>),
    /// Rows kept by the caller, which can be read any number of times.
    Source(Source),
    /// Rows that can be read only once.
    Stream(Stream),
}

/// Rows that the calling program keeps in a form of its own, such as a matrix, and that can be read any number of times.
pub trait OpenRows: Send + Sync {
    /// Opens a reader of all rows, from the first one. The same rows come in the same order each time.
    ///
    /// # Errors
    /// Rows that cannot be read with these options.
    fn open(&self, options: &Options) -> Result<Box<dyn RowSource + Send>, Error>;

    /// Returns the number of rows.
    fn rows(&self) -> u64;

    /// Returns the name of the rows in messages.
    fn name(&self) -> String {
        "rows in memory".to_owned()
    }

    /// Returns the location of a part of row `row` of a batch that was read from here, for an error message.
    fn locate(&self, options: &Options, batch: &Batch, row: usize, part: Part) -> Located {
        let _ = options;
        locate_in_memory(self.name(), batch, row, part)
    }
}

/// Rows kept by the caller, as a [`Data`].
#[derive(Clone)]
pub struct Source(pub(crate) Arc<dyn OpenRows>);

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.0.name()).finish()
    }
}

/// Row source given by the caller, which can be read only once.
#[derive(Clone)]
pub struct Stream(Arc<Mutex<Option<Box<dyn RowSource + Send>>>>);

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream")
    }
}

impl Stream {
    /// Takes the row source out of the stream; returns `None` if it was already taken.
    pub(crate) fn take(&self) -> Option<Box<dyn RowSource + Send>> {
        self.0.lock().ok()?.take()
    }
}

impl Data {
    /// Builds data from file names, where `-` is standard input. Opens no file.
    pub fn files<N: Into<std::ffi::OsString>>(names: impl IntoIterator<Item = N>) -> Data {
        Data::Inputs(names.into_iter().map(InputName::new).collect())
    }

    /// Builds data from a row source given by the caller, which is read only once.
    pub fn stream(source: impl RowSource + Send + 'static) -> Data {
        Data::Stream(Stream(Arc::new(Mutex::new(Some(Box::new(source))))))
    }

    /// Builds data from rows that the caller keeps, which are read as often as a fit needs them.
    pub fn source(rows: impl OpenRows + 'static) -> Data {
        Data::Source(Source(Arc::new(rows)))
    }

    /// Builds data from an iterator over batches, which is read only once.
    ///
    /// ```
    /// use surefoot_fit::{Data, Fit};
    /// use surefoot_glm::{Batch, Loss};
    /// let batches = (0..10).map(|day| {
    ///     let mut batch = Batch::default();
    ///     (0..7_u64).for_each(|hour| batch.push(Some((day + hour) as f64), 1.0, &[(hour, 1.0)]));
    ///     batch
    /// });
    /// let outcome = Fit::new(Loss::Squared).run(Data::batches(batches)).unwrap();
    /// assert_eq!(outcome.model.summary.rows, 70);
    /// ```
    pub fn batches<I>(batches: I) -> Data
    where
        I: IntoIterator<Item = Batch>,
        I::IntoIter: Send + 'static,
    {
        Data::stream(Batches { batches: batches.into_iter(), rows: 0 })
    }

    /// Returns the files and pipes; empty for rows in memory and streams.
    #[must_use]
    pub fn inputs(&self) -> &[InputName] {
        match self {
            Data::Inputs(inputs) => inputs,
            Data::Memory(_) | Data::Source(_) | Data::Stream(_) => &[],
        }
    }

    /// Whether rows can be read again: true for regular files, memory and sources, false for pipes and streams.
    #[must_use]
    pub fn can_reread(&self) -> bool {
        !matches!(self, Data::Stream(_)) && self.inputs().iter().all(InputName::can_reread)
    }

    /// Checks that all inputs can be opened, so that a wrong file name is found before any work.
    ///
    /// # Errors
    /// The error of the first input that cannot be opened.
    pub fn check(&self) -> Result<(), Error> {
        check_inputs(self.inputs())
    }

    /// If standard input is one of the inputs, copies it to a temporary file that can be read several times.
    ///
    /// # Errors
    /// Errors of reading standard input or of writing the temporary file; a request to stop.
    pub fn spool(&mut self, stop: &StopConditions) -> Result<(), Interrupt> {
        let Data::Inputs(inputs) = self else { return Ok(()) };
        let Some(stdin) = inputs.iter_mut().find(|input| matches!(input, InputName::Stdin)) else { return Ok(()) };
        let (give, take) = mpsc::channel();
        // If no thread can be started, the copy runs on this thread and a request to stop is seen only at the end of the input.
        let copy = |give: Sender<_>| _ = give.send(spool());
        start("spool", give, copy).map_or_else(copy, drop);
        loop {
            match take.recv_timeout(PATIENCE) {
                Ok(copy) => {
                    *stdin = copy?;
                    return Ok(());
                }
                Err(_) => stop.check()?,
            }
        }
    }

    /// Returns the unit in which the sizes of the inputs are measured, in the plural: `bytes`, or `rows` for rows in memory and
    /// streams.
    pub(crate) fn unit(&self) -> &'static str {
        match self {
            Data::Inputs(_) => "bytes",
            Data::Memory(_) | Data::Source(_) | Data::Stream(_) => "rows",
        }
    }

    /// Returns the name of the input with this index (from 0), or the names of all inputs if there is none.
    pub(crate) fn name(&self, input: usize) -> String {
        self.inputs().get(input).map_or_else(|| self.to_string(), InputName::to_string)
    }

    /// Returns the location of a part (label, feature, …) of row `row` of a batch read from these data, for an error message. If
    /// `again` is true, the batch no longer has its text, and the input is read again up to this row where possible.
    #[must_use]
    pub fn locate(&self, options: &Options, batch: &Batch, row: usize, part: Part, again: bool) -> Located {
        match self {
            Data::Inputs(inputs) if again => options.describe_again(inputs, batch, row, part),
            Data::Inputs(inputs) => options.describe(inputs, batch, row, part),
            Data::Source(Source(rows)) => rows.locate(options, batch, row, part),
            Data::Memory(_) | Data::Stream(_) => locate_in_memory(self.to_string(), batch, row, part),
        }
    }
}

/// Returns the location of a part of a row that has no text, by the number of the row.
fn locate_in_memory(file: String, batch: &Batch, row: usize, part: Part) -> Located {
    let number = batch.place.get(row).map_or(0, |place| place.line);
    let token = match part {
        Part::Pair(k) => batch.row(row).index.get(k).map_or_else(String::new, |id| format!("feature {id}")),
        Part::Label => batch.label[row].to_string(),
        Part::Weight => batch.weight[row].to_string(),
        Part::Row => String::new(),
    };
    Located { file, location: Location::Cell { row: number, column: None }, token }
}

impl From<Batch> for Data {
    fn from(batch: Batch) -> Data {
        Data::Memory(Arc::new(batch))
    }
}

impl From<Vec<InputName>> for Data {
    fn from(inputs: Vec<InputName>) -> Data {
        Data::Inputs(inputs)
    }
}

/// Displays the names of all inputs, separated by commas.
impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Data::Inputs(inputs) => {
                for (k, input) in inputs.iter().enumerate() {
                    write!(f, "{}{input}", if k > 0 { ", " } else { "" })?;
                }
                Ok(())
            }
            Data::Memory(_) => f.write_str("rows in memory"),
            Data::Source(Source(rows)) => f.write_str(&rows.name()),
            Data::Stream(_) => f.write_str("rows of a stream"),
        }
    }
}

/// Maximum number of rows returned by one call of [`MemoryRows::read`].
const CHUNK: usize = 1024;

/// Reader of rows stored in memory, in batches of at most [`CHUNK`] rows.
pub(crate) struct MemoryRows {
    rows: Arc<Batch>,
    /// Number of rows returned so far, which is the index of the next row.
    next: usize,
    hash: Xxh3,
}

impl fmt::Debug for MemoryRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryRows").field("next", &self.next).finish_non_exhaustive()
    }
}

impl MemoryRows {
    pub(crate) fn new(rows: Arc<Batch>) -> MemoryRows {
        MemoryRows { rows, next: 0, hash: Xxh3::new() }
    }

    /// Adds row `r` to the running hash and returns the hash of all rows so far, by which a resumed run recognises its data.
    fn digest(&mut self, r: usize) -> u64 {
        let row = self.rows.row(r);
        let numbers = [row.label.unwrap_or(f64::NAN), row.weight, row.offset];
        numbers.iter().for_each(|x| self.hash.update(&x.to_bits().to_le_bytes()));
        for (id, value) in row.index.iter().zip(row.value) {
            self.hash.update(&id.to_le_bytes());
            self.hash.update(&value.to_bits().to_le_bytes());
        }
        self.hash.digest()
    }
}

impl RowSource for MemoryRows {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        batch.clear();
        let rows = Arc::clone(&self.rows);
        let to = rows.len().min(self.next + CHUNK);
        for r in self.next..to {
            batch.append(&rows.row(r));
            let hash = self.digest(r);
            let line = r as u64 + 1;
            if let Some(place) = batch.place.last_mut() {
                *place = Place { line, end: line, hash, ..Place::default() };
            }
        }
        let any = to > self.next;
        self.next = to;
        Ok(any)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.next as u64, Some(self.rows.len() as u64))
    }
}

/// Row source that returns the batches of an iterator, one after the other.
#[derive(Debug)]
struct Batches<I> {
    batches: I,
    /// Number of rows returned so far.
    rows: u64,
}

impl<I: Iterator<Item = Batch>> RowSource for Batches<I> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let Some(next) = self.batches.find(|batch| !batch.is_empty()) else { return Ok(false) };
        *batch = next;
        for place in &mut batch.place {
            self.rows += 1;
            *place = Place { line: self.rows, end: self.rows, ..Place::default() };
        }
        Ok(true)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.rows, None)
    }
}
