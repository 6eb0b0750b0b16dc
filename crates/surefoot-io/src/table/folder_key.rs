//! Key of `key=value` folders that is a column of a table.

use serde::{Deserialize, Serialize};
use surefoot_glm::Role;

/// Key of `key=value` folders that is a column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FolderKey {
    pub(crate) name: String,
    pub(crate) role: Role,
    /// Whether a file's own column of this name must equal the folder's value.
    pub(crate) binds: bool,
}
