//! Builder of the features of a cell that holds several values, such as the words of a text.
//!
//! The feature of a word has the value 1, like that of a category, however often the word occurs in the cell. Word counts as values gave
//! worse predictions in a comparison: see docs/decisions.md.

use surefoot_glm::Missing;

use super::{Group, RowBuilder, escape};
use crate::text::words;

/// Properties shared by all features of a column whose cells hold several values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureProperties<'a> {
    pub(crate) group: Group,
    /// Id of the feature that indicates a missing cell.
    pub(crate) gap: u64,
    /// Number of the column's feature group (of penalty factors or bounds); 0 for none.
    pub(crate) rule: u32,
    /// Name of the column, escaped for use in feature names.
    pub(crate) name: &'a str,
}

/// Builder that adds the features of one cell with several values to a row.
pub(crate) struct MultiValueCell<'a> {
    row: &'a mut RowBuilder,
    of: FeatureProperties<'a>,
    /// Position in the row of the first feature of the cell. When the cell has `most` features, duplicates are merged.
    first: usize,
    most: usize,
}

/// Minimum number of features of a cell at which duplicates are merged before the end of the cell. Merging early bounds the memory by
/// the number of distinct values in the cell.
const MOST: usize = 1 << 12;

impl<'a> MultiValueCell<'a> {
    /// Starts a cell without any features, whose features are appended to `row`.
    pub(crate) fn begin(row: &'a mut RowBuilder, of: FeatureProperties<'a>) -> MultiValueCell<'a> {
        let first = row.index.len();
        MultiValueCell { row, of, first, most: MOST }
    }

    /// Adds one value of the cell, such as a word or a category, as a feature of value 1.
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

    /// Handles a cell without words. Adds the missing-cell indicator and returns `true`, unless `missing` is [`Missing::Refuse`] (the
    /// default): then a text without words is a valid value, and nothing is added.
    pub(crate) fn add_no_words(&mut self, missing: Missing) -> bool {
        let counts = missing != Missing::Refuse;
        if counts {
            self.add_gap();
        }
        counts
    }

    /// Adds the feature that indicates a missing cell.
    pub(crate) fn add_gap(&mut self) {
        let name = self.of.name;
        self.row.add(self.of.gap, 1.0, |to| to.extend([name, "="]));
    }

    /// Ends the cell and merges the features of values that occurred in it repeatedly.
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
