//! Treatment of missing cells in Parquet and Arrow tables.

use surefoot_glm::Missing;

use crate::text::cell_value::MissingTexts;

/// Treatment of missing cells (refused or replaced), and the texts that denote a missing value.
#[derive(Debug, Default)]
pub(super) struct MissingPolicy {
    pub(super) missing: Missing,
    pub(super) absent: MissingTexts,
    /// Whether the treatment comes from a model rather than from the user.
    pub(super) of_model: bool,
}
