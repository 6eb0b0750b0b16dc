//! Parser of columnar tables (Parquet, and Arrow as a file or a stream) into rows.
//!
//! Columns that are not used are not decoded. One record batch is in memory at a time: for Parquet up to [`CELLS`] cells and the pages that
//! contain them, for Arrow a batch of the size that its writer chose. Rows are built as for any other table: see [`rows`].

mod arrow;
mod cells;
mod column;
mod guard;
mod kinds;
pub(crate) mod memory;
mod missing_policy;
mod nested;
mod parquet;
mod partitioned;
mod plan;
mod rows;
mod scalar_types;
pub(crate) mod table_reader;
mod texts;
mod thrift;
mod vectors;

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use surefoot_glm::{Batch, Part, Role};

use super::parser::{CHANGED, Opened, RangeOf, TableParser, Units};
use crate::{
    error::{self, ColumnError, Error, ErrorKind, Location, stream_error},
    files::part::PartRange,
    table::options::Options,
};
use guard::Guarded;
use partitioned::Partitioned;
use table_reader::TableReader;

/// Maximum number of cells per decoded record batch; a single row with more cells is a batch of its own.
const CELLS: usize = 1 << 18;

/// Returns the number of rows per record batch of a table of which this many columns are read.
fn rows_per_batch(columns: usize) -> usize {
    (CELLS / columns.max(1)).clamp(1, 8 << 10)
}

/// Open table (Parquet, Arrow, or in memory), read as a sequence of record batches.
pub(crate) trait Table: Send {
    fn schema(&self) -> SchemaRef;
    /// Restricts decoding to the columns at these positions, given in ascending order. Must be called once, before the first batch.
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadFailure>;
    fn next(&mut self) -> Result<Option<RecordBatch>, ReadFailure>;
    /// Returns the number (from 1) of the first row in which the given column is null, if the statistics stored in the table prove that
    /// there is one; otherwise `None`.
    fn first_null(&self, column: usize) -> Result<Option<u64>, ReadFailure> {
        let _ = column;
        Ok(None)
    }
    /// Returns the number of rows of the file before those of this table, which may be a part of it.
    fn rows_before(&self) -> u64 {
        0
    }
}

/// Error that ends the reading of a table.
#[derive(Debug)]
pub(crate) enum ReadFailure {
    /// I/O error while reading the input.
    Stream(io::Error),
    /// Error message without the name of the input, which the caller prepends.
    Says(String),
    /// Error about the columns of the table.
    Columns(ColumnError),
    /// Error from elsewhere, such as writing a temporary file, that is not the fault of the input.
    Other(Error),
}

impl From<Error> for ReadFailure {
    fn from(error: Error) -> ReadFailure {
        ReadFailure::Other(error)
    }
}

impl From<io::Error> for ReadFailure {
    fn from(error: io::Error) -> ReadFailure {
        ReadFailure::Stream(error)
    }
}

impl ReadFailure {
    /// Converts the failure to an error about the input `file`, which is compressed with `codec` (if it is compressed) and of which `at`
    /// stored bytes were read.
    pub(crate) fn error(self, file: String, codec: Option<&'static str>, at: u64) -> Error {
        match self {
            ReadFailure::Columns(ColumnError { message, asked: true }) => {
                ErrorKind::Asked { place: format!("{file}: "), message }.into()
            }
            ReadFailure::Says(message) | ReadFailure::Columns(ColumnError { message, .. }) => {
                ErrorKind::Table { file, message }.into()
            }
            ReadFailure::Other(error) => error,
            ReadFailure::Stream(source) => stream_error(file, codec, at, source),
        }
    }
}

/// Function that opens an input as a table; each columnar format has one.
type Open = fn(Opened, &Options) -> Result<Box<dyn Table>, ReadFailure>;

/// Columnar format.
#[derive(Clone, Copy)]
struct Kind {
    open: Open,
    /// Returns the sizes in bytes of the units of which a part of an input can consist; none if it cannot be divided.
    units: fn(Opened) -> Result<Vec<u64>, ReadFailure>,
    range_of: RangeOf,
}

pub(crate) fn parquet(options: &Options) -> Box<dyn TableParser> {
    let kind = Kind { open: parquet::open, units: parquet::units, range_of: PartRange::RowGroups };
    Box::new(Columnar::new(kind, options))
}

pub(crate) fn arrow(options: &Options) -> Box<dyn TableParser> {
    let kind = Kind { open: arrow::open, units: arrow::units, range_of: PartRange::RecordBatches };
    Box::new(Columnar::new(kind, options))
}

/// Returns the units of which a table is to be read: those of a part, whose range `of_kind` returns, or all `units`.
///
/// # Errors
/// If the input no longer has the units of the part.
fn part_of(
    part: Option<&(PartRange, u64)>,
    units: usize,
    of_kind: fn(&PartRange) -> Option<&Range<usize>>,
) -> Result<Range<usize>, ReadFailure> {
    let Some((part, _)) = part else { return Ok(0..units) };
    let range = of_kind(part).filter(|range| range.start <= range.end && range.end <= units);
    range.cloned().ok_or_else(|| ReadFailure::Says(CHANGED.to_owned()))
}

/// Parser of Parquet or Arrow inputs, which are read one after another.
struct Columnar {
    options: Options,
    kind: Kind,
    reader: TableReader,
    codec: Option<&'static str>,
    position: Arc<AtomicU64>,
}

impl Columnar {
    fn new(kind: Kind, options: &Options) -> Columnar {
        let reader = TableReader::new(options);
        Columnar { options: options.clone(), kind, reader, codec: None, position: Arc::default() }
    }

    /// Opens an input as a table, to which the constant columns of its path are added.
    fn table(&self, input: Opened) -> Result<Box<dyn Table>, ReadFailure> {
        let constants = self.options.partitions.of(input.input as usize);
        let table = Box::new(Guarded(guard::damage(|| (self.kind.open)(input, &self.options))?));
        Ok(if constants.is_empty() { table } else { Box::new(Partitioned::new(table, constants)?) })
    }

    fn error(&self, failure: ReadFailure) -> Error {
        failure.error(self.reader.file().to_owned(), self.codec, self.position.load(Ordering::Relaxed))
    }
}

impl TableParser for Columnar {
    fn open(&mut self, input: Opened) -> Result<(), Error> {
        (self.codec, self.position) = (input.codec, input.position.clone());
        self.reader.start(&input.name, input.input);
        if let Some(whole) = input.whole().filter(|_| self.options.found.table().is_none()) {
            // The lengths of lists are those of the first rows of the file.
            let table = self.table(whole);
            table.and_then(|table| self.reader.begin(table)).map_err(|failure| self.error(failure))?;
            self.reader.start(&input.name, input.input);
        }
        let table = self.table(input);
        table.and_then(|table| self.reader.begin(table)).map_err(|failure| self.error(failure))
    }

    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        if !self.reader.more().map_err(|failure| self.error(failure))? {
            return Ok(false);
        }
        self.reader.read(batch).map(|()| true)
    }

    fn units(&self, input: Opened) -> Units {
        // A fault is reported when the whole input is read.
        let sizes = guard::damage(|| (self.kind.units)(input)).unwrap_or_default();
        Units { sizes, range_of: self.kind.range_of }
    }
}

/// Returns the location (row and column) and the text of a part of a row, such as the label or a feature, for an error message.
pub(crate) fn describe(options: &Options, batch: &Batch, row: usize, part: Part) -> (Location, String) {
    let place = batch.place.get(row).copied().unwrap_or_default();
    let of_role = |role| {
        let columns = &options.found.table()?.columns;
        columns.iter().find(|column| column.role == role).map(|column| column.name.clone())
    };
    let text = batch.text.get(place.text.0..place.text.1).unwrap_or_default();
    let number = |x: Option<&f64>| x.map_or_else(String::new, f64::to_string);
    let (column, token) = match part {
        Part::Label if !text.is_empty() => (of_role(Role::Label), error::token(text)),
        Part::Label => (of_role(Role::Label), number(batch.label.get(row))),
        Part::Weight => (of_role(Role::Weight), number(batch.weight.get(row))),
        Part::Row => (None, String::new()),
        Part::Pair(i) => {
            let at = batch.start.get(row).map_or(usize::MAX, |start| start.saturating_add(i));
            let id = batch.index.get(at).copied().unwrap_or_default();
            let names = options.found.names(&[id]);
            (names.of(id).map(str::to_owned), number(batch.value.get(at)))
        }
    };
    (Location::Cell { row: place.line, column }, token)
}
