//! Policy for missing cells of tables stored by columns.

use surefoot_glm::Missing;

use crate::text::cell_value::MissingTexts;

/// Treatment of missing cells, and the texts that count as missing.
#[derive(Debug, Default)]
pub(super) struct MissingPolicy {
    pub(super) missing: Missing,
    pub(super) absent: MissingTexts,
    /// Whether the policy comes from a model.
    pub(super) of_model: bool,
}
