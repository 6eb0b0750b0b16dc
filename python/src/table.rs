//! Tables of Arrow, taken through its C stream interface without a copy; and tables of columns.

use crate::beside::Beside;
use arrow_array::{
    Array, ArrayRef, Float64Array, RecordBatch, RecordBatchReader,
    ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader},
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyCapsule};
use std::{fmt, sync::Arc};
use surefoot_fit::{Data, OpenRows};
use surefoot_glm::{Batch, Part};
use surefoot_io::{Error, ErrorKind, Located, Location, MemoryTable, Options, RowSource};

/// Name of tables in messages.
const NAME: &str = "X";
/// Name that the Arrow C stream interface gives its capsules.
const CAPSULE: &std::ffi::CStr = c"arrow_array_stream";

/// Takes a table through `__arrow_c_stream__`. Its cells stay where they are.
pub(crate) fn of_stream(table: &Bound<'_, PyAny>) -> PyResult<MemoryTable> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(CAPSULE))?;
    // SAFETY: a capsule of this name holds a stream that whoever receives the capsule may take over. `from_raw` moves the stream out and
    // marks it as released in the capsule, whose destructor then leaves it alone.
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr().cast::<FFI_ArrowArrayStream>()) };
    let reader = reader.map_err(unreadable)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    // Whoever made the arrays, their offsets, texts and keys are checked before anything is read by them.
    for column in batches.iter().flat_map(RecordBatch::columns) {
        column.to_data().validate_full().map_err(unreadable)?;
    }
    Ok(MemoryTable::new(NAME, schema, batches))
}

fn unreadable(error: impl fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{NAME}: the table cannot be read: {error}"))
}

/// Builds a table of columns of doubles, which are copied.
pub(crate) fn of_columns(columns: &[(String, Bound<'_, PyAny>)]) -> PyResult<MemoryTable> {
    let arrays = columns.iter().map(|(name, column)| Ok((name, array(column)?))).collect::<PyResult<Vec<_>>>()?;
    let batch = RecordBatch::try_from_iter_with_nullable(arrays.into_iter().map(|(name, array)| (name, array, true)));
    let batch = batch.map_err(unreadable)?;
    Ok(MemoryTable::new(NAME, batch.schema(), [batch]))
}

fn array(column: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let numbers = column.cast::<PyArray1<f64>>()?.readonly();
    let cells = numbers.as_slice()?.iter().map(|&x| (!x.is_nan()).then_some(x));
    Ok(Arc::new(cells.collect::<Float64Array>()))
}

/// Returns the rows of a table, with what is given beside it.
pub(crate) fn data(table: MemoryTable, beside: Beside) -> PyResult<Data> {
    beside.check(usize::try_from(table.len())?)?;
    Ok(Data::source(TableSource { table, beside: Arc::new(beside) }))
}

struct TableSource {
    table: MemoryTable,
    beside: Arc<Beside>,
}

impl TableSource {
    /// Returns the options for reading the table, in which no column has to hold labels that are given beside it.
    fn options(&self, options: &Options) -> Options {
        Options { unlabelled: options.unlabelled || self.beside.label.is_some(), ..options.clone() }
    }
}

impl OpenRows for TableSource {
    fn open(&self, options: &Options) -> Result<Box<dyn RowSource + Send>, Error> {
        let rows = self.table.rows(self.options(options))?;
        Ok(Box::new(TableReader { rows, beside: Arc::clone(&self.beside) }))
    }

    fn rows(&self) -> u64 {
        self.table.len()
    }

    fn name(&self) -> String {
        self.table.name().to_owned()
    }

    fn locate(&self, options: &Options, batch: &Batch, row: usize, part: Part) -> Located {
        let number = batch.place.get(row).map_or(0, |place| place.line.saturating_sub(1));
        if let Some(found) = self.beside.locate(batch, row, number, part) {
            return found;
        }
        from_zero(self.table.describe_again(&self.options(options), batch, row, part))
    }
}

/// Counts the row of a location from 0, as Python does.
fn from_zero(mut place: Located) -> Located {
    if let Location::Cell { row, .. } = &mut place.location {
        *row = row.saturating_sub(1);
    }
    place
}

/// Counts the row of an error from 0.
fn counted_from_zero(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Row { place, message } => from_zero(place.clone()).error(message.clone()),
        _ => error,
    }
}

/// Reader of the rows of a table, which gives them what stands beside the table.
struct TableReader<R> {
    rows: R,
    beside: Arc<Beside>,
}

impl<R: RowSource> RowSource for TableReader<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        let any = self.rows.read(batch).map_err(counted_from_zero)?;
        self.beside.fill(batch, |batch, r| batch.place[r].line.saturating_sub(1) as usize);
        Ok(any)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        self.rows.progress()
    }
}
