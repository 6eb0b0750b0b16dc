//! Description of a data format, independent of its parser.

use surefoot_glm::FeatureKey;

/// Data format: a row of [`FORMATS`](crate::FORMATS).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// Name, as given to `--format`.
    pub name: &'static str,
    /// File name extensions, without an extension for compression.
    pub extensions: &'static [&'static str],
    /// Way in which features are identified: by index, name or column.
    pub by: FeatureKey,
}
