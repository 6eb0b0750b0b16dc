//! Rows of an array, or of a matrix in compressed rows.

use crate::{
    beside::Beside,
    numbers::{Floats, Integers, Numbers},
};
use pyo3::{exceptions::PyTypeError, prelude::*};
use std::sync::Arc;
use surefoot_fit::OpenRows;
use surefoot_glm::{Batch, Part, Place};
use surefoot_io::{Error, IndexedFeatures, Located, Location, Options, RowSource};

/// Number of rows, and of nonzeros, at which a batch ends.
const ROWS: usize = 4096;
const NONZEROS: usize = 64 << 10;

#[derive(Debug)]
enum Values {
    Dense(Floats),
    Sparse { values: Floats, columns: Integers, starts: Integers },
}

/// Rows of a matrix with what belongs to each row beside its features.
#[derive(Debug)]
pub(crate) struct Matrix {
    values: Values,
    rows: usize,
    width: usize,
    beside: Beside,
}

impl Matrix {
    /// Takes a two-dimensional array of floats, in any layout.
    pub(crate) fn dense(array: &Bound<'_, PyAny>, beside: Beside) -> PyResult<Matrix> {
        let double = Numbers::of_matrix(array).map(Floats::Double);
        let values = double.or_else(|_| Numbers::of_matrix(array).map(Floats::Single))?;
        let [rows, width] = match &values {
            Floats::Single(numbers) => numbers.shape,
            Floats::Double(numbers) => numbers.shape,
        };
        Matrix::new(Values::Dense(values), rows, width, beside)
    }

    /// Takes the three arrays of a matrix of `width` columns in compressed rows.
    pub(crate) fn sparse(parts: [&Bound<'_, PyAny>; 3], width: usize, beside: Beside) -> PyResult<Matrix> {
        let [values, columns, starts] = parts;
        let (values, columns) = (Floats::of_vector(values)?, Integers::of_vector(columns)?);
        let starts = Integers::of_vector(starts)?;
        let rows = starts.len().saturating_sub(1);
        if values.len() != columns.len() {
            return Err(PyTypeError::new_err("a sparse matrix has as many column indices as values"));
        }
        Matrix::new(Values::Sparse { values, columns, starts }, rows, width, beside)
    }

    fn new(values: Values, rows: usize, width: usize, beside: Beside) -> PyResult<Matrix> {
        beside.check(rows)?;
        Ok(Matrix { values, rows, width, beside })
    }

    /// Appends the nonzeros of a row to the batch; the error is the position of the first that is not in the matrix.
    fn push(&self, row: usize, batch: &mut Batch) -> Result<(), String> {
        match &self.values {
            Values::Dense(values) => {
                match values {
                    Floats::Single(numbers) => push_dense(numbers, row, self.width, batch),
                    Floats::Double(numbers) => push_dense(numbers, row, self.width, batch),
                }
                Ok(())
            }
            Values::Sparse { values, columns, starts } => {
                let range = starts.position(row).zip(starts.position(row + 1));
                let range = range.filter(|(from, to)| from <= to && *to <= columns.len());
                let (from, to) = range.ok_or_else(|| format!("row {row} of the sparse matrix has no valid range"))?;
                match values {
                    Floats::Single(values) => self.push_sparse(values, columns, from..to, batch),
                    Floats::Double(values) => self.push_sparse(values, columns, from..to, batch),
                }
            }
        }
    }

    fn push_sparse<T: Copy + Into<f64>>(
        &self,
        values: &Numbers<T>,
        columns: &Integers,
        range: std::ops::Range<usize>,
        batch: &mut Batch,
    ) -> Result<(), String> {
        let (first, mut ascends) = (batch.index.len(), true);
        for at in range {
            let column = columns.position(at).filter(|column| *column < self.width);
            let column = column.ok_or_else(|| format!("a column index is not from 0 to {}", self.width as i64 - 1))?;
            ascends &= batch.index.len() == first || batch.index.last() < Some(&(column as u64));
            batch.index.push(column as u64);
            batch.value.push(values.get(at, 0).into());
        }
        if !ascends {
            add_up(batch, first);
        }
        Ok(())
    }
}

fn push_dense<T: Copy + Into<f64>>(numbers: &Numbers<T>, row: usize, width: usize, batch: &mut Batch) {
    for column in 0..width {
        let value: f64 = numbers.get(row, column).into();
        if value != 0.0 {
            batch.index.push(column as u64);
            batch.value.push(value);
        }
    }
}

/// Sorts the nonzeros from position `first` on by column, and adds up those of the same column, as SciPy does.
#[cold]
fn add_up(batch: &mut Batch, first: usize) {
    let pairs = batch.index[first..].iter().copied().zip(batch.value[first..].iter().copied());
    let mut pairs: Vec<(u64, f64)> = pairs.collect();
    pairs.sort_by_key(|pair| pair.0);
    batch.truncate_pairs(first);
    for (column, value) in pairs {
        match batch.index.len() > first && batch.index.last() == Some(&column) {
            true => *batch.value.last_mut().expect("as many values as columns") += value,
            false => {
                batch.index.push(column);
                batch.value.push(value);
            }
        }
    }
}

/// Matrix whose rows can be read any number of times.
#[derive(Clone, Debug)]
pub(crate) struct MatrixRows(pub(crate) Arc<Matrix>);

impl OpenRows for MatrixRows {
    fn open(&self, options: &Options) -> Result<Box<dyn RowSource + Send>, Error> {
        let features = IndexedFeatures::new(options)?;
        let offset = options.wanted.without.is_empty();
        Ok(Box::new(MatrixReader { matrix: Arc::clone(&self.0), features, next: 0, offset }))
    }

    fn rows(&self) -> u64 {
        self.0.rows as u64
    }

    fn name(&self) -> String {
        "X".to_owned()
    }

    fn locate(&self, _: &Options, batch: &Batch, row: usize, part: Part) -> Located {
        let line = batch.place.get(row).map_or(0, |place| place.line);
        if let Some(found) = self.0.beside.locate(batch, row, line, part) {
            return found;
        }
        let (column, token) = match part {
            Part::Pair(k) => {
                let row = batch.row(row);
                (row.index.get(k).map(u64::to_string), row.value.get(k).map_or_else(String::new, f64::to_string))
            }
            Part::Label | Part::Weight | Part::Row => (None, String::new()),
        };
        Located { file: "X".to_owned(), location: Location::Cell { row: line, column }, token }
    }
}

/// Reader of the rows of a matrix.
struct MatrixReader {
    matrix: Arc<Matrix>,
    features: IndexedFeatures,
    /// Index of the next row.
    next: usize,
    /// Whether offsets are read.
    offset: bool,
}

impl RowSource for MatrixReader {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error> {
        batch.clear();
        let matrix = Arc::clone(&self.matrix);
        let end = matrix.rows.min(self.next + ROWS);
        while self.next < end && batch.index.len() < NONZEROS {
            let (row, first) = (self.next, batch.index.len());
            if let Err(message) = matrix.push(row, batch) {
                batch.truncate_pairs(first);
                if !batch.is_empty() {
                    // The rows before it are delivered first.
                    break;
                }
                self.next += 1;
                let location = Location::Cell { row: row as u64, column: None };
                return Err(Located { file: "X".to_owned(), location, token: String::new() }.error(message));
            }
            self.features.apply(batch, first);
            let (label, weight, offset) = matrix.beside.of(row);
            if self.offset {
                batch.push_offset(offset);
            }
            batch.label.push(label);
            batch.weight.push(weight);
            batch.start.push(batch.index.len());
            batch.place.push(Place { line: row as u64, end: row as u64 + 1, ..Place::default() });
            self.next += 1;
        }
        Ok(!batch.is_empty())
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.next as u64, Some(self.matrix.rows as u64))
    }
}
