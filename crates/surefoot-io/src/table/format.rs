//! Data format as shown to users: its name, extensions and kind of features; the parsers are elsewhere.

use surefoot_glm::FeatureKey;

/// Data format that can be read, such as CSV; all formats are listed in [`FORMATS`](crate::FORMATS).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// Name of the format, as given to `--format`.
    pub name: &'static str,
    /// File name extensions (without the dot) that denote the format; those of compression are not included.
    pub extensions: &'static [&'static str],
    /// How features are identified in this format: by index, name or column.
    pub by: FeatureKey,
}
