//! Labelled rows for batch training, stored in compressed sparse row form.

use super::storage::Storage;
use std::io;

/// Labelled, weighted rows in compressed sparse row form: the data of [`optimise`](super::optimise).
///
/// Uses 12 bytes per nonzero and 32 bytes per row, in memory; with [`Examples::with_memory`], nonzeros beyond the limit
/// are stored in a temporary file that is mapped into memory.
///
/// ```
/// use surefoot_glm::optimum::Examples;
/// let mut examples = Examples::default();
/// examples.push(1.0, 1.0, 0.0, &[0, 5], &[0.5, 2.0]);
/// examples.push(-1.0, 2.0, 0.0, &[], &[]);
/// assert_eq!((examples.len(), examples.columns()), (2, 6));
/// ```
#[derive(Debug)]
pub struct Examples {
    pub(super) label: Vec<f64>,
    pub(super) weight: Vec<f64>,
    pub(super) offset: Vec<f64>,
    pub(super) start: Vec<usize>,
    pub(super) column: Storage<u32>,
    pub(super) value: Storage<f64>,
    columns: usize,
    /// Maximum number of bytes of nonzeros that are kept in memory.
    memory: usize,
    /// Whether values were divided by the scales of their columns (standardised penalty), and are therefore rounded.
    pub(super) is_standardised: bool,
}

impl Default for Examples {
    fn default() -> Self {
        Examples::with_memory(usize::MAX)
    }
}

impl Examples {
    /// Creates an empty collection that keeps at most `memory` bytes of nonzeros in memory and the rest in a temporary
    /// file.
    #[must_use]
    pub fn with_memory(memory: usize) -> Examples {
        let (label, weight, offset, column, value) = Default::default();
        Self { label, weight, offset, start: vec![0], column, value, columns: 0, memory, is_standardised: false }
    }

    /// Whether `more` bytes still fit within the memory limit.
    pub(super) fn has_memory(&self, more: usize) -> bool {
        self.column.in_memory() + self.value.in_memory() + more <= self.memory
    }

    /// Adds a row with a label, a weight, an offset, and nonzeros given by `column` and `value`. Its margin is offset +
    /// intercept + w·x; softmax and one-vs-rest ignore the offset. O(nonzeros), amortised.
    ///
    /// # Panics
    /// If the columns are not strictly ascending, if the lengths of `column` and `value` differ, if a number is not
    /// finite or the weight is negative, or if neither memory nor disk space is left.
    pub fn push(&mut self, label: f64, weight: f64, offset: f64, column: &[u32], value: &[f64]) {
        assert_eq!(column.len(), value.len(), "columns and values must have the same length");
        assert!(column.is_sorted_by(|a, b| a < b), "columns must be strictly ascending");
        assert!(
            label.is_finite() && offset.is_finite() && value.iter().all(|x| x.is_finite()),
            "label, offset and values must be finite"
        );
        assert!(weight.is_finite() && weight >= 0.0, "the weight must be finite and not negative");
        self.reserve(column.len()).expect("memory or disk space for the row");
        self.label.push(label);
        self.weight.push(weight);
        self.offset.push(offset);
        self.column.extend(column);
        self.value.extend(value);
        self.start.push(self.column.len());
        self.columns = self.columns.max(column.last().map_or(0, |&last| last as usize + 1));
    }

    /// Reserves space for one more row with this many nonzeros, in memory or in the temporary file.
    pub(crate) fn reserve(&mut self, nonzeros: usize) -> io::Result<()> {
        for numbers in [&mut self.label, &mut self.weight, &mut self.offset] {
            numbers.try_reserve(1)?;
        }
        self.start.try_reserve(1)?;
        if !self.has_memory(nonzeros * (size_of::<u32>() + size_of::<f64>())) {
            self.column.spill()?;
            self.value.spill()?;
        }
        self.column.reserve(nonzeros)?;
        self.value.reserve(nonzeros)
    }

    /// Calls `visit` with the label and the weight of every row of positive weight. `visit` may change the weight.
    pub(crate) fn each_weight(&mut self, mut visit: impl FnMut(f64, &mut f64)) {
        let rows = self.label.iter().zip(&mut self.weight).filter(|(_, weight)| **weight > 0.0);
        rows.for_each(|(label, weight)| visit(*label, weight));
    }

    /// Calls `visit` with the column and value of every nonzero in rows of positive weight.
    pub(crate) fn each_value(&self, mut visit: impl FnMut(usize, f64)) {
        for i in (0..self.len()).filter(|&i| self.weight[i] > 0.0) {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).for_each(|(&column, &value)| visit(column as usize, value));
        }
    }

    /// Divides all values of each column j by `by[j]`.
    pub(crate) fn divide(&mut self, by: &[f64]) {
        self.is_standardised = true;
        let (columns, values) = (&*self.column, &mut *self.value);
        columns.iter().zip(values).for_each(|(&column, value)| *value /= by[column as usize]);
    }

    /// Replaces every label y by `number(y)`, its encoding for the loss, such as −1 or +1.
    pub(crate) fn code(&mut self, number: impl Fn(f64) -> f64) {
        self.label.iter_mut().for_each(|label| *label = number(*label));
    }

    /// Returns the weight of row `i`.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weight[i]
    }

    /// Returns the label and the offset of row `i`.
    pub(crate) fn label(&self, i: usize) -> (f64, f64) {
        (self.label[i], self.offset[i])
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// Returns one more than the largest column number; 0 if there are no nonzeros.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the columns and the values of the nonzeros of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let nonzeros = self.start[i]..self.start[i + 1];
        (&self.column[nonzeros.clone()], &self.value[nonzeros])
    }
}
