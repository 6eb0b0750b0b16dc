//! Selection and grouping of features that go by number, for rows that a program keeps itself.

use surefoot_glm::Batch;

use super::{index_selection, index_selection::IndexSelection};
use crate::{
    error::{Error, ErrorKind},
    features::feature_groups::IndexGroups,
    table::options::Options,
};

/// Applies the options about features to rows whose features go by number, as the svmlight reader does: the lists of features to keep and
/// to ignore, and the groups with a penalty factor or bounds of their own. Each name in them is a number (`7`) or a range (`10-20`).
///
/// ```
/// use surefoot_glm::{Batch, Schema};
/// use surefoot_io::{IndexedFeatures, Options};
/// let reading = Schema { ignore: vec!["5-9".to_owned()], ..Schema::default() };
/// let mut features = IndexedFeatures::new(&Options { reading, ..Options::default() })?;
/// let mut batch = Batch::default();
/// (batch.index, batch.value) = (vec![3, 7], vec![0.5, 1.0]);
/// features.apply(&mut batch, 0);
/// assert_eq!((batch.index, batch.value), (vec![3], vec![0.5]));
/// # Ok::<(), surefoot_io::Error>(())
/// ```
#[derive(Debug)]
pub struct IndexedFeatures {
    selection: Option<IndexSelection>,
    groups: Option<IndexGroups>,
}

impl IndexedFeatures {
    /// Builds the selection and the groups that the options ask for.
    ///
    /// # Errors
    /// A name that is neither a number nor a range of numbers; options that hash features, which their numbers make needless.
    pub fn new(options: &Options) -> Result<IndexedFeatures, Error> {
        index_selection::check(options)?;
        if options.reading.bits.is_some() {
            let message = "--bits does nothing with a matrix: its columns are numbered; leave it out".to_owned();
            return Err(ErrorKind::Setting { message }.into());
        }
        let selection = IndexSelection::new(&options.reading, &options.found);
        Ok(IndexedFeatures { selection, groups: IndexGroups::new(&options.groups) })
    }

    /// Applies the options to the nonzeros of the row that is being appended to the batch, which start at position `first`. O(nnz) of the
    /// row, and nothing without selection and groups.
    pub fn apply(&mut self, batch: &mut Batch, first: usize) {
        if let Some(selection) = &mut self.selection {
            selection.retain(batch, first);
        }
        if let Some(groups) = &mut self.groups {
            groups.assign(&batch.index[first..], |index| index);
            groups.grouper.fill(batch, first);
        }
    }
}
