//! Options of the readers of input data.

use std::sync::Arc;

use surefoot_glm::{FeatureGroups, FeatureNames, Quote, Schema};

use super::{column_selection::ColumnSelection, format::Format, inferred::Inferred, partitions::Partitions};
use crate::error::{Error, ErrorKind};

/// Options of a reader: schema, the user's column settings, and the inferred properties that readers share.
///
/// A clone shares the inferred properties: see [`Inferred`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Format of all inputs; `None` to detect the format of each input from its content and its extension.
    pub format: Option<&'static Format>,
    /// Schema of the features (table columns, hashing, interactions), as stored in a model.
    pub reading: Schema,
    /// The user's settings for table columns, in which columns are given by name or number.
    pub wanted: ColumnSelection,
    /// Whether labels are not needed (as in prediction): rows may lack them, and those present are ignored.
    pub unlabelled: bool,
    /// Whether labels may be text, because the loss is for classification.
    pub classes: bool,
    /// Feature groups (sets of features with the same penalty factor or bounds), given by namespace, column (as in
    /// [`columns_meant`](crate::columns_meant)), svmlight index or range of indices (`10-20`).
    pub groups: FeatureGroups,
    /// Check by the caller that may refuse the format of an input.
    pub accepts: Accepts,
    /// Properties of the data that readers infer, such as columns and label texts; shared by all clones of the options.
    pub found: Arc<Inferred>,
    /// Constant columns from `key=value` folder names, for each input; set by [`Reader::open`](crate::Reader::open).
    pub partitions: Partitions,
}

/// Check that may refuse the format of an input, called as soon as the format is known, before the first row is read. The default accepts
/// all formats.
#[derive(Clone, Default)]
pub struct Accepts(Option<Arc<Accept>>);

/// Function that returns an error message to refuse a data format.
type Accept = dyn Fn(&'static Format) -> Result<(), String> + Send + Sync;

impl Accepts {
    /// Builds a check from a function that returns an error message to refuse a format.
    pub fn new(accept: impl Fn(&'static Format) -> Result<(), String> + Send + Sync + 'static) -> Accepts {
        Accepts(Some(Arc::new(accept)))
    }

    /// Applies the check to a format; returns an error if the check refuses it.
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
    /// Returns a copy of the options that does not share inferred properties with others: its own start from those of the model, if there
    /// is one.
    #[must_use]
    pub fn apart(&self) -> Options {
        let begun = || Inferred::of_model(&self.reading, &FeatureNames::default());
        let found = if self.found.of_model { begun() } else { Inferred::default() };
        let found = found.with_many_classes(self.found.many_classes);
        Options { found: Arc::new(found), ..self.clone() }
    }

    /// Returns the schema to be stored in a model, with all properties inferred from the data so far.
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

    /// Checks that the user's settings are in their valid ranges.
    ///
    /// # Errors
    /// If a setting is out of its range.
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
