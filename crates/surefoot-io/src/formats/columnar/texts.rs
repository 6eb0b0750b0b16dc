//! Cells with several values: texts whose words are features, and lists of categories.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use surefoot_glm::Missing;

use super::{
    cells,
    missing_policy::MissingPolicy,
    nested::{Span, spans},
};
use crate::{features::row_builder::MultiValueCell, text::cell_value};

/// Texts of one column in a record batch. The cell of a row may be a list of several texts.
pub(super) struct Texts {
    /// Texts of all rows, concatenated; if they are dictionary-encoded, the distinct texts of the dictionary.
    values: ArrayRef,
    /// For each row, the range of its texts among the texts of all rows.
    spans: Vec<Span>,
    /// For each text of all rows, its position in the dictionary; `None` if the texts are not dictionary-encoded.
    keys: Option<Vec<usize>>,
}

impl Texts {
    pub(super) fn new(array: &ArrayRef) -> Texts {
        let (values, spans) = spans(array);
        match values.data_type() {
            DataType::Dictionary(..) => {
                let keys = cells::keys(&values);
                Texts { values: values.as_any_dictionary().values().clone(), spans, keys: Some(keys) }
            }
            _ => Texts { values, spans, keys: None },
        }
    }

    /// Returns text number `at` among the texts of all rows, without surrounding blanks; `None` if it is missing. `scratch` is a reused
    /// buffer.
    fn text<'a>(&'a self, at: usize, scratch: &'a mut String) -> Option<&'a [u8]> {
        let at = self.keys.as_ref().map_or(Some(at), |keys| keys.get(at).copied())?;
        if at >= self.values.len() {
            return None;
        }
        cells::text(&self.values, at, scratch).map(<[u8]>::trim_ascii)
    }

    /// Adds each word in the texts of a row as a feature; missing texts have no words. Returns true if the row counts as a missing cell.
    pub(super) fn add_words(
        &self,
        row: usize,
        cell: &mut MultiValueCell<'_>,
        policy: &MissingPolicy,
        scratch: &mut String,
    ) -> bool {
        let span = self.spans.get(row).copied().flatten();
        let (start, end) = span.unwrap_or_default();
        // An empty list is known to be empty and does not count as missing.
        let mut is_missing = span.is_none() || start < end;
        for at in start..end {
            if let Some(text) = self.text(at, scratch).filter(|text| !policy.absent.is_no_text(text)) {
                is_missing = false;
                cell.add_words(text);
            }
        }
        is_missing && cell.add_no_words(policy.missing)
    }

    /// Adds each text of a row as a category. Returns the number of missing texts; `None`, an error, if there are some and missing cells
    /// are refused.
    pub(super) fn add_each(
        &self,
        row: usize,
        cell: &mut MultiValueCell<'_>,
        policy: &MissingPolicy,
        scratch: &mut String,
    ) -> Option<u64> {
        let span = self.spans.get(row).copied().flatten();
        let mut missing = u64::from(span.is_none());
        let (start, end) = span.unwrap_or_default();
        for at in start..end {
            match self.text(at, scratch).filter(|text| !policy.absent.is(text)) {
                Some(text) => cell.add(&cell_value::category(text)),
                None => missing += 1,
            }
        }
        if missing > 0 {
            cell.add_gap();
        }
        (missing == 0 || policy.missing != Missing::Refuse).then_some(missing)
    }
}
