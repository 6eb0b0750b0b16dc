//! Options of the readers of data: format, columns, and properties inferred while reading.

use std::sync::Arc;

use surefoot_glm::{FeatureGroups, FeatureNames, Quote, Schema};

use super::{column_selection::ColumnSelection, format::Format, inferred::Inferred, partitions::Partitions};
use crate::error::{Error, ErrorKind};

/// Options of readers: schema, column selection, and shared inferred properties.
///
/// A clone shares the inferred properties: see [`Inferred`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Format of all inputs; `None` to detect it per input, from its first bytes or its extension.
    pub format: Option<&'static Format>,
    /// Schema, as stored in a model.
    pub reading: Schema,
    /// The user's selection of columns, made before the columns are known.
    pub wanted: ColumnSelection,
    /// Whether rows may lack labels, and labels are ignored.
    pub unlabelled: bool,
    /// Whether labels may be text, because the loss has classes.
    pub classes: bool,
    /// Groups of features to be numbered in rows: namespaces, columns (selected as in [`columns_meant`](crate::columns_meant)), svmlight
    /// indices and ranges of them (`10-20`).
    pub groups: FeatureGroups,
    /// Check of the formats that are accepted.
    pub accepts: Accepts,
    /// Properties that readers infer from the data, such as columns and label texts.
    pub found: Arc<Inferred>,
    /// Columns from `key=value` folders; set by [`Reader::open`](crate::Reader::open).
    pub partitions: Partitions,
}

/// Check of the format, called as soon as the format is known and before the first row. The default accepts all formats.
#[derive(Clone, Default)]
pub struct Accepts(Option<Arc<Accept>>);

/// Check that returns the reason if a format is refused.
type Accept = dyn Fn(&'static Format) -> Result<(), String> + Send + Sync;

impl Accepts {
    /// Builds a check from a function that returns the reason if it refuses a format.
    pub fn new(accept: impl Fn(&'static Format) -> Result<(), String> + Send + Sync + 'static) -> Accepts {
        Accepts(Some(Arc::new(accept)))
    }

    /// Checks a format.
    pub(crate) fn check(&self, format: &'static Format) -> Result<(), Error> {
        let refused = self.0.as_ref().and_then(|accept| accept(format).err());
        refused.map_or(Ok(()), |message| Err(ErrorKind::Setting { message }.into()))
    }
}

impl std::fmt::Debug for Accepts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Accepts").field(&self.0.is_some()).finish()
    }
}

impl Options {
    /// Returns a copy whose readers do not share inferred properties, but infer them anew, starting from the schema.
    #[must_use]
    pub fn apart(&self) -> Options {
        let begun = || Inferred::of_model(&self.reading, &FeatureNames::default());
        let found = if self.found.of_model { begun() } else { Inferred::default() };
        let found = found.with_many_classes(self.found.many_classes);
        Options { found: Arc::new(found), ..self.clone() }
    }

    /// Returns the schema for a model, with all properties inferred so far.
    #[must_use]
    pub fn reading(&self) -> Schema {
        let mut reading = self.reading.clone();
        if let Some(by) = self.found.by() {
            reading.by = by;
        }
        if let Some(table) = self.found.table() {
            reading.table = table.clone();
            // In a table, the roles of columns replace the list of ignored names.
            reading.ignore.clear();
        }
        reading.classes = self.found.classes();
        reading
    }

    /// Checks the settings that a user may get wrong.
    ///
    /// # Errors
    /// A setting out of its range.
    pub fn check(&self) -> Result<(), Error> {
        let is_wrong = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() || "\"\r\n".contains(c));
        let quote = self.wanted.quote.or(self.reading.table.quote);
        let message = match self.reading {
            _ if is_wrong(self.reading.table.delimiter) || is_wrong(self.wanted.delimiter) => {
                "--delimiter takes an ASCII character that is no quote or line break"
            }
            _ if quote.is_some_and(|quote| !quote.is_usable()) => {
                "--quote takes an ASCII punctuation mark that no number holds, or none"
            }
            _ if matches!(quote, Some(Quote::Mark(mark)) if self.wanted.delimiter == Some(mark)) => {
                "--quote and --delimiter are the same"
            }
            _ if self.wanted.decimal == Some(',') && self.wanted.delimiter == Some(',') => {
                "--decimal , needs another --delimiter"
            }
            Schema { bits: Some(0 | 65..), .. } => "--bits takes a number from 1 to 64",
            Schema { index_base: 2.., .. } => "--index-base takes 0 or 1",
            _ => return Ok(()),
        };
        Err(ErrorKind::Setting { message: message.to_owned() }.into())
    }
}
