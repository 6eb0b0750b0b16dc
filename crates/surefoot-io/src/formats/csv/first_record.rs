//! First record of a CSV input, which may be a header.

use std::collections::HashMap;

use super::{super::parse_error::RecordError, cells};
use crate::{error::ColumnError, table::dialect::Dialect, text::printable::text_of};

/// First record of a CSV input, which is either a header (column names) or a row.
pub(super) struct FirstRecord<'a> {
    /// Byte offset of the record in the examined bytes, which begin at the start of the input.
    pub(super) at: usize,
    pub(super) record: &'a [u8],
    /// End of each cell, as a byte offset from the start of the record.
    pub(super) ends: Vec<usize>,
    pub(super) dialect: Dialect,
    /// Byte offset of the end of the record, line break included, in the examined bytes.
    pub(super) end: usize,
}

impl FirstRecord<'_> {
    /// Builds an error that concerns the whole record and ends the reading of the input.
    pub(super) fn wrong(&self, message: String) -> RecordError {
        RecordError::new(self.at, self.record, message).fatal()
    }

    /// Converts an error about the columns of the table to an error located at the first record.
    pub(super) fn refused(&self, refused: ColumnError) -> RecordError {
        let ColumnError { message, asked } = refused;
        RecordError { asked, ..self.wrong(message) }
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, &[u8])> {
        cells::cells(self.record, &self.ends)
    }

    /// Returns the column names: the cells of the record if it is a `header`, otherwise numbers from 1.
    pub(super) fn names(&self, header: bool) -> Vec<String> {
        let cells = self.cells().enumerate();
        let name = |cell| text_of(&self.dialect.text(cell));
        cells.map(|(i, (_, cell))| if header { name(cell) } else { (i + 1).to_string() }).collect()
    }

    /// Checks that all column names are distinct.
    pub(super) fn check_names(&self, names: &[String]) -> Result<(), RecordError> {
        let mut first = HashMap::with_capacity(names.len());
        for (i, (name, (at, cell))) in names.iter().zip(self.cells()).enumerate() {
            if let Some(before) = first.insert(name.as_str(), i)
                && !name.is_empty()
            {
                let message = format!("the name stands at columns {} and {}: rename one of them", before + 1, i + 1);
                return Err(RecordError::new(self.at + at, &self.dialect.text(cell), message).fatal());
            }
        }
        Ok(())
    }
}
