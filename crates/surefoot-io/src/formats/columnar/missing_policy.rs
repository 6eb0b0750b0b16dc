//! What a missing cell means.

use surefoot_glm::Missing;

use crate::text::cell_value::MissingTexts;

/// What a missing cell means, and which texts count as one.
#[derive(Debug, Default)]
pub(super) struct MissingPolicy {
    pub(super) missing: Missing,
    pub(super) absent: MissingTexts,
    /// Whether a model says so.
    pub(super) of_model: bool,
}
