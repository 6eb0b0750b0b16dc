//! Columns that folders name: each row of a file is read as if it went on with their values.

use crate::{
    formats::parse_error::RecordError,
    table::{dialect::Dialect, partitions::Constant},
};

/// Columns of the rows of a file that come from `key=value` folders.
#[derive(Debug, Default)]
pub(super) struct Folders {
    names: Vec<String>,
    /// Appended to each record: a delimiter and a value per name.
    tail: Vec<u8>,
    /// Where each value ends in it.
    ends: Vec<usize>,
    /// Columns of the file, by place, that must agree.
    bound: Vec<(usize, Constant)>,
}

/// The constants that are not columns of the file itself.
pub(super) fn beside<'a>(constants: &'a [Constant], names: &[String]) -> Vec<&'a Constant> {
    constants.iter().filter(|constant| !names.contains(&constant.column)).collect()
}

impl Folders {
    /// For a file with these columns.
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

    /// The columns behind those of the file.
    pub(super) fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.names.iter().cloned()
    }

    /// How many they are.
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// A record whose cells have these ends with the values that follow it.
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

    /// Checks that the cells of a record with these ends agree with the folders.
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
