//! Constant columns from `key=value` folder names: `year=2024/part-0.parquet` has a column `year`, as written by Hive, Spark and pyarrow.

use surefoot_glm::Role;

use super::{
    column_names::columns_meant, column_selection::ColumnSelection, folder_key::FolderKey, inferred::Inferred,
};
use crate::{
    error::{Error, ErrorKind},
    files::input::InputName,
    text::cell_value,
};

/// Constant columns from `key=value` folder names, for each input of a command.
///
/// When a model is trained from scratch, a key becomes a column in two cases: a flag names it, or the paths of all files have it and it was
/// found by expanding a folder or pattern or has different values. An existing model defines its columns, and other keys are ignored. Keys
/// and values are decoded as Hive writes them: `%20` is a blank, `__HIVE_DEFAULT_PARTITION__` a missing value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partitions {
    inputs: Vec<Vec<Constant>>,
}

/// Column that is constant over an input, because its value comes from a `key=value` folder in the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constant {
    pub(crate) column: String,
    /// Value in all rows of the input; `None` for a missing value.
    pub(crate) value: Option<String>,
    pub(crate) role: Role,
    /// Whether the file's own column of this name, if it has one, must equal `value` in all cells.
    pub(crate) binds: bool,
}

/// Key and value of a `key=value` folder in the path of an input.
struct KeyValue {
    key: String,
    value: Option<String>,
    /// Whether the folder was found by expanding a folder or a glob pattern, rather than named by the user.
    found: bool,
}

impl Constant {
    /// Whether the text of a cell equals the value of the folder, as text or as a number; always true if the value is missing.
    pub(crate) fn agrees(&self, cell: &[u8]) -> bool {
        let number = |text: &[u8]| cell_value::number(text).filter(|x| x.is_finite());
        match &self.value {
            None => true,
            Some(value) => {
                value.as_bytes() == cell || number(value.as_bytes()).is_some_and(|x| number(cell) == Some(x))
            }
        }
    }

    /// Returns the error message for a cell that differs from the value in the folder name.
    pub(crate) fn disagrees(&self) -> String {
        let (column, value) = (&self.column, self.value.as_deref().unwrap_or_default());
        format!("the folder says {column}={value}; move the file, or rename the folder or the column")
    }
}

impl Partitions {
    /// Returns the constant columns of input number `input`, from 0.
    pub(crate) fn of(&self, input: usize) -> &[Constant] {
        self.inputs.get(input).map_or(&[], Vec::as_slice)
    }

    /// Whether no input has constant columns.
    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Finds the constant columns of all inputs in the folder names of their paths.
    ///
    /// # Errors
    /// If some files found in one folder or by one pattern have a key in their paths and others do not.
    pub(crate) fn find(inputs: &[InputName], wanted: &ColumnSelection, found: &Inferred) -> Result<Partitions, Error> {
        let pairs: Vec<Vec<KeyValue>> = inputs.iter().map(pairs).collect();
        if pairs.iter().all(Vec::is_empty) {
            return Ok(Partitions::default());
        }
        // Columns of a model or of earlier files bind only where a folder was found by expansion.
        let mut known = false;
        let keys: Vec<FolderKey> = match (found.folder_keys(), found.table()) {
            (Some(keys), _) => keys.to_vec(),
            (None, None) => chosen(inputs, &pairs, wanted)?,
            (None, Some(table)) => {
                known = true;
                let key = |name: &String, role, binds| FolderKey { name: name.clone(), role, binds };
                let of_table = table.columns.iter().map(|column| key(&column.name, column.role, true));
                // The column of row names need not be known to the model.
                let id = wanted.id.iter().filter(|id| table.columns.iter().all(|column| column.name != **id));
                of_table.chain(id.map(|id| key(id, Role::Ignored, false))).collect()
            }
        };
        let constants = |pairs: &Vec<KeyValue>| {
            let of = |key: &FolderKey| {
                let pair = pairs.iter().find(|pair| pair.key == key.name)?;
                let binds = key.binds && (pair.found || !known);
                Some(Constant { column: key.name.clone(), value: pair.value.clone(), role: key.role, binds })
            };
            keys.iter().filter_map(of).collect()
        };
        Ok(Partitions { inputs: pairs.iter().map(constants).collect() })
    }

    /// Returns the keys of folders in the paths of all inputs that become columns when a model is trained from scratch.
    ///
    /// # Errors
    /// As [`find`](Partitions::find).
    pub(crate) fn keys(inputs: &[InputName], wanted: &ColumnSelection) -> Result<Vec<FolderKey>, Error> {
        chosen(inputs, &inputs.iter().map(pairs).collect::<Vec<_>>(), wanted)
    }
}

/// Returns the keys of `key=value` folders that become columns when a model is trained from scratch.
fn chosen(inputs: &[InputName], pairs: &[Vec<KeyValue>], wanted: &ColumnSelection) -> Result<Vec<FolderKey>, Error> {
    let mut keys: Vec<&str> = Vec::new();
    for pair in pairs.iter().flatten() {
        if !keys.contains(&pair.key.as_str()) {
            keys.push(&pair.key);
        }
    }
    let mut columns = Vec::new();
    for key in keys {
        let of_input = |pairs: &'_ Vec<KeyValue>| pairs.iter().position(|pair| pair.key == key);
        let met: Vec<&KeyValue> = pairs.iter().filter_map(|of| Some(&of[of_input(of)?])).collect();
        let role = said(wanted, key);
        let (found, differ) = (met.iter().any(|pair| pair.found), met.iter().any(|pair| pair.value != met[0].value));
        let all = met.len() == inputs.len();
        if role.is_some() || all && (found || differ) {
            let role = role.unwrap_or_else(|| guess(&met));
            columns.push(FolderKey { name: key.to_owned(), role, binds: found || differ });
        } else if !all && (found || differ) {
            let without = pairs.iter().position(|of| of_input(of).is_none()).unwrap_or_default();
            let message = format!(
                "no folder '{key}=...' in its path, as in those of other files, so that the column '{key}' would be missing; \
                 --ignore {key} does without"
            );
            return Err(ErrorKind::Table { file: inputs[without].to_string(), message }.into());
        }
    }
    Ok(columns)
}

/// Returns the role of a folder key, given its `key=value` pairs: numeric if all values are numbers, otherwise categorical.
fn guess(pairs: &[&KeyValue]) -> Role {
    let is_number = |text: &String| {
        let text = text.as_bytes();
        cell_value::any_number(text).is_some_and(f64::is_finite) || cell_value::boolean(text).is_some()
    };
    let mut values = pairs.iter().filter_map(|pair| pair.value.as_ref()).peekable();
    if values.peek().is_some() && values.all(is_number) { Role::Number } else { Role::Category }
}

/// Returns the role that the user's flags give to the column `key`; `None` if they give none.
fn said(wanted: &ColumnSelection, key: &str) -> Option<Role> {
    let names = |given: &[String]| {
        given.iter().any(|given| given == key || given.contains('*') && !columns_meant(&[key], given).is_empty())
    };
    wanted.roles().into_iter().find(|(_, _, given)| names(given)).map(|(_, role, _)| role)
}

/// Returns the `key=value` folders in the path of an input; if a key occurs twice, only the innermost folder.
fn pairs(input: &InputName) -> Vec<KeyValue> {
    let (folders, from) = input.folders();
    let mut pairs: Vec<KeyValue> = Vec::new();
    for (n, text) in folders.iter().enumerate() {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else { continue };
        let (key, value) = (decoded(key), decoded(value));
        let value = (value != "__HIVE_DEFAULT_PARTITION__").then_some(value);
        pairs.retain(|pair| pair.key != key);
        pairs.push(KeyValue { key, value, found: n >= from });
    }
    pairs
}

/// Decodes a percent-encoded text, in which `%20` stands for a blank.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).filter(|hex| *first == b'%' && hex.iter().all(u8::is_ascii_hexdigit));
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, from: usize) -> Vec<(String, Option<String>, bool)> {
        let pairs = pairs(&InputName::Member { path: path.into(), from });
        pairs.into_iter().map(|pair| (pair.key, pair.value, pair.found)).collect()
    }

    #[test]
    fn folders_name_keys_and_values() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            found("t/year=2024/city=S%C3%A3o%20Paulo/c=a=b/x=1.csv", 2),
            [
                ("year".to_owned(), some("2024"), false),
                ("city".to_owned(), some("São Paulo"), true),
                ("c".to_owned(), some("a=b"), true)
            ]
        );
        assert_eq!(found("./t/a=1/a=__HIVE_DEFAULT_PARTITION__/=2/x", 1), [("a".to_owned(), None, true)]);
        assert_eq!(found("t/a=100%/b=%zz%4/x", 1)[1].1, some("%zz%4"));
    }
}
