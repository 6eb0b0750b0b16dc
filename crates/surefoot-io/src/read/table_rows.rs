//! Reader of the rows of a table in memory, given as record batches of Arrow.

use std::fmt;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use surefoot_glm::Batch;

use super::{admission::admit, held_error::HeldError, reader::RowSource};
use crate::{
    error::Error,
    formats::columnar::{
        ReadFailure,
        memory::{Memory, RecordBatches},
        table_reader::TableReader,
    },
    table::{format::Format, options::Options, partitions::Partitions},
};

/// Format whose rules hold for tables in memory.
pub(super) const FORMAT: &str = "arrow";

/// Row source that turns the record batches of a table in memory into the rows that [`Reader`](crate::Reader) reads from an Arrow or Parquet
/// file with the same columns. Its progress is measured in rows.
///
/// No cell is copied before its turn. The batches can be read once; see [`MemoryTable`](crate::MemoryTable) for a table that is read
/// several times.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
/// use surefoot_glm::Batch;
/// use surefoot_io::{Options, RowSource, TableRows};
///
/// let label: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 0.0]));
/// let colour: ArrayRef = Arc::new(StringArray::from(vec!["red", "green"]));
/// let table = RecordBatch::try_from_iter([("y", label), ("colour", colour)])?;
/// let mut options = Options::default();
/// options.wanted.label = Some("y".to_owned());
/// let mut rows = TableRows::new("table", table.schema(), [Ok(table)], options.clone())?;
/// let mut batch = Batch::default();
/// assert!(rows.read(&mut batch)?);
/// let row = batch.row(1);
/// assert_eq!((row.label, row.value), (Some(0.0), &[1.0][..]));
/// assert_eq!(options.found.names(row.index).of(row.index[0]), Some("colour=green"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableRows {
    name: String,
    options: Options,
    /// Table of which nothing has been read; `None` from the first read on.
    unread: Option<Memory>,
    reader: TableReader,
    held: HeldError,
    /// Number of rows of the table; `None` if unknown.
    total: Option<u64>,
}

impl TableRows {
    /// Builds a reader of the rows of a table, which is called `name` in messages. The columns are checked when the first rows are read.
    /// The format of the options and their partitions are not used.
    ///
    /// # Errors
    /// If a setting is out of its range or tables are not permitted. When rows are read: the errors of a [`Reader`](crate::Reader) of an
    /// Arrow file; an error of the iterator; a batch whose columns are not those of the schema.
    pub fn new<I>(name: &str, schema: SchemaRef, batches: I, options: Options) -> Result<TableRows, Error>
    where
        I: IntoIterator<Item = Result<RecordBatch, ArrowError>>,
        I::IntoIter: Send + 'static,
    {
        TableRows::open(name, Memory::new(schema, Box::new(batches.into_iter())), None, options)
    }

    /// Builds a reader of the rows of a table in memory that has `total` rows.
    pub(super) fn of(
        name: &str,
        (schema, batches): (SchemaRef, RecordBatches),
        total: u64,
        options: Options,
    ) -> Result<TableRows, Error> {
        TableRows::open(name, Memory::new(schema, batches), Some(total), options)
    }

    fn open(name: &str, table: Memory, total: Option<u64>, options: Options) -> Result<TableRows, Error> {
        let options = Options { format: Format::named(FORMAT), partitions: Partitions::default(), ..options };
        options.check()?;
        if let Some(format) = options.format {
            format.check(&options)?;
        }
        let reader = TableReader::new(&options);
        Ok(TableRows { name: name.to_owned(), options, unread: Some(table), reader, held: HeldError::default(), total })
    }

    /// Opens the table, or reads the next rows; returns `false` at its end.
    fn step(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        if let Some(table) = self.unread.take() {
            return self.begin(table).map(|()| true);
        }
        if !self.reader.more().map_err(|failure| self.error(failure))? {
            return Ok(false);
        }
        self.reader.read(batch).map(|()| true)
    }

    fn begin(&mut self, table: Memory) -> Result<(), Error> {
        if let Some(format) = self.options.format {
            admit(&self.name, format, &self.options)?;
        }
        self.reader.start(&self.name, 0);
        self.reader.begin(Box::new(table)).map_err(|failure| self.error(failure))
    }

    fn error(&self, failure: ReadFailure) -> Error {
        failure.error(self.name.clone(), None, 0)
    }
}

impl RowSource for TableRows {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        loop {
            batch.clear();
            self.held.take()?;
            let stepped = self.step(batch);
            if let Some(done) = self.held.hold(stepped, batch) {
                return done;
            }
        }
    }

    /// Returns the number of rows read so far, and the total number (`None` if unknown).
    fn progress(&self) -> (u64, Option<u64>) {
        (self.reader.position(), self.total)
    }
}

impl fmt::Debug for TableRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableRows").field("name", &self.name).finish_non_exhaustive()
    }
}
