//! Schema of the data: how rows are read from input. Every model stores it, so that prediction reads rows as training
//! did. Only readers fill it in and use it.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Schema of the data: how rows are read from input. It is stored in every model as part of its
/// [`Settings`](crate::Settings), so that prediction reads rows as training did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// Kind of key that identifies features: a number, a name, or a column. It decides which input formats suit the
    /// model.
    #[serde(rename = "features_by", default)]
    pub by: FeatureKey,
    /// Smallest valid feature id in svmlight text: 0 or 1.
    pub index_base: u8,
    /// Number of bits to which feature ids are hashed; `None` if ids are not hashed.
    pub bits: Option<u8>,
    /// Interactions: pairs of namespaces or columns whose features are multiplied to give additional features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interact: Vec<(String, String)>,
    /// Namespaces whose features are used; if the list is empty, all namespaces are used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Namespaces whose features are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// Columns of the table and how its cells are read, for formats with columns.
    #[serde(default, skip_serializing_if = "TableSchema::is_unknown")]
    pub table: TableSchema,
    /// Class names and their codes, if labels are text; empty for numeric labels. In rows, the code stands for the
    /// name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Class>,
}

/// Kind of key by which the features of the data are identified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureKey {
    /// Features are identified by a number, as in svmlight text.
    #[default]
    Index,
    /// Features are identified by a name, with or without a namespace, as in the text format of Vowpal Wabbit.
    Name,
    /// Features are identified by the column of a table.
    Column,
}

/// Quote character for cells of a text table that contain delimiters or line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quote {
    /// Quoting is off: quote characters are ordinary text.
    None,
    /// This character, usually `"`, encloses quoted cells.
    Mark(char),
}

impl Quote {
    /// Returns the quote character as a byte; `None` if quoting is off or the character is not ASCII.
    #[must_use]
    pub fn mark(self) -> Option<u8> {
        match self {
            Quote::None => None,
            Quote::Mark(mark) => u8::try_from(mark).ok().filter(u8::is_ascii),
        }
    }

    /// Whether the character can enclose cells: an ASCII punctuation character that is neither part of numbers nor a
    /// usual delimiter.
    #[must_use]
    pub fn is_usable(self) -> bool {
        match self {
            Quote::None => true,
            Quote::Mark(mark) => mark.is_ascii_punctuation() && !matches!(mark, '.' | '+' | '-' | ',' | ';' | '|'),
        }
    }
}

/// Columns of a table, and rules by which its cells are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableSchema {
    /// Whether the table has a header line, whose names identify columns; otherwise columns are identified by
    /// position.
    pub header: bool,
    /// Delimiter between the cells of a text table; `None` if the user did not specify one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Quote character of a text table; `None` if the user did not specify one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<Quote>,
    /// Decimal separator of numbers in a text table; `None` if the user did not specify one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<char>,
    /// Treatment of missing cells in the table.
    pub missing: Missing,
    /// Cell texts that count as missing, in addition to empty cells and the usual spellings such as NA.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
    /// True if only empty cells and the texts in `na` count as missing, but not the usual spellings such as NA.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_default_na: bool,
    /// Mean of each numeric column over the training rows, by column name, with which missing cells are filled; empty
    /// unless [`Missing::Mean`] is chosen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub means: BTreeMap<String, f64>,
    /// Columns in the order of the training data; empty until the first table has been read.
    pub columns: Vec<Column>,
}

/// Equality is reflexive, as `Eq` requires, although the schema has f64 fields: all its numbers are finite.
impl Eq for TableSchema {}

impl TableSchema {
    /// Returns the number that replaces a missing cell of a numeric column: the column's mean if [`Missing::Mean`] is
    /// chosen and the mean is known, otherwise 0.
    #[must_use]
    pub fn fill(&self, column: &str) -> f64 {
        let mean = self.means.get(column).copied();
        mean.filter(|_| self.missing == Missing::Mean).unwrap_or(0.0)
    }

    /// Whether the columns of the table are not known yet.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.columns.is_empty()
    }
}

/// Column of a table: its name and its use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name of the column from the header, or its number, counted from 1, in a table without a header.
    pub name: String,
    /// Use of the column: label, weight, offset, feature, or none.
    pub role: Role,
}

/// Use of a table column: the part of a row that its cells give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The label of the row.
    Label,
    /// The importance weight of the row.
    Weight,
    /// Number of binomial trials of the row; the label is the proportion of successes.
    Trials,
    /// Offset: a number that is added to the row's margin.
    Offset,
    /// Exposure, whose logarithm is added to the row's margin.
    Exposure,
    /// Numeric feature, whose value is the cell.
    Number,
    /// Categorical column: each distinct text in it becomes a feature. A cell may hold several texts.
    Category,
    /// Free-text column: each distinct word in it becomes a feature.
    Text,
    /// Column whose cells are not used.
    Ignored,
}

impl Role {
    /// Whether cells of columns with this role become features.
    #[must_use]
    pub fn is_feature(self) -> bool {
        matches!(self, Role::Number | Role::Category | Role::Text)
    }

    /// Whether cells of columns with this role are added to the margin as an offset.
    #[must_use]
    pub fn is_offset(self) -> bool {
        matches!(self, Role::Offset | Role::Exposure)
    }
}

/// Treatment of missing cells of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// A missing cell is an error, and the row is refused.
    #[default]
    Refuse,
    /// A missing cell sets an indicator feature of its column to 1; if the column is numeric, the value counts as 0.
    Indicator,
    /// A missing cell sets an indicator feature of its column to 1; if the column is numeric, the value counts as the
    /// mean of the column: see [`TableSchema::means`].
    Mean,
}

/// Class whose label is text in the data, and the number that stands for it in rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Class name as it is written in the data.
    pub text: String,
    /// Number that represents the class in rows. Numbers ascend in the alphabetical order of the class names.
    pub code: f64,
}

impl Eq for Class {}

impl Default for Schema {
    fn default() -> Self {
        Schema {
            by: FeatureKey::Index,
            index_base: 0,
            bits: None,
            interact: Vec::new(),
            keep: Vec::new(),
            ignore: Vec::new(),
            table: TableSchema::default(),
            classes: Vec::new(),
        }
    }
}

/// Names of features by feature id; not all names need be known. Several features share an id if ids are hashed to few
/// bits.
///
/// ```
/// use surefoot_glm::FeatureNames;
/// let mut names = FeatureNames::default();
/// assert!(names.insert(7, "colour=red") && names.insert(7, "age"));
/// assert_eq!((names.of(7), names.of(8)), (Some("age"), None));
/// assert_eq!(names.all(7).collect::<Vec<_>>(), ["age", "colour=red"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeatureNames {
    by_id: BTreeSet<(u64, Box<str>)>,
    bytes: usize,
}

impl FeatureNames {
    /// Maximum number of names that are stored.
    pub const MOST: usize = 1 << 20;
    /// Maximum total length in bytes of the names that are stored.
    pub const MOST_BYTES: usize = 64 << 20;

    /// Adds a name for a feature id; returns false if the maximum number or total length of names is reached. Costs
    /// O(log n) for n names.
    pub fn insert(&mut self, id: u64, name: &str) -> bool {
        if self.by_id.len() >= FeatureNames::MOST || self.bytes + name.len() > FeatureNames::MOST_BYTES {
            return false;
        }
        if self.by_id.insert((id, name.into())) {
            self.bytes += name.len();
        }
        true
    }

    /// Returns the name of a feature id, the first in alphabetical order if it has several; `None` if no name is
    /// stored.
    #[must_use]
    pub fn of(&self, id: u64) -> Option<&str> {
        self.all(id).next()
    }

    /// Returns all stored names of a feature id, in alphabetical order.
    pub fn all(&self, id: u64) -> impl Iterator<Item = &str> {
        let from = self.by_id.range((id, Box::default())..);
        from.take_while(move |(of, _)| *of == id).map(|(_, name)| &**name)
    }

    /// Returns a copy with the names of the given feature ids only.
    #[must_use]
    pub fn restricted_to(&self, index: &[u64]) -> FeatureNames {
        let mut names = FeatureNames::default();
        for &id in index {
            self.all(id).for_each(|name| _ = names.insert(id, name));
        }
        names
    }

    /// Whether no names are stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Returns all feature ids and names, by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.by_id.iter().map(|(id, name)| (*id, &**name))
    }
}
