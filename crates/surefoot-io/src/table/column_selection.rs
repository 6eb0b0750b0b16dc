//! The user's settings for the columns of a table.

use surefoot_glm::{Quote, Role};

/// The user's settings for the columns of a table. Columns are identified by name or by number from 1; names take precedence.
///
/// Settings for several columns also accept a [range or pattern](crate::columns_meant).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnSelection {
    /// Whether the first line is a header (column names); `None` to detect this.
    pub header: Option<bool>,
    /// Delimiter of text tables; a blank stands for any run of blanks and tabs. `None` for the delimiter of the model's data or, without a
    /// model, the one detected from the first lines.
    pub delimiter: Option<char>,
    /// Quote character of text tables; `None` for that of the model's data or, without a model, double quotes.
    pub quote: Option<Quote>,
    /// Decimal separator of numbers in text tables, a point or a comma; `None` if the user gave none (a point).
    pub decimal: Option<char>,
    /// Column with labels; `None` if the user gave none.
    pub label: Option<String>,
    /// Column with importance weights; `None` if the user gave none.
    pub weight: Option<String>,
    /// Column with numbers of trials per row; labels are then proportions of successes. `None` if the user gave none.
    pub trials: Option<String>,
    /// Column with offsets, which are added to the margin (the linear prediction); `None` if the user gave none.
    pub offset: Option<String>,
    /// Column with exposures, whose logarithms are added to the margin (the linear prediction); `None` if the user gave none.
    pub exposure: Option<String>,
    /// Categorical columns, in which each distinct value is a feature.
    pub categorical: Vec<String>,
    /// Text columns, in which each distinct word is a feature.
    pub text: Vec<String>,
    /// Numeric columns, each of which is a single feature.
    pub numeric: Vec<String>,
    /// Columns that are not used as features.
    pub ignore: Vec<String>,
    /// Column with names of rows, which are repeated in predictions; `None` if none is requested. See
    /// [`Batch::name`](surefoot_glm::Batch::name).
    pub id: Option<String>,
    /// Whether the tags of Vowpal Wabbit rows are used as row names.
    pub tags: bool,
    /// Roles whose columns are not used and may be missing from the data: weights (then 1 for each row), offsets and exposures.
    pub without: Vec<Role>,
}

impl ColumnSelection {
    /// Returns each flag that gives a role to columns: name of the flag, role, and the columns that the user selected with it.
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

    /// Whether columns with this role are not used, so that the data need not have them.
    #[must_use]
    pub fn does_without(&self, role: Role) -> bool {
        self.without.contains(&role)
    }
}
