//! Decision whether the first line of a CSV table is a header (column names) or a row.
//!
//! If no flag decides, each column votes: it compares the likelihood of its first cell as a name with its likelihood as a cell like the
//! ones below it. A number above numbers favours a row, and a text above numbers a name. If texts recur below, a first cell that recurs
//! favours a row, and a new text a name.

use std::collections::HashMap;

use surefoot_glm::{Role, TableSchema};
use xxhash_rust::xxh3::xxh3_64;

use super::{cells, first_record::FirstRecord, looks::CellGuess, rules::Rules, types::Rows};
use crate::{
    features::row_builder::{Group, slot},
    table::{column_names::folded, column_selection::ColumnSelection, options::Options},
    text::cell_value,
};

/// Probability that a column name is a number although the names of other columns are texts.
const NUMBER_AS_NAME: f64 = 0.02;
/// Probability that a column name is empty: for the first column, and for any other. A table saved with row numbers often has no first
/// name.
const NO_NAME: [f64; 2] = [0.1, 0.02];
/// Probability that a column name also occurs as a value of the column or as the name of another column.
const NAME_AGAIN: f64 = 0.02;
/// Probability that the column names of a header are numbers in arithmetic progression, such as years or positions.
const SEQUENCE_OF_NAMES: f64 = 0.05;
/// Maximum absolute vote of one column for or against a header, as a log likelihood ratio.
const MOST: f64 = 4.0;
/// If the absolute value of the sum of all votes (log likelihood ratios) is below this, the user is told that the decision is uncertain.
const SURE: f64 = 2.0;
/// Maximum number of rows examined below the first line.
const ROWS: usize = 200;

/// Decision whether the first line is a header (column names) or a row, and whether this is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderGuess {
    pub(super) is_header: bool,
    pub(super) is_sure: bool,
}

/// Kind of content of a cell: number (or boolean), missing, or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Number,
    Gap,
    Text,
}

fn kind(text: &[u8], rules: &Rules) -> Cell {
    if rules.is_missing(text) {
        return Cell::Gap;
    }
    match rules.number(text) {
        Some(_) => Cell::Number,
        None if cell_value::boolean(text).is_some() => Cell::Number,
        None => match CellGuess::like(text) {
            Some(CellGuess::Missing) => Cell::Gap,
            Some(looks) if looks.is_numeric() => Cell::Number,
            _ => Cell::Text,
        },
    }
}

/// Decides whether the first record is a header if this is clear without the rows below. Returns `true` if a flag names one of its cells or
/// gives the label by name; `false` if its cells are all numbers or missing and the numbers are not in arithmetic progression; otherwise
/// `None`.
pub(super) fn at_once(first: &FirstRecord<'_>, rules: &Rules, wanted: &ColumnSelection) -> Option<bool> {
    let names = first.names(true);
    let by_name = |given: &String| {
        // A number may be the position of a column.
        let is_number = given.parse::<usize>().is_ok_and(|number| (1..=names.len()).contains(&number));
        !is_number && names.contains(given)
    };
    let singles = [&wanted.label, &wanted.weight, &wanted.offset, &wanted.exposure];
    let lists = [&wanted.categorical, &wanted.text, &wanted.numeric, &wanted.ignore];
    if singles.into_iter().flatten().chain(lists.into_iter().flatten()).any(by_name) {
        return Some(true);
    }
    if wanted.label.as_ref().is_some_and(|label| label.parse::<usize>().is_err()) {
        return Some(true);
    }
    let kinds: Vec<_> = first.cells().map(|(_, cell)| kind(&rules.dialect.text(cell), rules)).collect();
    let is_row = kinds.contains(&Cell::Number) && !kinds.contains(&Cell::Text);
    (is_row && sequence(first.cells().map(|(_, cell)| cell), rules).is_none()).then_some(false)
}

/// Returns the number of numeric cells if they are integers in arithmetic progression, at least three of them or at least two that may be
/// years; otherwise `None`.
fn sequence<'a>(cells: impl Iterator<Item = &'a [u8]>, rules: &Rules) -> Option<usize> {
    let numbers: Vec<f64> = cells.filter_map(|cell| rules.number(&rules.dialect.text(cell))).collect();
    let (first, second) = (numbers.first()?, numbers.get(1)?);
    let step = second - first;
    let is_year = |x: &f64| (1800.0..2200.0).contains(x);
    let enough = numbers.len() > 2 || (numbers.iter().all(is_year) && step > 0.0);
    let follows = numbers.windows(2).all(|two| two[1] - two[0] == step);
    (enough && step != 0.0 && follows && numbers.iter().all(|x| x.fract() == 0.0)).then_some(numbers.len())
}

/// Number of cells of each kind (number, missing, text) in a column, in the examined rows below the first line.
#[derive(Clone, Debug, Default)]
struct ColumnSample {
    numbers: usize,
    gaps: usize,
    /// Number of occurrences of each distinct text, keyed by the hash of the text.
    texts: HashMap<u64, u32>,
}

impl ColumnSample {
    fn count(&self) -> usize {
        self.numbers + self.gaps + self.texts()
    }

    fn texts(&self) -> usize {
        self.texts.values().map(|&count| count as usize).sum()
    }

    /// Estimates the probability that the cell in a new row is of a certain kind, given that `count` of the examined rows have a cell of
    /// this kind.
    fn share(&self, count: usize) -> f64 {
        (count as f64 + 0.5) / (self.count() as f64 + 1.0)
    }

    /// Estimates the probability that the text in a new row is unseen in the column, from the fraction of its texts that occur exactly
    /// once.
    fn novelty(&self) -> f64 {
        let once = self.texts.values().filter(|&&count| count == 1).count();
        (once as f64 + 1.0) / (self.texts() as f64 + 2.0)
    }
}

impl Rows<'_> {
    /// Decides from the rows below whether the first record is a header (column names); `None` if there are no rows below and the first
    /// record holds no number.
    pub(super) fn verdict(&self, first: &FirstRecord<'_>, rules: &Rules) -> Option<HeaderGuess> {
        let cells: Vec<_> = first.cells().map(|(_, cell)| rules.dialect.text(cell)).collect();
        let kinds: Vec<_> = cells.iter().map(|text| kind(text, rules)).collect();
        let mut below = vec![ColumnSample::default(); cells.len()];
        self.each(ROWS, first.end, cells.len(), |column, _, cell| {
            let text = rules.dialect.text(cell);
            match kind(&text, rules) {
                Cell::Number => below[column].numbers += 1,
                Cell::Gap => below[column].gaps += 1,
                Cell::Text => *below[column].texts.entry(xxh3_64(&text)).or_default() += 1,
            }
        });
        if below.iter().all(|below| below.count() == 0) {
            return kinds.contains(&Cell::Number).then_some(HeaderGuess { is_header: false, is_sure: true });
        }
        let sequence = self.sequence_vote(first, rules, cells.len());
        let mut votes = sequence.unwrap_or(0.0);
        for (column, (text, kind)) in cells.iter().zip(&kinds).enumerate() {
            let below = &below[column];
            let vote = match kind {
                Cell::Number if sequence.is_some() => 0.0,
                Cell::Number => (NUMBER_AS_NAME / below.share(below.numbers)).ln(),
                Cell::Gap => (NO_NAME[column.min(1)] / below.share(below.gaps)).ln(),
                Cell::Text => text_vote(text, below),
            };
            votes += vote.clamp(-MOST, MOST);
        }
        let mut names = HashMap::new();
        let twice = cells.iter().zip(&kinds).any(|(text, kind)| {
            *kind == Cell::Text && std::mem::replace(names.entry(text.clone()).or_insert(false), true)
        });
        votes += if twice { NAME_AGAIN.ln() } else { 0.0 };
        Some(HeaderGuess { is_header: votes > 0.0, is_sure: votes.abs() >= SURE })
    }

    /// Returns the vote on a first line that consists of numbers in arithmetic progression: the log ratio of the probability that they are
    /// names to the probability that they are a row. Returns `None` if the line is of another kind.
    fn sequence_vote(&self, first: &FirstRecord<'_>, rules: &Rules, columns: usize) -> Option<f64> {
        let length = sequence(first.cells().map(|(_, cell)| cell), rules)?;
        let (mut rows, mut also) = (0u32, 0u32);
        self.each_record(ROWS, first.end, columns, |_, record, ends| {
            rows += 1;
            also += u32::from(sequence(cells::cells(record, ends).map(|(_, cell)| cell), rules).is_some());
        });
        let share = (f64::from(also) + 0.5) / (f64::from(rows) + 1.0);
        // If no other row is a progression, the chance of one decreases with the count of numbers.
        let chance = if also == 0 { share.min(0.1f64.powi(length.max(3) as i32 - 1)) } else { share };
        Some((SEQUENCE_OF_NAMES / chance).ln())
    }
}

/// Returns the vote of a text in the first line: the log ratio of the probability that it is a column name to the probability that it is a
/// cell like those below.
fn text_vote(text: &[u8], below: &ColumnSample) -> f64 {
    let kind = (0.96 / below.share(below.texts())).ln();
    if below.texts.is_empty() {
        return kind;
    }
    let novelty = below.novelty();
    let value = if below.texts.contains_key(&xxh3_64(text)) {
        NAME_AGAIN / (1.0 - novelty).max(NAME_AGAIN)
    } else {
        (1.0 - NAME_AGAIN) / novelty
    };
    kind + value.ln()
}

/// Decides whether the first line of a file is a header, given the columns of a model or an earlier file.
///
/// # Errors
/// If columns are identified by name, but the line holds a number and none of the names.
pub(super) fn of_known(
    table: &TableSchema,
    first: &FirstRecord<'_>,
    rules: &Rules,
    options: &Options,
) -> Result<bool, String> {
    let of = if options.found.of_model { "the model" } else { "the first file" };
    let kinds = || first.cells().map(|(_, cell)| kind(&rules.dialect.text(cell), rules));
    if !table.header {
        // Columns go by position: a header has text at every position of a number, as far as its cells are not missing.
        let is_number = |n: usize| table.columns.get(n).is_some_and(|column| column.role == Role::Number);
        let over_numbers = || kinds().enumerate().filter(|&(n, kind)| is_number(n) && kind != Cell::Gap);
        let texts = over_numbers().filter(|(_, kind)| *kind == Cell::Text).count();
        let is_header = match over_numbers().count() {
            0 => options.found.of_model && holds_no_known(table, first, rules, options),
            numbers => texts == numbers,
        };
        if is_header {
            let message = format!(
                "line 1 was taken for names, which {of} does not have: columns go by their place; if it is a row, say --header no"
            );
            options.found.note(message);
        }
        return Ok(is_header);
    }
    let names = first.names(true);
    let is_known = |name: &String| table.columns.iter().any(|column| columns_alike(&column.name, name));
    if names.iter().any(is_known) || !kinds().any(|kind| kind == Cell::Number) {
        return Ok(true);
    }
    Err(format!(
        "this line holds none of the names of columns of {of}; if it is a row, --header no takes columns by their place"
    ))
}

/// Whether the table has categorical columns and the first record has an unknown value in all of them, that is, a value without a named
/// feature.
fn holds_no_known(table: &TableSchema, first: &FirstRecord<'_>, rules: &Rules, options: &Options) -> bool {
    let mut cells = first.cells().zip(&table.columns).filter(|(_, column)| column.role == Role::Category).peekable();
    cells.peek().is_some()
        && cells.all(|((_, cell), column)| {
            let id = Group::named(column.name.as_bytes()).id(&rules.category(&rules.dialect.text(cell)));
            !options.found.knows(slot(id, options.reading.bits))
        })
}

/// Whether two column names are equal up to blanks, punctuation and case.
fn columns_alike(a: &str, b: &str) -> bool {
    a == b || folded(a) == folded(b)
}
