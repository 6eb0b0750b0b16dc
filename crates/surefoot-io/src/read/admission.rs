//! Check that the format of an input suits the options, and the inputs before it.

use surefoot_glm::FeatureKey;

use crate::{
    error::{Error, ErrorKind},
    table::{format::Format, options::Options},
};

/// Admits an input `name` of this format, and records the format.
///
/// # Errors
/// If the options do not permit the format, or the inputs before it or the model identify features in another way.
pub(super) fn admit(name: &str, format: &'static Format, options: &Options) -> Result<(), Error> {
    let Options { format: given, found, .. } = options;
    format.check(options)?;
    match found.open(name, format) {
        // Columns have the same ids as equal names in other formats. Whether the names agree is for the user to know.
        Some(FeatureKey::Column) if given.is_some() && format.by == FeatureKey::Name => Ok(()),
        Some(other) => {
            let of = if found.of_model { "the model" } else { "the input before" };
            let (here, there) = (by_words(format.by), by_words(other));
            let named = if found.of_model { "it was trained on" } else { "read" };
            let message = format!(
                "features of this file ({}) go by {here}, those of {of} by {there}: give data of the kind that {named}",
                format.name
            );
            Err(ErrorKind::Table { file: name.to_owned(), message }.into())
        }
        None => Ok(()),
    }
}

/// Returns the words with which messages say how features are identified: by index, name or column.
fn by_words(by: FeatureKey) -> &'static str {
    match by {
        FeatureKey::Index => "index (svmlight)",
        FeatureKey::Name => "names (vw)",
        FeatureKey::Column => "columns (csv, parquet ...)",
    }
}
