//! Labelled rows that can be gone over many times.

use super::storage::Storage;
use std::io;

/// Labelled rows with weights, in compressed form: what an optimum is sought over.
///
/// 12 bytes a pair, 32 a row. In memory; beyond [`Examples::with_memory`] the pairs are in a temporary file, from which the
/// system reads what it has no room for.
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
    /// Bytes of memory that pairs may take.
    memory: usize,
    /// Whether values were divided, and so rounded.
    pub(super) is_standardised: bool,
}

impl Default for Examples {
    fn default() -> Self {
        Examples::with_memory(usize::MAX)
    }
}

impl Examples {
    /// No rows yet, of whose pairs at most so many bytes are to be kept in memory.
    #[must_use]
    pub fn with_memory(memory: usize) -> Examples {
        let (label, weight, offset, column, value) = Default::default();
        Self { label, weight, offset, start: vec![0], column, value, columns: 0, memory, is_standardised: false }
    }

    /// Whether so many more bytes are to be in memory.
    pub(super) fn has_memory(&self, more: usize) -> bool {
        self.column.in_memory() + self.value.in_memory() + more <= self.memory
    }

    /// Adds a row. Its margin is `offset` and intercept and w·x; softmax and one-vs-rest have no offsets, and take it for 0.
    ///
    /// # Panics
    /// If columns are not strictly ascending, there are not as many values, or a number is not finite or a weight
    /// negative; or if there is neither memory nor disk for it.
    pub fn push(&mut self, label: f64, weight: f64, offset: f64, column: &[u32], value: &[f64]) {
        assert_eq!(column.len(), value.len(), "as many values as columns");
        assert!(column.is_sorted_by(|a, b| a < b), "columns strictly ascending");
        assert!(
            label.is_finite() && offset.is_finite() && value.iter().all(|x| x.is_finite()),
            "numbers that are finite"
        );
        assert!(weight.is_finite() && weight >= 0.0, "a weight that is finite and not negative");
        self.reserve(column.len()).expect("memory, or room on the disk");
        self.label.push(label);
        self.weight.push(weight);
        self.offset.push(offset);
        self.column.extend(column);
        self.value.extend(value);
        self.start.push(self.column.len());
        self.columns = self.columns.max(column.last().map_or(0, |&last| last as usize + 1));
    }

    /// Makes room for one more row of this many pairs.
    pub(crate) fn reserve(&mut self, pairs: usize) -> io::Result<()> {
        for numbers in [&mut self.label, &mut self.weight, &mut self.offset] {
            numbers.try_reserve(1)?;
        }
        self.start.try_reserve(1)?;
        if !self.has_memory(pairs * (size_of::<u32>() + size_of::<f64>())) {
            self.column.spill()?;
            self.value.spill()?;
        }
        self.column.reserve(pairs)?;
        self.value.reserve(pairs)
    }

    /// Each row's label and weight, if it has one.
    pub(crate) fn each_weight(&mut self, mut visit: impl FnMut(f64, &mut f64)) {
        let rows = self.label.iter().zip(&mut self.weight).filter(|(_, weight)| **weight > 0.0);
        rows.for_each(|(label, weight)| visit(*label, weight));
    }

    /// Each column and value of the rows that have weight.
    pub(crate) fn each_value(&self, mut visit: impl FnMut(usize, f64)) {
        for i in (0..self.len()).filter(|&i| self.weight[i] > 0.0) {
            let (columns, values) = self.row(i);
            columns.iter().zip(values).for_each(|(&column, &value)| visit(column as usize, value));
        }
    }

    /// Divides the values of each column by a number of its own.
    pub(crate) fn divide(&mut self, by: &[f64]) {
        self.is_standardised = true;
        let (columns, values) = (&*self.column, &mut *self.value);
        columns.iter().zip(values).for_each(|(&column, value)| *value /= by[column as usize]);
    }

    /// Gives every label its number in training's own terms.
    pub(crate) fn code(&mut self, number: impl Fn(f64) -> f64) {
        self.label.iter_mut().for_each(|label| *label = number(*label));
    }

    /// The weight of row `i`.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weight[i]
    }

    /// Label and offset of row `i`.
    pub(crate) fn label(&self, i: usize) -> (f64, f64) {
        (self.label[i], self.offset[i])
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// One more than the largest column.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Columns and values of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let pairs = self.start[i]..self.start[i + 1];
        (&self.column[pairs.clone()], &self.value[pairs])
    }
}
