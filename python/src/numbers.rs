//! Arrays of NumPy, read where they lie.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// One-dimensional or two-dimensional array of numbers that Python keeps.
#[derive(Debug)]
pub(crate) struct Numbers<T> {
    first: *const T,
    /// Distance between neighbours along each axis, in bytes.
    strides: [isize; 2],
    pub(crate) shape: [usize; 2],
    /// The array, which keeps its buffer alive.
    _owner: Py<PyAny>,
}

// SAFETY: the buffer is only read, through `get`, and lives as long as `_owner`, whose reference may be dropped on any thread. NumPy frees or
// moves the buffer of an array only by `resize(refcheck=False)`, and writes to it only where the program does; both are for the program to
// leave alone during a fit, as with any code that releases the interpreter lock (the documentation says so).
unsafe impl<T: Send> Send for Numbers<T> {}
// SAFETY: as above; there is no interior state.
unsafe impl<T: Sync> Sync for Numbers<T> {}

impl<T: Copy> Numbers<T> {
    pub(crate) fn len(&self) -> usize {
        self.shape[0]
    }

    /// Returns the number at a position, which has to be within the shape. O(1).
    #[inline]
    pub(crate) fn get(&self, row: usize, column: usize) -> T {
        assert!(row < self.shape[0] && column < self.shape[1], "a position within the array");
        let at = row as isize * self.strides[0] + column as isize * self.strides[1];
        // SAFETY: the position is within the shape, so that NumPy's rule of addresses leads to a number of the buffer, which `_owner`
        // keeps alive. Arrays may be unaligned. `python/tests/memory.py` runs under valgrind.
        unsafe { self.first.byte_offset(at).read_unaligned() }
    }
}

impl<T: Element + Copy> Numbers<T> {
    pub(crate) fn of_vector(array: &Bound<'_, PyAny>) -> PyResult<Numbers<T>> {
        let vector = array.cast::<PyArray1<T>>()?;
        let (shape, strides) = ([vector.len(), 1], [vector.strides()[0], 0]);
        Ok(Numbers { first: vector.data(), strides, shape, _owner: array.clone().unbind() })
    }

    pub(crate) fn of_matrix(array: &Bound<'_, PyAny>) -> PyResult<Numbers<T>> {
        let matrix = array.cast::<PyArray2<T>>()?;
        let (shape, strides) = (matrix.shape(), matrix.strides());
        let (shape, strides) = ([shape[0], shape[1]], [strides[0], strides[1]]);
        Ok(Numbers { first: matrix.data(), strides, shape, _owner: array.clone().unbind() })
    }
}

/// Numbers of either precision.
#[derive(Debug)]
pub(crate) enum Floats {
    Single(Numbers<f32>),
    Double(Numbers<f64>),
}

impl Floats {
    pub(crate) fn of_vector(array: &Bound<'_, PyAny>) -> PyResult<Floats> {
        Numbers::of_vector(array).map(Floats::Double).or_else(|_| Numbers::of_vector(array).map(Floats::Single))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Floats::Single(numbers) => numbers.len(),
            Floats::Double(numbers) => numbers.len(),
        }
    }
}

/// Whole numbers of either length.
#[derive(Debug)]
pub(crate) enum Integers {
    Short(Numbers<i32>),
    Long(Numbers<i64>),
}

impl Integers {
    pub(crate) fn of_vector(array: &Bound<'_, PyAny>) -> PyResult<Integers> {
        Numbers::of_vector(array).map(Integers::Long).or_else(|_| Numbers::of_vector(array).map(Integers::Short))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Integers::Short(numbers) => numbers.len(),
            Integers::Long(numbers) => numbers.len(),
        }
    }

    /// Returns a number as a position; `None` if it is negative.
    #[inline]
    pub(crate) fn position(&self, at: usize) -> Option<usize> {
        match self {
            Integers::Short(numbers) => usize::try_from(numbers.get(at, 0)).ok(),
            Integers::Long(numbers) => usize::try_from(numbers.get(at, 0)).ok(),
        }
    }
}
