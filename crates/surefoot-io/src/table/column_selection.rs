//! The user's selection of columns of a table.

use surefoot_glm::{Quote, Role};

/// The user's selection of columns of a table. A column is identified by name, or by number from 1; names take precedence.
///
/// Settings for several columns also accept a [range or pattern](crate::columns_meant).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSelection {
    /// Whether the first line holds column names; `None` to detect it.
    pub header: Option<bool>,
    /// Delimiter of cells in text; `None` for that of the model's data, or the one detected from the first lines. A blank stands for any
    /// run of blanks and tabs.
    pub delimiter: Option<char>,
    /// Quote character in text; `None` for that of the model's data, or double quotes.
    pub quote: Option<Quote>,
    /// Decimal separator of numbers in text: a point or a comma.
    pub decimal: Option<char>,
    /// Column of labels.
    pub label: Option<String>,
    /// Column of importance weights.
    pub weight: Option<String>,
    /// Column of the numbers of trials; labels are then proportions of successes.
    pub trials: Option<String>,
    /// Column of offsets, which are added to margins.
    pub offset: Option<String>,
    /// Column of exposures, whose logarithms are added to margins.
    pub exposure: Option<String>,
    /// Categorical columns, each of whose values is a feature.
    pub categorical: Vec<String>,
    /// Text columns, whose words are features.
    pub text: Vec<String>,
    /// Numeric columns, each of which is one feature.
    pub numeric: Vec<String>,
    /// Columns that yield no features.
    pub ignore: Vec<String>,
    /// Column of row names: see [`Batch::name`](surefoot_glm::Batch::name).
    pub id: Option<String>,
    /// Whether tags are row names, in Vowpal Wabbit text.
    pub tags: bool,
    /// Roles whose columns are not required: weights, which are then 1, offsets and exposures.
    pub without: Vec<Role>,
}

impl ColumnSelection {
    /// Returns the flags that assign roles: name of the flag, role, and selected columns.
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
