//! A format of data, apart from how it is read.

use surefoot_glm::FeatureKey;

/// A format of data: a row of [`FORMATS`](crate::FORMATS).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Format {
    /// The name to give to `--format`.
    pub name: &'static str,
    /// File name extensions, without that of a compression.
    pub extensions: &'static [&'static str],
    /// How its features are identified.
    pub by: FeatureKey,
}
