//! Rows and batches of rows, which readers fill and trainers learn from.
//!
//! A [`Batch`] owns flat arrays that are refilled without allocation once they have grown to size. It also keeps the
//! text from which its rows were parsed, so that a fault found later (a label outside the loss's domain, say) can
//! still be reported with its line, column and token.

use super::fault::{Fault, Part};
use crate::simd::prefetch::prefetch;

/// One row of data, borrowed from a [`Batch`], as learners and predictors take it.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Label as it is written in the data, before encoding; `None` for an unlabelled row.
    pub label: Option<f64>,
    /// Importance weight, finite and at least 0.
    pub weight: f64,
    /// Finite number that is added to the margin, such as the logarithm of an exposure or the margin of another
    /// model; 0 for multiclass losses.
    pub offset: f64,
    /// Feature ids of the row's nonzeros, each at most once, in any order.
    pub index: &'a [u64],
    /// Feature values of the row's nonzeros, finite, one per id in `index`.
    pub value: &'a [f64],
    /// Group number of each feature (see [`FeatureGroups`](crate::FeatureGroups)), one per id in `index`; empty if all
    /// features are in group 0.
    pub group: &'a [u32],
    /// Number of the row among the rows of positive weight in the data, counted from 1, for rows that are read in
    /// shuffled order; 0 for rows read in the order of the data.
    pub position: u64,
}

impl Row<'_> {
    /// Checks the invariants of the row's fields: as many values as ids, distinct ids, finite numbers, and a weight of
    /// at least 0. Every function that takes a row makes this check first.
    ///
    /// *Cost*: O(nonzeros), a small part of the cost of learning the row; O(nonzeros·log nonzeros) if ids are not
    /// ascending.
    ///
    /// # Errors
    /// Returns a fault with the part of the row that is invalid, and the remedy.
    ///
    /// ```
    /// use surefoot_glm::{Batch, Part};
    /// let mut batch = Batch::default();
    /// batch.push(Some(1.0), 1.0, &[(7, 0.5), (3, 2.0)]);
    /// batch.push(Some(1.0), 1.0, &[(7, 0.5), (3, 2.0), (7, 1.0)]);
    /// assert!(batch.row(0).check().is_ok());
    /// assert_eq!(batch.row(1).check().unwrap_err().part, Part::Pair(2));
    /// ```
    pub fn check(&self) -> Result<(), Fault> {
        if !(self.weight >= 0.0 && self.weight.is_finite()) {
            return Err(Fault::new(Part::Weight, "a weight is a finite number of at least 0"));
        }
        if !self.offset.is_finite() {
            return Err(Fault::new(Part::Row, "an offset is a finite number: it is added to the margin"));
        }
        if self.index.len() != self.value.len() {
            return Err(Fault::new(Part::Row, "a row has as many values as ids of features"));
        }
        // Neither loop has a branch per nonzero, so that both can be vectorised.
        if !self.value.iter().fold(true, |all, x| all & x.is_finite()) {
            let pair = self.value.iter().position(|x| !x.is_finite()).unwrap_or(0);
            return Err(Fault::new(Part::Pair(pair), "a value is a finite number"));
        }
        let after = self.index.get(1..).unwrap_or_default();
        if self.index.iter().zip(after).fold(true, |all, (id, next)| all & (id < next)) {
            return Ok(());
        }
        match self.repeated() {
            Some(pair) => Err(Fault::new(Part::Pair(pair), "a feature stands once in a row: add its values up")),
            None => Ok(()),
        }
    }

    /// Returns the position of the first id that also occurs earlier in the row; `None` if all ids are distinct.
    fn repeated(&self) -> Option<usize> {
        let mut pairs: Vec<(u64, usize)> = self.index.iter().copied().zip(0..).collect();
        pairs.sort_unstable();
        pairs.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).min()
    }
}

/// Range of valid row weights above 0. Within it, the sum of 10²⁸ weighted losses in the range of f32 does not
/// overflow, and ratios of weights do not underflow to 0, so that no weighted mean divides by 0.
const WEIGHTS: std::ops::RangeInclusive<f64> = 1e-300..=1e240;

/// Checks that a positive row weight is within the valid range, 1e-300 to 1e240.
pub(crate) fn check_weight(weight: f64) -> Result<(), Fault> {
    let message = match weight {
        _ if WEIGHTS.contains(&weight) => return Ok(()),
        _ if weight > *WEIGHTS.end() => "the weight is too large to be added to others: divide all weights",
        _ => "the weight is too small to be told from 0: multiply all weights",
    };
    Err(Fault::new(Part::Weight, message))
}

/// Location of a row in its input, used to report the file, line and column of a fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the row's input in the list of inputs.
    pub input: u32,
    /// Physical line number of the row, starting at 1.
    pub line: u64,
    /// Byte range of the row in [`Batch::text`]: its first byte, and the byte after its last.
    pub text: (usize, usize),
    /// Offset in this input of the byte after the row's line break, in decompressed bytes.
    pub end: u64,
    /// Hash of all bytes read in this pass, over all inputs, up to the end of the row; a resumed run checks with it
    /// that its data have not changed.
    pub hash: u64,
}

/// Batch of rows in flat arrays, whose memory is reused when the batch is filled again.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Label of each row; NaN for unlabelled rows (a NaN label in the input is refused by the reader).
    pub label: Vec<f64>,
    /// Weight of each row.
    pub weight: Vec<f64>,
    /// Offset of each row; empty if all offsets are 0.
    pub offset: Vec<f64>,
    /// Start of each row's nonzeros: row `r` has the nonzeros `start[r]..start[r + 1]`, so there is one more entry
    /// than rows.
    pub start: Vec<usize>,
    /// Feature ids of all rows, concatenated.
    pub index: Vec<u64>,
    /// Feature values of all rows, as many as `index` has ids.
    pub value: Vec<f64>,
    /// Group numbers of the features of all rows, as many as `index` has ids; empty if all are 0.
    pub group: Vec<u32>,
    /// [Position](Row::position) of each row in the data; empty if rows are read in the order of the data.
    pub position: Vec<u64>,
    /// Location of each row in its input.
    pub place: Vec<Place>,
    /// Input text from which the rows were parsed, in which faults of rows are located.
    pub text: Vec<u8>,
    /// Names of the rows, concatenated as bytes; empty unless the input gives rows names and the caller asked for them.
    names: Vec<u8>,
    /// End of each row's name in `names`.
    name_ends: Vec<usize>,
}

impl Batch {
    /// Removes all rows, but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.label.clear();
        self.weight.clear();
        self.offset.clear();
        self.start.clear();
        self.start.push(0);
        self.index.clear();
        self.value.clear();
        self.group.clear();
        self.position.clear();
        self.place.clear();
        self.text.clear();
        self.names.clear();
        self.name_ends.clear();
    }

    /// Appends the name of the row that will be appended next. Either every row of a batch has a name, or none has.
    pub fn push_name(&mut self, name: &[u8]) {
        self.names.extend_from_slice(name);
        self.name_ends.push(self.names.len());
    }

    /// Returns the name of row `r`; `None` if the rows of the batch have no names.
    #[must_use]
    pub fn name(&self, r: usize) -> Option<&[u8]> {
        let end = *self.name_ends.get(r)?;
        let start = r.checked_sub(1).and_then(|before| self.name_ends.get(before)).copied().unwrap_or(0);
        self.names.get(start..end)
    }

    /// Appends to `offset` the offset (a number added to the margin) of the row that will be appended next.
    pub fn push_offset(&mut self, offset: f64) {
        if offset != 0.0 || !self.offset.is_empty() {
            self.offset.resize(self.label.len(), 0.0);
            self.offset.push(offset);
        }
    }

    /// Keeps only the first `pairs` nonzeros (pairs of feature id and value) of the batch: this discards the nonzeros
    /// of a row that was only partly appended.
    pub fn truncate_pairs(&mut self, pairs: usize) {
        self.index.truncate(pairs);
        self.value.truncate(pairs);
        self.group.truncate(pairs);
    }

    /// Returns the number of rows in the batch.
    #[must_use]
    pub fn len(&self) -> usize {
        self.label.len()
    }

    /// Whether the batch has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.label.is_empty()
    }

    /// Returns row `r` of the batch. Panics if `r` is not below the number of rows.
    #[must_use]
    pub fn row(&self, r: usize) -> Row<'_> {
        let pairs = self.start[r]..self.start[r + 1];
        Row {
            label: (!self.label[r].is_nan()).then_some(self.label[r]),
            weight: self.weight[r],
            offset: self.offset.get(r).copied().unwrap_or(0.0),
            index: &self.index[pairs.clone()],
            value: &self.value[pairs.clone()],
            group: self.group.get(pairs).unwrap_or_default(),
            position: self.position.get(r).copied().unwrap_or(0),
        }
    }

    /// Prefetches the memory that [`Batch::row`] reads for row `r`, which another thread has written, so that it is not
    /// in this core's cache; does nothing if there is no row `r`.
    pub(crate) fn prefetch(&self, r: usize) {
        prefetch(self.label.as_ptr().wrapping_add(r));
        prefetch(self.weight.as_ptr().wrapping_add(r));
        prefetch(self.start.as_ptr().wrapping_add(r));
    }

    /// Appends a row that has no location in a file, for tests and for callers whose rows are in memory.
    ///
    /// ```
    /// let mut batch = surefoot_glm::Batch::default();
    /// batch.push(Some(1.0), 1.0, &[(3, 0.5), (7, 1.0)]);
    /// assert_eq!(batch.row(0).index, [3, 7]);
    /// ```
    pub fn push(&mut self, label: Option<f64>, weight: f64, pairs: &[(u64, f64)]) {
        let (index, value): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
        self.append(&Row { label, weight, offset: 0.0, index: &index, value: &value, group: &[], position: 0 });
    }

    /// Appends a copy of a row, without its location and position. If the row has different numbers of ids and values,
    /// which [`Row::check`] refuses, the longer list is truncated.
    pub fn append(&mut self, row: &Row<'_>) {
        let pairs = row.index.len().min(row.value.len());
        let row = &Row { index: &row.index[..pairs], value: &row.value[..pairs], ..*row };
        if self.start.is_empty() {
            self.start.push(0);
        }
        self.push_offset(row.offset);
        self.label.push(row.label.unwrap_or(f64::NAN));
        self.weight.push(row.weight);
        self.index.extend(row.index);
        self.value.extend(row.value);
        if !row.group.is_empty() || !self.group.is_empty() {
            self.group.resize(self.index.len() - row.index.len(), 0);
            self.group.extend(row.group.iter().take(pairs));
            self.group.resize(self.index.len(), 0);
        }
        self.start.push(self.index.len());
        self.place.push(Place::default());
    }
}
