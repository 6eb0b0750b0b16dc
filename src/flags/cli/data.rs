//! Flags about data: the format, the columns and how rows are read.

use super::FormatName;
use crate::flags::values;
use clap::{Args, ValueEnum};
use surefoot_glm::{Missing, Quote};

/// Flags about how data are read, which the model stores. `fit` takes them as given; where a model exists already they are compared with
/// it, and a difference is an error.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataArgs {
    /// Format of the data [default: by extension, else by content]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,

    /// Column of the labels, by name or by number from 1 (tables)
    ///
    /// All flags take columns by name or number; where both are possible, the name wins.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,

    /// Column of importance weights (tables)
    #[arg(long, value_name = "COL")]
    pub(crate) weight: Option<String>,

    /// Column of numbers of trials: labels are shares of successes among them, between 0 and 1 (tables, --loss logistic)
    ///
    /// A row of n trials counts as n rows, of which that share is positive: a binomial model. For k successes of n trials the label is k/n. A
    /// row of 0 trials counts as one of weight 0; --weight multiplies.
    #[arg(long, value_name = "COL")]
    pub(crate) trials: Option<String>,

    /// Column that is added to margins, with a fixed weight of 1 (tables)
    ///
    /// For instance the logarithm of an exposure, or the margin of another model. In Vowpal Wabbit text it is the base.
    #[arg(long, value_name = "COL")]
    pub(crate) offset: Option<String>,

    /// Column of exposures above 0, whose logarithms are added to margins (tables)
    #[arg(long, value_name = "COL", conflicts_with = "offset")]
    pub(crate) exposure: Option<String>,

    /// Columns of categories, with one feature per value; a list holds several values (tables)
    ///
    /// COLS is a comma-separated list of names, numbers, ranges such as 15-40 and patterns such as x*; names with commas go into
    /// double quotes; the flag may be repeated. An undeclared column is numeric if each of its first 1000 cells is
    /// a number, and categorical if none is, or if it holds codes: five different texts or more, in a fifth of the cells or more.
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) categorical: Vec<values::Columns>,

    /// Columns of text whose words are features (tables)
    ///
    /// A word is a run of letters and digits with their marks, in lower case and composed (Unicode NFC); it is a feature COL=word of value 1, however often it occurs in the cell.
    /// A list counts as one text. A cell that is empty or null has no words, which is an error only for other columns; with --missing
    /// indicator or mean it is a feature of its own. NA, None and the like are words, unless --na names them.
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) text: Vec<values::Columns>,

    /// Columns of numbers; lists and vectors have one feature per number (tables)
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) numeric: Vec<values::Columns>,

    /// Columns, namespaces or indices of svmlight to leave out, such as 3,10-20
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) ignore: Vec<values::Columns>,

    /// Columns, namespaces or indices to use; all others are left out
    #[arg(long, value_name = "NAMES", value_parser = values::columns)]
    pub(crate) keep: Vec<values::Columns>,

    /// Treatment of missing cells (tables) [default: error]
    ///
    /// With mean a missing number counts as the mean of its column over the rows of DATA, which are read once more before they are
    /// learnt; the model stores the means. Rows of weight 0 do not count.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) missing: Option<MissingName>,

    /// More texts that count as missing, besides empty cells and NA, nan, null and the like (tables)
    #[arg(long, value_name = "TOKENS", value_parser = values::columns, allow_hyphen_values = true)]
    pub(crate) na: Vec<values::Columns>,

    /// Take NA, None, nan, null and the like literally: only empty cells, and those of --na, are missing (tables)
    #[arg(long)]
    pub(crate) no_default_na: bool,

    /// Whether the first line names the columns (csv) [default: by its content]
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub(crate) header: Option<YesNo>,

    /// Delimiter of cells (csv) [default: the one that the first lines agree on]
    ///
    /// A blank, ' ', stands for any run of blanks and tabs. The flag applies to the files that are read, whatever the training data had.
    #[arg(long, value_name = "C", value_parser = values::delimiter)]
    pub(crate) delimiter: Option<char>,

    /// Quote around cells that contain delimiters or line breaks; none takes quotes as text (csv) [default: "]
    #[arg(long, value_name = "C", value_parser = values::quote)]
    pub(crate) quote: Option<Quote>,

    /// Decimal point of numbers: a point or a comma (csv) [default: a point]
    #[arg(long, value_name = "C", value_parser = values::decimal)]
    pub(crate) decimal: Option<char>,

    /// Add the products of the features of two columns or namespaces
    ///
    /// Each feature of A is multiplied with each of B as rows are read; the flag may be repeated.
    #[arg(long, value_name = "A:B", value_parser = values::interaction)]
    pub(crate) interact: Vec<(String, String)>,

    /// Hash features to this many bits
    ///
    /// By default names are hashed to 64 bits, and an index is its own id. Fewer bits limit the memory of a model; features may then share
    /// an id. Ids are hashes without a secret (XXH3): that two of a million names share one of 64 bits has a chance of 1 in 37 million, but
    /// whoever chooses a category value or a name can choose its id, and so make it that of another feature. Where people choose values
    /// whose predictions matter to them, give features as numbers or as indices of svmlight, which are ids as they are.
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) bits: Option<u8>,

    /// Smallest index that is legal in svmlight data: 0 or 1 [default: 0]
    ///
    /// Indices are used as names and never shifted; with 1, an index 0 is an error.
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub(crate) index_base: Option<u8>,
}

/// Treatments of missing cells in `--missing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingName {
    /// Treat the row as bad, which is an error unless bad rows are skipped
    Error,
    /// Add an indicator feature for the cell; a missing number counts as 0
    Indicator,
    /// Add an indicator feature for the cell; a missing number counts as the mean of its column
    Mean,
}

impl From<MissingName> for Missing {
    fn from(name: MissingName) -> Missing {
        match name {
            MissingName::Error => Missing::Refuse,
            MissingName::Indicator => Missing::Indicator,
            MissingName::Mean => Missing::Mean,
        }
    }
}

/// Value of a flag that is either `yes` or `no`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub(crate) enum YesNo {
    /// Turns the setting on
    Yes,
    /// Turns the setting off
    No,
}
