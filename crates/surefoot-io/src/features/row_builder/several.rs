//! Cells that hold several features, such as the words of a text.
//!
//! Each feature counts once, however often it occurs in the cell: a word has the value 1, like a category. Counts predicted worse where
//! both were measured: see docs/decisions.md.

use surefoot_glm::Missing;

use super::{Group, RowBuilder, escape};
use crate::text::words;

/// Properties shared by all features of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureProperties<'a> {
    pub(crate) group: Group,
    /// Id of the feature for a missing cell.
    pub(crate) gap: u64,
    /// Number of the feature group of the column.
    pub(crate) rule: u32,
    /// Name of the column as displayed.
    pub(crate) name: &'a str,
}

/// Builder that adds the features of a cell with several values to a row.
pub(crate) struct MultiValueCell<'a> {
    row: &'a mut RowBuilder,
    of: FeatureProperties<'a>,
    /// Position of the first feature of the cell in the row. `most` is the number of features at which duplicates are merged.
    first: usize,
    most: usize,
}

/// Minimum number of features at which duplicates are merged before the end of a cell, so that memory is bounded by the vocabulary of the
/// cell.
const MOST: usize = 1 << 12;

impl<'a> MultiValueCell<'a> {
    /// Begins a cell without features.
    pub(crate) fn begin(row: &'a mut RowBuilder, of: FeatureProperties<'a>) -> MultiValueCell<'a> {
        let first = row.index.len();
        MultiValueCell { row, of, first, most: MOST }
    }

    /// Adds a text as a single feature.
    pub(crate) fn add(&mut self, text: &[u8]) {
        let FeatureProperties { group, rule, name, .. } = self.of;
        let id = group.id(text);
        self.row.assign(id, rule);
        self.row.add(id, 1.0, |to| {
            to.extend([name, "="]);
            escape(text, to);
        });
        if self.row.index.len() - self.first >= self.most {
            self.merge();
            self.most = MOST.max(2 * (self.row.index.len() - self.first));
        }
    }

    /// Adds each word of a text as a feature.
    pub(crate) fn add_words(&mut self, text: &[u8]) {
        words::each(text, |word| self.add(word));
    }

    /// Adds the missing-cell feature for a cell without words unless `missing` is [`Missing::Refuse`], and returns whether the cell counts
    /// as missing. By default it does not, because a text without words is a valid value.
    pub(crate) fn add_no_words(&mut self, missing: Missing) -> bool {
        let counts = missing != Missing::Refuse;
        if counts {
            self.add_gap();
        }
        counts
    }

    /// Adds the feature of a missing cell.
    pub(crate) fn add_gap(&mut self) {
        let name = self.of.name;
        self.row.add(self.of.gap, 1.0, |to| to.extend([name, "="]));
    }

    /// Ends the cell and merges its duplicates.
    pub(crate) fn end(mut self) {
        if self.row.index.len() > self.first + 1 {
            self.merge();
        }
    }

    fn merge(&mut self) {
        let RowBuilder { merger, index, value, .. } = &mut *self.row;
        merger.merge(index, value, self.first);
        value[self.first..].fill(1.0);
    }
}
