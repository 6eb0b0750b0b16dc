//! Cells that hold several features, such as words.
//!
//! Each counts once, however often it stands in the cell: so a word has the value 1, as a category has. Counts predict worse where
//! both were measured: see docs/decisions.md.

use surefoot_glm::Missing;

use super::{Group, RowBuilder, escape};
use crate::text::words;

/// The properties that all features of a column have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureProperties<'a> {
    pub(crate) group: Group,
    /// The id of a missing cell.
    pub(crate) gap: u64,
    /// Group number of the features.
    pub(crate) rule: u32,
    /// Name of the column as displayed.
    pub(crate) name: &'a str,
}

/// Adds the features of a cell with several values to a row.
pub(crate) struct MultiValueCell<'a> {
    row: &'a mut RowBuilder,
    of: FeatureProperties<'a>,
    /// Start of its features in the row, and the number at which equal ones are merged.
    first: usize,
    most: usize,
}

/// Minimum number of features at which equal ones are merged before the end of a cell, so that memory is bounded by its vocabulary.
const MOST: usize = 1 << 12;

impl<'a> MultiValueCell<'a> {
    /// A cell without features.
    pub(crate) fn begin(row: &'a mut RowBuilder, of: FeatureProperties<'a>) -> MultiValueCell<'a> {
        let first = row.index.len();
        MultiValueCell { row, of, first, most: MOST }
    }

    /// Adds a text as it is.
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

    /// Adds each word of a text.
    pub(crate) fn add_words(&mut self, text: &[u8]) {
        words::each(text, |word| self.add(word));
    }

    /// The cell has no words: whether that makes it a missing one, for which there is a feature. By default it is none, since
    /// to have no words is to say nothing.
    pub(crate) fn add_no_words(&mut self, missing: Missing) -> bool {
        let counts = missing != Missing::Refuse;
        if counts {
            self.add_gap();
        }
        counts
    }

    /// Adds the feature of a text that is missing.
    pub(crate) fn add_gap(&mut self) {
        let name = self.of.name;
        self.row.add(self.of.gap, 1.0, |to| to.extend([name, "="]));
    }

    /// Ends the cell.
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
