//! Description of a data format, without its parser.

use surefoot_glm::FeatureKey;

/// Data format that can be read; all formats are listed in [`FORMATS`](crate::FORMATS).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// Name, as given to `--format`.
    pub name: &'static str,
    /// File name extensions that denote the format, without those of compression.
    pub extensions: &'static [&'static str],
    /// How features are identified in this format: by index, name or column.
    pub by: FeatureKey,
}
