//! Parser of columnar tables (Parquet, and Arrow as a file or a stream) into rows.
//!
//! Columns that are not used are not decoded. One record batch is in memory at a time: for Parquet up to [`CELLS`] cells and the pages that
//! contain them, for Arrow a batch of the size that its writer chose. Rows are built as for any other table: see [`rows`].

mod arrow;
mod cells;
mod column;
mod guard;
mod kinds;
mod missing_policy;
mod nested;
mod parquet;
mod partitioned;
mod plan;
mod rows;
mod scalar_types;
mod texts;
mod thrift;
mod vectors;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use surefoot_glm::{Batch, Part, Role};

use super::parser::{Opened, TableParser};
use crate::{
    error::{self, ColumnError, Error, ErrorKind, Located, Location, stream_error},
    table::options::Options,
};
use partitioned::Partitioned;
use plan::Plan;
use rows::Rows;

/// Maximum number of cells per decoded record batch; a single row with more cells is a batch of its own.
const CELLS: usize = 1 << 18;

/// Open Parquet or Arrow table, read as a sequence of record batches.
trait Table: Send {
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
}

/// Error that ends the reading of a table.
#[derive(Debug)]
enum ReadFailure {
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

/// Function that opens an input as a table; each columnar format has one.
type Open = fn(Opened, &Options) -> Result<Box<dyn Table>, ReadFailure>;

pub(crate) fn parquet(options: &Options) -> Box<dyn TableParser> {
    Box::new(Columnar::new(parquet::open, options))
}

pub(crate) fn arrow(options: &Options) -> Box<dyn TableParser> {
    Box::new(Columnar::new(arrow::open, options))
}

/// Parser of Parquet or Arrow inputs, which are read one after another.
struct Columnar {
    options: Options,
    start: Open,
    table: Option<Box<dyn Table>>,
    rows: Rows,
    file: String,
    codec: Option<&'static str>,
    position: Arc<AtomicU64>,
    /// Number of the current input among all inputs, from 0.
    input: usize,
}

impl Columnar {
    fn new(start: Open, options: &Options) -> Columnar {
        Columnar {
            options: options.clone(),
            start,
            table: None,
            rows: Rows::new(options),
            file: String::new(),
            codec: None,
            position: Arc::default(),
            input: 0,
        }
    }

    /// Opens an input as a table, determines how its columns are used, and decodes its first batch.
    fn begin(&mut self, input: Opened) -> Result<(), ReadFailure> {
        let mut table = guard::damage(|| (self.start)(input, &self.options))?;
        let constants = self.options.partitions.of(self.input);
        if !constants.is_empty() {
            table = Box::new(Partitioned::new(table, constants)?);
        }
        let mut plan = Plan::new(&self.file, &table.schema(), &self.options).map_err(ReadFailure::Columns)?;
        table.select(&plan.columns())?;
        let unlabelled = match plan.needed_label() {
            Some(label) => guard::damage(|| table.first_null(label))?,
            None => None,
        };
        let first = guard::damage(|| table.next())?;
        plan.complete(&self.file, first.as_ref(), &self.options).map_err(ReadFailure::Columns)?;
        self.rows.begin(&self.file, plan, unlabelled);
        if let Some(first) = first {
            self.rows.load(&first);
            self.table = Some(table);
        }
        Ok(())
    }

    /// Decodes the next record batch once all rows of the current one have been read; returns `false` at the end of the table.
    fn more(&mut self) -> Result<bool, ReadFailure> {
        while self.rows.is_done() {
            let Some(table) = &mut self.table else { return Ok(false) };
            match guard::damage(|| table.next())? {
                Some(next) => self.rows.load(&next),
                None => {
                    self.table = None;
                    self.rows.end();
                }
            }
        }
        Ok(true)
    }

    fn error(&self, damage: ReadFailure) -> Error {
        let file = self.file.clone();
        match damage {
            ReadFailure::Columns(ColumnError { message, asked: true }) => {
                ErrorKind::Asked { place: format!("{file}: "), message }.into()
            }
            ReadFailure::Says(message) | ReadFailure::Columns(ColumnError { message, .. }) => {
                ErrorKind::Table { file, message }.into()
            }
            ReadFailure::Other(error) => error,
            ReadFailure::Stream(source) => {
                stream_error(file, self.codec, self.position.load(Ordering::Relaxed), source)
            }
        }
    }
}

impl TableParser for Columnar {
    fn open(&mut self, input: Opened) -> Result<(), Error> {
        self.table = None;
        self.input = input.input as usize;
        self.rows.start(input.input);
        (self.file, self.codec, self.position) = (input.name.clone(), input.codec, input.position.clone());
        self.begin(input).map_err(|damage| self.error(damage))
    }

    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        if !self.more().map_err(|damage| self.error(damage))? {
            return Ok(false);
        }
        self.rows.read(batch).map(|()| true).map_err(|fault| {
            let location = Location::Cell { row: fault.row, column: fault.column };
            Located { file: self.file.clone(), location, token: fault.token }.error(fault.message)
        })
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
