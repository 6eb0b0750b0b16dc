//! Constant columns from `key=value` folder names, whose values are appended to each CSV record.

use crate::{
    formats::parse_error::RecordError,
    table::{dialect::Dialect, partitions::Constant},
};

/// Constant columns of a CSV file, taken from the `key=value` folders in its path.
#[derive(Debug, Default)]
pub(super) struct Folders {
    names: Vec<String>,
    /// Bytes to append to each record: for each constant column a delimiter and the value.
    tail: Vec<u8>,
    /// End of the value of each constant column, as an offset in `tail`.
    ends: Vec<usize>,
    /// Columns of the file, by position, that a folder name also defines: each cell must equal the folder's value.
    bound: Vec<(usize, Constant)>,
}

/// Returns those constant columns that the file, whose own columns are `names`, does not have itself.
pub(super) fn beside<'a>(constants: &'a [Constant], names: &[String]) -> Vec<&'a Constant> {
    constants.iter().filter(|constant| !names.contains(&constant.column)).collect()
}

impl Folders {
    /// Builds the constant columns for a file whose own columns are `names`.
    pub(super) fn new(constants: &[Constant], names: &[String], dialect: Dialect) -> Folders {
        let (mut folders, place) = (Folders::default(), |name: &String| names.iter().position(|here| here == name));
        for constant in constants {
            match place(&constant.column) {
                Some(place) if constant.binds => folders.bound.push((place, constant.clone())),
                Some(_) => {}
                None => {
                    folders.names.push(constant.column.clone());
                    let value = constant.value.as_deref().unwrap_or_default();
                    folders.tail.push(dialect.delimiter);
                    folders.tail.extend(dialect.quoted(value).bytes());
                    folders.ends.push(folders.tail.len());
                }
            }
        }
        folders
    }

    /// Returns the names of the constant columns, which follow the file's own columns in the table.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.names.iter().cloned()
    }

    /// Returns the number of constant columns, which follow the file's own columns in the table.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// Appends the values of the constant columns to a record, in `buffer`, and their end offsets to `ends`; returns
    /// the extended record.
    #[inline]
    pub(super) fn extend<'a>(&self, record: &'a [u8], ends: &mut Vec<usize>, buffer: &'a mut Vec<u8>) -> &'a [u8] {
        if self.tail.is_empty() {
            return record;
        }
        buffer.clear();
        buffer.extend_from_slice(record);
        buffer.extend_from_slice(&self.tail);
        ends.extend(self.ends.iter().map(|end| record.len() + end));
        buffer
    }

    /// Checks that the cells of a record equal the values of folder names that define the same columns; `ends` holds
    /// the end offsets of the cells.
    #[inline]
    pub(super) fn check(&self, record: &[u8], ends: &[usize], dialect: Dialect) -> Result<(), RecordError> {
        for (place, constant) in &self.bound {
            let at = if *place > 0 { ends[place - 1] + 1 } else { 0 };
            let cell = dialect.text(&record[at..ends[*place]]);
            if !constant.agrees(&cell) {
                return Err(RecordError::new(at, &cell, constant.disagrees()));
            }
        }
        Ok(())
    }
}
