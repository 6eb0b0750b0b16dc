//! Treatment of missing cells.

use surefoot_glm::Missing;

use crate::text::cell_value::MissingTexts;

/// Treatment of missing cells, and the texts that count as missing.
#[derive(Debug, Default)]
pub(super) struct MissingPolicy {
    pub(super) missing: Missing,
    pub(super) absent: MissingTexts,
    /// Whether a model says so.
    pub(super) of_model: bool,
}
