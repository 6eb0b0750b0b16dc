//! Labelled rows for batch training, stored in compressed sparse row form.

use super::storage::Storage;
use crate::shards::{Interrupted, Partial, Shards};
use std::{io, ops::Range};

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
    /// Shards of the whole data set, if these rows are those of some of its shards only; `None` if they are all rows.
    pub(super) shards: Option<Shards>,
    /// Number of each shard whose rows these are, in ascending order, with the index of its first row.
    pub(super) own: Vec<(usize, usize)>,
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
        Self {
            label,
            weight,
            offset,
            start: vec![0],
            column,
            value,
            columns: 0,
            memory,
            is_standardised: false,
            shards: None,
            own: Vec::new(),
        }
    }

    /// Creates an empty collection of the rows of some shards of a data set with this many columns. The optimum is that
    /// over the rows of all shards. Before the rows of each shard, [`begin_shard`](Examples::begin_shard) is called.
    #[must_use]
    pub fn of_shards(shards: Shards, columns: usize, memory: usize) -> Examples {
        Examples { shards: Some(shards), columns, ..Examples::with_memory(memory) }
    }

    /// Declares that the rows added from now on are those of the shard with this number, counted from 0.
    ///
    /// # Panics
    /// If the numbers of the shards are not strictly ascending.
    pub fn begin_shard(&mut self, number: usize) {
        assert!(self.own.last().is_none_or(|(last, _)| *last < number), "shards must be strictly ascending");
        self.own.push((number, self.len()));
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
        let room = self.memory / (size_of::<u32>() + size_of::<f64>());
        if self.column.len() + nonzeros > room {
            self.column.spill()?;
            self.value.spill()?;
        }
        self.column.reserve(nonzeros, room)?;
        self.value.reserve(nonzeros, room)
    }

    /// Calls `visit` with the label and the weight of every row of positive weight. `visit` may change the weight.
    pub(crate) fn each_weight(&mut self, mut visit: impl FnMut(f64, &mut f64)) {
        let rows = self.label.iter().zip(&mut self.weight).filter(|(_, weight)| **weight > 0.0);
        rows.for_each(|(label, weight)| visit(*label, weight));
    }

    /// Computes a partial result of the rows of each shard, or of all rows if there are no shards, and returns the
    /// result over all shards.
    pub(crate) fn combine(&self, mut work: impl FnMut(Range<usize>) -> Partial) -> Result<Partial, Interrupted> {
        let Some(shards) = &self.shards else { return Ok(work(0..self.len())) };
        let ends = self.own.iter().skip(1).map(|(_, first)| *first).chain([self.len()]);
        shards.combine(self.own.iter().zip(ends).map(|(&(number, first), end)| (number, work(first..end))))
    }

    /// Returns the number of the shard of each row, if the rows are in shards; 0 otherwise.
    pub(crate) fn shard(&self, i: usize) -> usize {
        self.own[..self.own.partition_point(|(_, first)| *first <= i)].last().map_or(0, |(number, _)| *number)
    }

    /// Whether the rows are those of some shards of a larger data set.
    pub(crate) fn is_in_shards(&self) -> bool {
        self.shards.is_some()
    }

    /// Iterates over those of the rows that have positive weight.
    pub(crate) fn weighted(&self, rows: Range<usize>) -> impl Iterator<Item = usize> {
        rows.filter(|&i| self.weight[i] > 0.0)
    }

    /// Divides all values of each column j by `by[j]`.
    pub(crate) fn divide(&mut self, by: &[f64]) {
        self.is_standardised = true;
        let (columns, values) = (&*self.column, &mut *self.value);
        columns.iter().zip(values).for_each(|(&column, value)| *value /= by[column as usize]);
    }

    /// Replaces the number of each column j by `by[j]`, of `columns` columns in all.
    pub(crate) fn renumber(&mut self, by: &[usize], columns: usize) {
        let mut pairs: Vec<(u32, f64)> = Vec::new();
        let (column, value) = (&mut *self.column, &mut *self.value);
        for nonzeros in self.start.windows(2).map(|ends| ends[0]..ends[1]) {
            let (columns, values) = (&mut column[nonzeros.clone()], &mut value[nonzeros]);
            pairs.clear();
            pairs.extend(columns.iter().zip(&*values).map(|(&j, &x)| (by[j as usize] as u32, x)));
            pairs.sort_unstable_by_key(|pair| pair.0);
            let places = columns.iter_mut().zip(values);
            places.zip(&pairs).for_each(|((column, value), pair)| (*column, *value) = *pair);
        }
        self.columns = columns;
    }

    /// Replaces every label y by `number(y)`, its encoding for the loss, such as −1 or +1.
    pub(crate) fn code(&mut self, number: impl Fn(f64) -> f64) {
        self.label.iter_mut().for_each(|label| *label = number(*label));
    }

    /// Replaces every label y of the rows of a shard by `number(y)`.
    pub(crate) fn code_shard(&mut self, shard: usize, number: impl Fn(f64) -> f64) {
        let Some(at) = self.own.iter().position(|(own, _)| *own == shard) else { return };
        let end = self.own.get(at + 1).map_or(self.label.len(), |(_, first)| *first);
        self.label[self.own[at].1..end].iter_mut().for_each(|label| *label = number(*label));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Reserved memory counts: an array that doubled would need twice the limit.
    #[test]
    fn the_memory_limit_holds_at_every_row() {
        for memory in [0, 11, 12, 100, 1000, 5000, 12_000, usize::MAX] {
            let mut examples = Examples::with_memory(memory);
            for i in 0..300_u32 {
                let column: Vec<u32> = (0..i % 13).collect();
                let value: Vec<f64> = column.iter().map(|j| f64::from(i + j)).collect();
                examples.push(0.0, 1.0, 0.0, &column, &value);
                let used = examples.column.in_memory() + examples.value.in_memory();
                assert!(used <= memory, "{used} of {memory} bytes after row {i}");
                assert_eq!(examples.row(i as usize), (&*column, &*value));
            }
            assert_eq!(examples.column.in_memory() > 0, memory > 12 * examples.column.len());
        }
    }
}
