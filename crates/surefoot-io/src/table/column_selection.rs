//! The user's selection of columns of a table.

use surefoot_glm::{Quote, Role};

/// The user's selection of columns of a table. Columns are identified by name, or by number from 1; a name wins.
///
/// Where several are allowed, also by [range or pattern](crate::columns_meant).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSelection {
    /// Whether the first line has column names; detected by default.
    pub header: Option<bool>,
    /// Delimiter of cells in text; by default that of the model's data, or the one that the first lines agree on. A blank
    /// stands for runs of blanks and tabs.
    pub delimiter: Option<char>,
    /// Quote character in text; by default that of the model's data, or double quotes.
    pub quote: Option<Quote>,
    /// Decimal separator of numbers in text: a point or a comma.
    pub decimal: Option<char>,
    /// The column of labels.
    pub label: Option<String>,
    /// The column of importance weights.
    pub weight: Option<String>,
    /// The column of numbers of trials, of which labels are the proportion of successes.
    pub trials: Option<String>,
    /// The column of offsets, which are added to margins.
    pub offset: Option<String>,
    /// The column of exposures, whose logarithms are added to margins.
    pub exposure: Option<String>,
    /// Categorical columns, whose values are names.
    pub categorical: Vec<String>,
    /// Text columns, whose words are features.
    pub text: Vec<String>,
    /// Numeric columns.
    pub numeric: Vec<String>,
    /// Columns to ignore.
    pub ignore: Vec<String>,
    /// The column of row names: see [`Batch::name`](surefoot_glm::Batch::name).
    pub id: Option<String>,
    /// Whether tags are row names, in text of Vowpal Wabbit.
    pub tags: bool,
    /// Roles whose columns are not required: weights, which are then 1, offsets and exposures.
    pub without: Vec<Role>,
}

impl ColumnSelection {
    /// The flags that assign roles: name, role, and the selected columns.
    #[must_use]
    pub fn roles(&self) -> [(&'static str, Role, &[String]); 9] {
        [
            ("--label", Role::Label, self.label.as_slice()),
            ("--weight", Role::Weight, self.weight.as_slice()),
            ("--trials", Role::Trials, self.trials.as_slice()),
            ("--offset", Role::Offset, self.offset.as_slice()),
            ("--exposure", Role::Exposure, self.exposure.as_slice()),
            ("--categorical", Role::Category, &self.categorical),
            ("--text", Role::Text, &self.text),
            ("--numeric", Role::Number, &self.numeric),
            ("--ignore", Role::Ignored, &self.ignore),
        ]
    }

    /// Whether columns of this role are unused, and may be missing.
    #[must_use]
    pub fn does_without(&self, role: Role) -> bool {
        self.without.contains(&role)
    }
}
