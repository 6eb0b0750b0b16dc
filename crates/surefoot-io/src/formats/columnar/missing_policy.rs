//! Treatment of missing cells in Parquet and Arrow tables.

use surefoot_glm::Missing;

use crate::text::cell_value::MissingTexts;

/// Treatment of missing cells, and the texts that denote a missing value.
#[derive(Debug, Default)]
pub(super) struct MissingPolicy {
    pub(super) missing: Missing,
    pub(super) absent: MissingTexts,
    /// Whether the treatment was taken from a model.
    pub(super) of_model: bool,
}
