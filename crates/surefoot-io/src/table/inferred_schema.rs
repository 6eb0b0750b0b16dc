//! What readers infer about the data from the first rows, as data that can be sent to another process.

use serde::{Deserialize, Serialize};
use surefoot_glm::Schema;

use super::folder_key::FolderKey;

/// Schema of the data and what else readers infer from the first rows of a list of inputs, so that any of these inputs, and any part of
/// them, can be read elsewhere as it is read after the others.
///
/// It can be sent to another process by `serde`. If labels are text, it holds the classes of the first rows only; readers assign numbers to
/// others as they meet them. Two classes get the same numbers everywhere, more of them need not.
///
/// ```
/// use surefoot_io::{InferredSchema, InputName, Options, Reader};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "y,size,colour\n1,2.5,red\n0,3,blue\n")?;
/// let mut options = Options::default();
/// options.wanted.label = Some("y".to_owned());
/// let inputs = [InputName::new(path)];
/// let schema = InferredSchema::of(&inputs, &options)?;
/// assert_eq!(schema.schema().table.columns[2].name, "colour");
///
/// let text = serde_json::to_string(&schema)?;
/// let elsewhere = options.with_schema(&serde_json::from_str(&text)?);
/// let reader = Reader::open(&inputs, elsewhere)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InferredSchema {
    pub(crate) schema: Schema,
    /// Name of the format of the first input.
    pub(crate) format: Option<String>,
    /// Names of columns that were inferred to be categorical; in them, a number in a later row is an error.
    pub(crate) open: Vec<String>,
    /// Whether labels are text; `None` if no label was read.
    pub(crate) text_labels: Option<bool>,
    /// Columns from the names of folders.
    pub(crate) folder_keys: Vec<FolderKey>,
}

impl InferredSchema {
    /// Returns the schema, as a model of these data would store it.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }
}
