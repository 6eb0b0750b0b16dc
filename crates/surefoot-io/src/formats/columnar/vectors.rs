//! Reader of vectors as stored by Spark: structs of `type` (0 sparse, 1 dense), `size`, `indices` and `values`.
//!
//! A sparse vector has a size and values at ascending indices; a dense vector stores all its values. A vector is read as a list with the
//! same length as the others of its column, in which the numbers that are not stored are 0.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::{
    cells,
    nested::{self, Span, values_of},
};

/// Field names of a Spark vector struct, in order.
const PARTS: [&str; 4] = ["type", "size", "indices", "values"];

/// Whether cells of this type are vectors as stored by Spark (structs of type, size, indices and values).
pub(super) fn is_vector(of: &DataType) -> bool {
    let DataType::Struct(fields) = of else { return false };
    let parts: Vec<_> = fields.iter().map(|field| field.data_type()).collect();
    let [kind, size, indices, values] = parts[..] else { return false };
    let has = |list: &DataType, is: fn(&DataType) -> bool| values_of(list).is_some_and(|values| is(values.data_type()));
    fields.iter().zip(PARTS).all(|(field, name)| field.name() == name)
        && kind.is_integer()
        && size.is_integer()
        && has(indices, DataType::is_integer)
        && has(values, DataType::is_floating)
}

/// Spark vectors of one column in a record batch, one array per field of the struct; null numbers are NaN.
pub(super) struct Vectors {
    array: ArrayRef,
    kinds: Vec<f64>,
    sizes: Vec<f64>,
    indices: (Vec<f64>, Vec<Span>),
    values: (Vec<f64>, Vec<Span>),
}

/// Vector in the cell of one row, sparse or dense.
pub(super) struct Vector<'a> {
    pub(super) size: usize,
    /// Indices of the stored values of a sparse vector; `None` for a dense vector.
    indices: Option<&'a [f64]>,
    values: &'a [f64],
}

impl Vector<'_> {
    /// Returns the number of values that are stored, which is less than the size for most sparse vectors.
    pub(super) fn stored(&self) -> usize {
        self.values.len()
    }

    /// Returns the index in the vector and the value of stored value number `n`, from 0.
    pub(super) fn pair(&self, n: usize) -> (usize, f64) {
        (self.indices.map_or(n, |indices| indices[n] as usize), self.values[n])
    }
}

impl Vectors {
    /// Splits a column of [Spark vectors](is_vector) into the fields of the struct.
    pub(super) fn new(array: &ArrayRef) -> Vectors {
        let part = |n: usize| array.as_struct().column(n);
        Vectors {
            kinds: cells::numbers(part(0)),
            sizes: cells::numbers(part(1)),
            indices: nested::numbers(part(2)),
            values: nested::numbers(part(3)),
            array: array.clone(),
        }
    }

    /// Returns the vector of a row; `None` if the cell is null.
    ///
    /// # Errors
    /// If the vector is invalid: returns the invalid token and a message about it.
    pub(super) fn of(&self, row: usize) -> Result<Option<Vector<'_>>, (String, String)> {
        if self.array.is_null(row) {
            return Ok(None);
        }
        let wrong = |token: String, message: &str| Err((token, message.to_owned()));
        let slice = |(numbers, spans): &'_ (Vec<f64>, Vec<Span>)| {
            spans[row].map(|(start, end)| start..end).filter(|span| span.end <= numbers.len())
        };
        let (Some(values), kind) = (slice(&self.values).map(|span| &self.values.0[span]), self.kinds[row]) else {
            return wrong(String::new(), "the values of the vector are null");
        };
        if kind == 1.0 {
            return Ok(Some(Vector { size: values.len(), indices: None, values }));
        }
        if kind != 0.0 {
            let token = if kind.is_nan() { String::new() } else { kind.to_string() };
            return wrong(token, "is no type of a vector: 0 is a sparse one, 1 a dense one");
        }
        let size = self.sizes[row];
        if size.is_nan() || size < 0.0 {
            let token = if size.is_nan() { String::new() } else { size.to_string() };
            return wrong(token, "is no size of a sparse vector");
        }
        let Some(indices) = slice(&self.indices).map(|span| &self.indices.0[span]) else {
            return wrong(String::new(), "the indices of the sparse vector are null");
        };
        if indices.len() != values.len() {
            return wrong(
                String::new(),
                &format!("the vector has {} indices and {} values", indices.len(), values.len()),
            );
        }
        let is_wrong = |n: usize| !(indices[n] >= 0.0 && indices[n] < size) || n > 0 && indices[n] <= indices[n - 1];
        if let Some(n) = (0..indices.len()).find(|&n| is_wrong(n)) {
            let token = if indices[n].is_nan() { String::new() } else { indices[n].to_string() };
            return wrong(
                token,
                &format!("is no index here: those of a vector of size {size} ascend, from 0 to below that"),
            );
        }
        Ok(Some(Vector { size: size as usize, indices: Some(indices), values }))
    }

    /// Returns the size of the first valid vector of the column; `None` if there is none in this record batch.
    pub(super) fn size(&self) -> Option<usize> {
        (0..self.array.len()).find_map(|row| self.of(row).ok().flatten()).map(|vector| vector.size)
    }
}
