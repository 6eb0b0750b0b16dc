//! Rows of a NumPy array or a SciPy matrix in compressed rows, read where they lie.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::{exceptions::PyTypeError, prelude::*};
use std::sync::Arc;
use surefoot_fit::OpenRows;
use surefoot_glm::{Batch, Part, Place};
use surefoot_io::{Error, IndexedFeatures, Located, Location, Options, RowSource};

/// Number of rows, and of nonzeros, at which a batch ends.
const ROWS: usize = 4096;
const NONZEROS: usize = 64 << 10;

/// One-dimensional or two-dimensional array of numbers that Python keeps.
#[derive(Debug)]
struct Numbers<T> {
    first: *const T,
    /// Distance between neighbours along each axis, in bytes.
    strides: [isize; 2],
    shape: [usize; 2],
    /// The array, which keeps its buffer alive.
    _owner: Py<PyAny>,
}

// SAFETY: the buffer is only read, through `get`, and lives as long as `_owner`, whose reference may be dropped on any thread. A program
// that writes to an array while a fit reads it on another thread gets a model of some mixture of old and new numbers: each of them is read
// on its own and copied, no reference to the buffer is ever made, and no number decides about memory before it is checked.
unsafe impl<T: Send> Send for Numbers<T> {}
// SAFETY: as above; there is no interior state.
unsafe impl<T: Sync> Sync for Numbers<T> {}

impl<T: Copy> Numbers<T> {
    fn len(&self) -> usize {
        self.shape[0]
    }

    /// Returns the number at a position, which has to be within the shape. O(1).
    #[inline]
    fn get(&self, row: usize, column: usize) -> T {
        assert!(row < self.shape[0] && column < self.shape[1], "a position within the array");
        let at = row as isize * self.strides[0] + column as isize * self.strides[1];
        // SAFETY: the position is within the shape, so that NumPy's rule of addresses leads to a number of the buffer, which `_owner`
        // keeps alive. Arrays may be unaligned.
        unsafe { self.first.byte_offset(at).read_unaligned() }
    }
}

impl<T: Element + Copy> Numbers<T> {
    fn of_vector(array: &Bound<'_, PyAny>) -> PyResult<Numbers<T>> {
        let vector = array.cast::<PyArray1<T>>()?;
        let (shape, strides) = ([vector.len(), 1], [vector.strides()[0], 0]);
        Ok(Numbers { first: vector.data(), strides, shape, _owner: array.clone().unbind() })
    }

    fn of_matrix(array: &Bound<'_, PyAny>) -> PyResult<Numbers<T>> {
        let matrix = array.cast::<PyArray2<T>>()?;
        let (shape, strides) = (matrix.shape(), matrix.strides());
        let (shape, strides) = ([shape[0], shape[1]], [strides[0], strides[1]]);
        Ok(Numbers { first: matrix.data(), strides, shape, _owner: array.clone().unbind() })
    }
}

/// Numbers of either precision.
#[derive(Debug)]
enum Floats {
    Single(Numbers<f32>),
    Double(Numbers<f64>),
}

impl Floats {
    fn of_vector(array: &Bound<'_, PyAny>) -> PyResult<Floats> {
        Numbers::of_vector(array).map(Floats::Double).or_else(|_| Numbers::of_vector(array).map(Floats::Single))
    }

    fn len(&self) -> usize {
        match self {
            Floats::Single(numbers) => numbers.len(),
            Floats::Double(numbers) => numbers.len(),
        }
    }
}

/// Whole numbers of either length.
#[derive(Debug)]
enum Integers {
    Short(Numbers<i32>),
    Long(Numbers<i64>),
}

impl Integers {
    fn of_vector(array: &Bound<'_, PyAny>) -> PyResult<Integers> {
        Numbers::of_vector(array).map(Integers::Long).or_else(|_| Numbers::of_vector(array).map(Integers::Short))
    }

    fn len(&self) -> usize {
        match self {
            Integers::Short(numbers) => numbers.len(),
            Integers::Long(numbers) => numbers.len(),
        }
    }

    /// Returns a number as a position; `None` if it is negative.
    #[inline]
    fn position(&self, at: usize) -> Option<usize> {
        match self {
            Integers::Short(numbers) => usize::try_from(numbers.get(at, 0)).ok(),
            Integers::Long(numbers) => usize::try_from(numbers.get(at, 0)).ok(),
        }
    }
}

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
    label: Option<Numbers<f64>>,
    weight: Option<Numbers<f64>>,
    offset: Option<Numbers<f64>>,
}

/// Labels, weights and offsets of rows, each one number per row or absent.
#[derive(Debug)]
pub(crate) struct Beside<'a, 'py> {
    pub(crate) label: Option<&'a Bound<'py, PyAny>>,
    pub(crate) weight: Option<&'a Bound<'py, PyAny>>,
    pub(crate) offset: Option<&'a Bound<'py, PyAny>>,
}

impl Matrix {
    /// Takes a two-dimensional array of floats, in any layout.
    pub(crate) fn dense(array: &Bound<'_, PyAny>, beside: &Beside<'_, '_>) -> PyResult<Matrix> {
        let double = Numbers::of_matrix(array).map(Floats::Double);
        let values = double.or_else(|_| Numbers::of_matrix(array).map(Floats::Single))?;
        let [rows, width] = match &values {
            Floats::Single(numbers) => numbers.shape,
            Floats::Double(numbers) => numbers.shape,
        };
        Matrix::new(Values::Dense(values), rows, width, beside)
    }

    /// Takes the three arrays of a matrix of `width` columns in compressed rows.
    pub(crate) fn sparse(parts: [&Bound<'_, PyAny>; 3], width: usize, beside: &Beside<'_, '_>) -> PyResult<Matrix> {
        let [values, columns, starts] = parts;
        let (values, columns) = (Floats::of_vector(values)?, Integers::of_vector(columns)?);
        let starts = Integers::of_vector(starts)?;
        let rows = starts.len().saturating_sub(1);
        if values.len() != columns.len() {
            return Err(PyTypeError::new_err("a sparse matrix has as many column indices as values"));
        }
        Matrix::new(Values::Sparse { values, columns, starts }, rows, width, beside)
    }

    fn new(values: Values, rows: usize, width: usize, beside: &Beside<'_, '_>) -> PyResult<Matrix> {
        let numbers = |array: Option<&Bound<'_, PyAny>>, name| {
            let numbers = array.map(Numbers::of_vector).transpose()?;
            match numbers.as_ref().is_none_or(|numbers| numbers.len() == rows) {
                true => Ok(numbers),
                false => Err(PyTypeError::new_err(format!("{name}: one number for each of {rows} rows is needed"))),
            }
        };
        let label = numbers(beside.label, "labels")?;
        let (weight, offset) = (numbers(beside.weight, "weights")?, numbers(beside.offset, "offsets")?);
        Ok(Matrix { values, rows, width, label, weight, offset })
    }

    /// Appends the nonzeros of a row to the batch; the error is the position of the first that is not in the matrix.
    fn push(&self, row: usize, batch: &mut Batch) -> Result<(), String> {
        match &self.values {
            Values::Dense(Floats::Single(numbers)) => push_dense(numbers, row, self.width, batch),
            Values::Dense(Floats::Double(numbers)) => push_dense(numbers, row, self.width, batch),
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

fn push_dense<T: Copy + Into<f64>>(
    numbers: &Numbers<T>,
    row: usize,
    width: usize,
    batch: &mut Batch,
) -> Result<(), String> {
    for column in 0..width {
        let value: f64 = numbers.get(row, column).into();
        if value != 0.0 {
            batch.index.push(column as u64);
            batch.value.push(value);
        }
    }
    Ok(())
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
        let (file, column, token) = match part {
            Part::Pair(k) => {
                let row = batch.row(row);
                let column = row.index.get(k).map(u64::to_string);
                ("X", column, row.value.get(k).map_or_else(String::new, f64::to_string))
            }
            Part::Label => ("y", None, batch.label[row].to_string()),
            Part::Weight => ("sample_weight", None, batch.weight[row].to_string()),
            Part::Row => ("X", None, String::new()),
        };
        Located { file: file.to_owned(), location: Location::Cell { row: line, column }, token }
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
            let number = |numbers: &Option<Numbers<f64>>, usual| numbers.as_ref().map_or(usual, |it| it.get(row, 0));
            if self.offset {
                batch.push_offset(number(&matrix.offset, 0.0));
            }
            batch.label.push(number(&matrix.label, f64::NAN));
            batch.weight.push(number(&matrix.weight, 1.0));
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
