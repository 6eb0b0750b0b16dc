//! How rows are read: what a reader has to remember from training to prediction. The readers fill it in; nothing here
//! looks at it.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// All that prediction needs to read rows as training did: a part of every model's [`Settings`](crate::Settings).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// What features go by, which decides what data suit the model.
    #[serde(default)]
    pub by: FeatureKey,
    /// Smallest legal feature id in svmlight text: 0 or 1.
    pub index_base: u8,
    /// Ids are hashed to this many bits, if at all.
    pub bits: Option<u8>,
    /// Pairs of namespaces or columns whose features are multiplied with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interact: Vec<(String, String)>,
    /// Namespaces that are used, where not all are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Namespaces that are passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// The columns, for formats that have such.
    #[serde(default, skip_serializing_if = "TableSchema::is_unknown")]
    pub table: TableSchema,
    /// Labels that are text, and the numbers that stand for them in rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Class>,
}

/// What the features of data go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureKey {
    /// A number, as in svmlight text.
    #[default]
    Index,
    /// A name, with a namespace or without, as in the text of Vowpal Wabbit.
    Name,
    /// A column of a table, of whatever format.
    Column,
}

/// What encloses cells of text in which delimiters and line breaks stand for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quote {
    /// Nothing does: quotes are text.
    None,
    /// A mark, usually `"`.
    Mark(char),
}

impl Quote {
    /// The mark, if there is one that is ASCII.
    #[must_use]
    pub fn mark(self) -> Option<u8> {
        match self {
            Quote::None => None,
            Quote::Mark(mark) => u8::try_from(mark).ok().filter(u8::is_ascii),
        }
    }

    /// Whether it can enclose cells: a mark of ASCII that is part of no number and does not usually stand between cells.
    #[must_use]
    pub fn is_usable(self) -> bool {
        match self {
            Quote::None => true,
            Quote::Mark(mark) => mark.is_ascii_punctuation() && !matches!(mark, '.' | '+' | '-' | ',' | ';' | '|'),
        }
    }
}

/// The columns of a table, and how its cells are read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableSchema {
    /// Whether columns go by names, not by their place.
    pub header: bool,
    /// What stands between cells of text, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// What encloses cells of text, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<Quote>,
    /// What numbers in text have for a decimal point, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<char>,
    /// What a missing cell means.
    pub missing: Missing,
    /// Cells of text that count as missing, beside empty ones and the usual spellings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub na: Vec<String>,
    /// Whether only empty cells and those of `na` count as missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_default_na: bool,
    /// With [`Missing::Mean`], the means of columns of numbers over the rows of training.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub means: BTreeMap<String, f64>,
    /// The columns in the order of the training data; none until they are known.
    pub columns: Vec<Column>,
}

/// All numbers in it are finite.
impl Eq for TableSchema {}

impl TableSchema {
    /// What a missing number of a column counts as.
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

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name; its number from 1 where there are no names.
    pub name: String,
    /// What it is used as.
    pub role: Role,
}

/// What a column is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The label.
    Label,
    /// The importance weight.
    Weight,
    /// Of how many trials the label is the share of successes.
    Trials,
    /// What is added to margins.
    Offset,
    /// An exposure, whose logarithm is added to margins.
    Exposure,
    /// A feature whose value is the cell.
    Number,
    /// A feature for each of its values, which are text. A cell may hold several.
    Category,
    /// A feature for each word of its cells, which are text.
    Text,
    /// Nothing.
    Ignored,
}

impl Role {
    /// Whether features are made of a column of it.
    #[must_use]
    pub fn is_feature(self) -> bool {
        matches!(self, Role::Number | Role::Category | Role::Text)
    }

    /// Whether a column of it says what is added to margins.
    #[must_use]
    pub fn is_offset(self) -> bool {
        matches!(self, Role::Offset | Role::Exposure)
    }
}

/// What a missing cell means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The row is at fault.
    #[default]
    Refuse,
    /// It is a feature of its own, with the value 1; the column's number counts as 0.
    Indicator,
    /// The same, but the column's number counts as its mean: see [`TableSchema::means`].
    Mean,
}

/// A label that is text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// The label as it is written.
    pub text: String,
    /// The number that stands for it in rows; in the order of the texts.
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

/// Names of features, as far as they were kept. Where ids are hashed to few bits several features share an id.
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
    /// Most names that are kept.
    pub const MOST: usize = 1 << 20;
    /// Most bytes of names that are kept.
    pub const MOST_BYTES: usize = 64 << 20;

    /// Keeps a name of an id; `false` if there is no room for more names.
    pub fn insert(&mut self, id: u64, name: &str) -> bool {
        if self.by_id.len() >= FeatureNames::MOST || self.bytes + name.len() > FeatureNames::MOST_BYTES {
            return false;
        }
        if self.by_id.insert((id, name.into())) {
            self.bytes += name.len();
        }
        true
    }

    /// The name of an id, if it was kept; of several the first in their order.
    #[must_use]
    pub fn of(&self, id: u64) -> Option<&str> {
        self.all(id).next()
    }

    /// The names of all features of an id that were kept, in their order.
    pub fn all(&self, id: u64) -> impl Iterator<Item = &str> {
        let from = self.by_id.range((id, Box::default())..);
        from.take_while(move |(of, _)| *of == id).map(|(_, name)| &**name)
    }

    /// Those of these ids, which ascend.
    #[must_use]
    pub fn restricted_to(&self, index: &[u64]) -> FeatureNames {
        let mut names = FeatureNames::default();
        for &id in index {
            self.all(id).for_each(|name| _ = names.insert(id, name));
        }
        names
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// All of them by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.by_id.iter().map(|(id, name)| (*id, &**name))
    }
}
