//! Flags about data: what they are and how their rows are read.

use super::FormatName;
use crate::flags::values;
use clap::{Args, ValueEnum};
use surefoot_glm::{Missing, Quote};

/// How data are read: stored in the model. `fit` takes them as given; where a model exists already they are compared with
/// it, and a difference is an error.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataArgs {
    /// Format of the data [default: by extension, else by content]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatName>,

    /// Column of the labels, by name or by number from 1 (tables)
    ///
    /// Columns go by name or number everywhere; a name wins.
    #[arg(long, value_name = "COL")]
    pub(crate) label: Option<String>,

    /// Column of importance weights (tables)
    #[arg(long, value_name = "COL")]
    pub(crate) weight: Option<String>,

    /// Column of numbers of trials: labels are shares of successes among them, between 0 and 1 (tables, --loss logistic)
    ///
    /// A row counts as so many rows, of which that share is positive: a binomial model. For k successes of n trials the label is k/n. A
    /// row of 0 trials counts like one of weight 0; --weight multiplies.
    #[arg(long, value_name = "COL")]
    pub(crate) trials: Option<String>,

    /// Column of what is added to margins, beside the weights (tables)
    ///
    /// What is known before: the logarithm of an exposure, or the margin that another model predicts. In Vowpal Wabbit text it
    /// is the base.
    #[arg(long, value_name = "COL")]
    pub(crate) offset: Option<String>,

    /// Column of exposures above 0, whose logarithms are added to margins (tables)
    #[arg(long, value_name = "COL", conflicts_with = "offset")]
    pub(crate) exposure: Option<String>,

    /// Columns whose values are names of classes; of a list each value is one (tables)
    ///
    /// COLS is a list with commas of names, numbers, ranges such as 15-40 and patterns such as x*; names with commas stand in
    /// double quotes; the flag may be repeated. A column that is not declared is numeric if each of its first 1000 cells is
    /// a number, and categorical if none is, or if it holds codes: five different texts or more, in a fifth of the cells or more.
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) categorical: Vec<values::Columns>,

    /// Columns of text whose words are features (tables)
    ///
    /// A word is a run of letters and digits with the marks on them, in lower case and composed (Unicode NFC); it is a feature COL=word of value 1, however often it stands in the cell.
    /// A list counts as one text. A cell that is empty or null has no words, which is an error only for other columns; with --missing
    /// indicator or mean it is a feature of its own. NA, None and the like are words, unless --na names them.
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) text: Vec<values::Columns>,

    /// Columns whose values are numbers; of lists and vectors each number is a feature (tables)
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) numeric: Vec<values::Columns>,

    /// Columns, namespaces or indices of svmlight to pass over, such as 3,10-20
    #[arg(long, value_name = "COLS", value_parser = values::columns)]
    pub(crate) ignore: Vec<values::Columns>,

    /// Columns, namespaces or indices to make features of; all others are passed over
    #[arg(long, value_name = "NAMES", value_parser = values::columns)]
    pub(crate) keep: Vec<values::Columns>,

    /// What a missing cell is (tables) [default: error]
    ///
    /// With mean a number counts as the mean of its column over the rows of DATA, which are read once more for it before they are
    /// learnt; the means are kept in the model. Rows of weight 0 do not count in it.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) missing: Option<MissingName>,

    /// Cells that count as missing, beside empty ones and NA, nan, null and the like (tables)
    #[arg(long, value_name = "TOKENS", value_parser = values::columns, allow_hyphen_values = true)]
    pub(crate) na: Vec<values::Columns>,

    /// Take NA, None, nan, null and the like for what they say: only empty cells, and those of --na, are missing (tables)
    #[arg(long)]
    pub(crate) no_default_na: bool,

    /// Whether the first line names the columns (csv) [default: found out]
    #[arg(long, value_enum, value_name = "WHETHER")]
    pub(crate) header: Option<Whether>,

    /// What stands between cells (csv) [default: what the first lines agree on]
    ///
    /// A blank, ' ', stands for any run of blanks and tabs. It is about the files that are read, whatever those of the model had.
    #[arg(long, value_name = "C", value_parser = values::delimiter)]
    pub(crate) delimiter: Option<char>,

    /// What encloses cells in which delimiters and line breaks are text, or none, where quotes are only text (csv) [default: "]
    #[arg(long, value_name = "C", value_parser = values::quote)]
    pub(crate) quote: Option<Quote>,

    /// What numbers have for a decimal point: a point or a comma (csv) [default: a point]
    #[arg(long, value_name = "C", value_parser = values::decimal)]
    pub(crate) decimal: Option<char>,

    /// Multiply the features of two columns or namespaces
    ///
    /// Each feature of A with each of B, on the fly; the flag may be repeated.
    #[arg(long, value_name = "A:B", value_parser = values::interaction)]
    pub(crate) interact: Vec<(String, String)>,

    /// Hash features to this many bits
    ///
    /// By default a feature that has a name has an id of 64 bits, and an index is an id as it is. Fewer bits bound the memory that
    /// a model takes; features may then share an id. Ids are hashes without a secret (XXH3): that two of a million names share one of
    /// 64 bits has a chance of 1 in 37 million, but whoever chooses a category value or a name can choose its id, and so make it
    /// that of another feature. Where people choose values whose predictions matter to them, give features as numbers or as indices of
    /// svmlight, which are ids as they are.
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) bits: Option<u8>,

    /// Smallest index that is legal in svmlight data: 0 or 1 [default: 0]
    ///
    /// Indices are names and never shifted; with 1, an index 0 is an error.
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub(crate) index_base: Option<u8>,
}

/// The names of [`Missing`] on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingName {
    /// The row is at fault
    Error,
    /// A feature of its own; a number counts as 0
    Indicator,
    /// A feature of its own; a number counts as the mean of its column
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

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub(crate) enum Whether {
    /// It does
    Yes,
    /// It does not
    No,
}
