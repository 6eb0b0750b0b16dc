//! The schema of the data: how rows are read. Every model stores it, so that prediction reads rows as training did;
//! only readers fill it in and use it.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Schema of the data, by which prediction reads rows as training did; a part of every model's
/// [`Settings`](crate::Settings).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// Key by which features are identified, which decides the input formats that suit the model.
    #[serde(rename = "features_by", default)]
    pub by: FeatureKey,
    /// Smallest valid feature id in svmlight text: 0 or 1.
    pub index_base: u8,
    /// Number of bits to which ids are hashed; `None` if ids are not hashed.
    pub bits: Option<u8>,
    /// Interactions: pairs of namespaces or columns whose features are multiplied with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interact: Vec<(String, String)>,
    /// Namespaces that are used; all namespaces if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Namespaces that are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// Columns of the table and how its cells are read, for formats with columns.
    #[serde(default, skip_serializing_if = "TableSchema::is_unknown")]
    pub table: TableSchema,
    /// Class names, for labels that are text, and the numbers that stand for the names in rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Class>,
}

/// Key by which the features of the data are identified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureKey {
    /// Features are identified by number, as in svmlight text.
    #[default]
    Index,
    /// Features are identified by name, with or without a namespace, as in the text of Vowpal Wabbit.
    Name,
    /// Features are identified by the column of a table, in any format.
    Column,
}

/// Quote character that encloses text cells with delimiters or line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quote {
    /// No quote character: quotes are text.
    None,
    /// A quote character, usually `"`.
    Mark(char),
}

impl Quote {
    /// Returns the quote character as a byte; `None` without one, or if it is not ASCII.
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

/// Columns of a table, and how its cells are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableSchema {
    /// Whether columns are identified by the names of a header, not by position.
    pub header: bool,
    /// Delimiter of cells in text; `None` if it was not specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Quote character in text; `None` if it was not specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<Quote>,
    /// Decimal separator of numbers in text; `None` if it was not specified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<char>,
    /// Treatment of missing cells.
    pub missing: Missing,
    /// Texts that count as missing, in addition to empty cells and the usual spellings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
    /// Whether only empty cells and the texts in `na` count as missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_default_na: bool,
    /// Means of numeric columns over the training rows, by column name; empty unless `missing` is [`Missing::Mean`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub means: BTreeMap<String, f64>,
    /// Columns in the order of the training data; empty until they are known.
    pub columns: Vec<Column>,
}

/// Equality is reflexive because all numbers are finite.
impl Eq for TableSchema {}

impl TableSchema {
    /// Returns the value that replaces a missing number in a column.
    #[must_use]
    pub fn fill(&self, column: &str) -> f64 {
        let mean = self.means.get(column).copied();
        mean.filter(|_| self.missing == Missing::Mean).unwrap_or(0.0)
    }

    /// Whether no column is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.columns.is_empty()
    }
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name of the column; its number, starting at 1, without a header.
    pub name: String,
    /// Use of the column in rows: label, weight, offset, feature, or none.
    pub role: Role,
}

/// Use of a table's column in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The label of the row.
    Label,
    /// The importance weight of the row.
    Weight,
    /// Number of trials, of which the label is the proportion of successes.
    Trials,
    /// Number that is added to the row's margin.
    Offset,
    /// Exposure, whose logarithm is added to the row's margin.
    Exposure,
    /// Numeric feature, whose value is the cell.
    Number,
    /// Categorical column: one feature per distinct text. A cell may hold several texts.
    Category,
    /// Free text: one feature per word.
    Text,
    /// Column that is not used.
    Ignored,
}

impl Role {
    /// Whether columns of this role give features.
    #[must_use]
    pub fn is_feature(self) -> bool {
        matches!(self, Role::Number | Role::Category | Role::Text)
    }

    /// Whether columns of this role give an offset of margins.
    #[must_use]
    pub fn is_offset(self) -> bool {
        matches!(self, Role::Offset | Role::Exposure)
    }
}

/// Treatment of missing cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// A missing cell is a fault of the row.
    #[default]
    Refuse,
    /// A missing cell sets an indicator feature of the column to 1; a missing number counts as 0.
    Indicator,
    /// A missing cell sets an indicator feature as with [`Indicator`](Missing::Indicator), but a missing number
    /// counts as the mean of its column: see [`TableSchema::means`].
    Mean,
}

/// Class name, for labels that are text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Label as it is written in the data.
    pub text: String,
    /// Number that stands for the class name in rows; numbers ascend in the order of the texts.
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

/// Names of features by id, as far as they were kept. Several features share an id if ids are hashed to few bits.
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
    /// Maximum number of names that are kept.
    pub const MOST: usize = 1 << 20;
    /// Maximum number of bytes of all names together.
    pub const MOST_BYTES: usize = 64 << 20;

    /// Adds a name of an id; returns false if the maximum is reached. Costs O(log n) for n names.
    pub fn insert(&mut self, id: u64, name: &str) -> bool {
        if self.by_id.len() >= FeatureNames::MOST || self.bytes + name.len() > FeatureNames::MOST_BYTES {
            return false;
        }
        if self.by_id.insert((id, name.into())) {
            self.bytes += name.len();
        }
        true
    }

    /// Returns the name of an id, the first in alphabetical order if there are several; `None` if no name was kept.
    #[must_use]
    pub fn of(&self, id: u64) -> Option<&str> {
        self.all(id).next()
    }

    /// Returns all names of an id, in alphabetical order.
    pub fn all(&self, id: u64) -> impl Iterator<Item = &str> {
        let from = self.by_id.range((id, Box::default())..);
        from.take_while(move |(of, _)| *of == id).map(|(_, name)| &**name)
    }

    /// Returns the names of the given ids only.
    #[must_use]
    pub fn restricted_to(&self, index: &[u64]) -> FeatureNames {
        let mut names = FeatureNames::default();
        for &id in index {
            self.all(id).for_each(|name| _ = names.insert(id, name));
        }
        names
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Returns all names, by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.by_id.iter().map(|(id, name)| (*id, &**name))
    }
}
