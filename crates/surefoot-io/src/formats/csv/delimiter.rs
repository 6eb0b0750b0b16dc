//! Detection of the delimiter of a CSV text from its first lines, if the user did not give one.

use std::collections::HashSet;

use surefoot_glm::TableSchema;

use super::{
    cells::{self, BLANKS},
    looks::CellGuess,
};
use crate::{
    table::dialect::Dialect,
    text::{cell_value::any_number, printable::text_of},
};

/// Delimiters that are tried in addition to the format's default, most likely first.
const TRIED: [u8; 5] = [b',', b'\t', b';', b'|', BLANKS];
/// Number of lines examined if the first line or two leave several delimiters possible.
const LINES: usize = 10;

/// Returns the delimiter of a text that begins with `bytes`: that of `dialect` unless the lines suggest another. `last` is true if the text
/// ends with these bytes; `table` holds the columns of a model or an earlier file. Returns `None` if more lines are needed; the result does
/// not depend on how the bytes are split as they arrive.
pub(super) fn find(bytes: &[u8], last: bool, dialect: Dialect, table: Option<&TableSchema>) -> Option<u8> {
    let usual = dialect.delimiter;
    let lines = |delimiter| Lines::new(bytes, dialect.with(delimiter), last);
    let first = lines(usual).first_of(1)?;
    let others = TRIED.into_iter().filter(move |&tried| tried != usual && dialect.quote != Some(tried));
    let tried = || std::iter::once(usual).chain(others.clone());
    if let Some(known) = table.filter(|table| table.header) {
        let names: HashSet<&str> = known.columns.iter().map(|column| column.name.as_str()).collect();
        let hits = |delimiter| lines(delimiter).names().iter().filter(|name| names.contains(name.as_str())).count();
        let best = tried().rev().max_by_key(|&delimiter| hits(delimiter)).filter(|&best| hits(best) > 0);
        if best.is_some() {
            return best;
        }
    }
    let parts = |delimiter| lines(delimiter).width_of_first().is_some_and(|width| width > 1);
    let rivals: Vec<u8> = tried().filter(|&tried| tried != BLANKS && parts(tried)).collect();
    let are_blanks = parts(BLANKS) && rivals.iter().all(|&rival| lines(rival).holds_numbers_apart());
    if first.is_empty() || (rivals == [usual] && !are_blanks) {
        return Some(usual);
    }
    // A single unusual candidate needs a second line that agrees; several candidates need more lines.
    let needed = if rivals.len() == 1 && !are_blanks { 2 } else { LINES };
    let rivals = rivals.into_iter().chain(are_blanks.then_some(BLANKS)).collect::<Vec<_>>();
    let whole = tried().map(|tried| lines(tried).count_of(needed)).max().unwrap_or(0);
    if whole < needed && !last {
        return None;
    }
    let agreed = rivals.into_iter().rev().filter_map(|rival| Some((rival, lines(rival).plain_share(needed)?)));
    Some(agreed.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(usual, |(found, _)| found))
}

/// Whether the first lines of a text form a table with this delimiter: all have the same number of cells, at least two. The last line may
/// be incomplete.
pub(super) fn is_table(head: &[u8], delimiter: u8) -> bool {
    let lines = |last| Lines::new(head, Dialect::usual(delimiter), last);
    lines(false).plain_share(LINES).or_else(|| lines(true).plain_share(1)).is_some()
}

/// Iterator over the nonblank lines at the start of a text, with methods that split a line into cells according to a dialect.
struct Lines<'a> {
    bytes: &'a [u8],
    dialect: Dialect,
    last: bool,
    at: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8], dialect: Dialect, last: bool) -> Lines<'a> {
        Lines { bytes, dialect, last, at: 0 }
    }

    /// Returns the first `count` lines, or all lines if the text has ended before; `None` if fewer have arrived and more bytes may follow.
    fn first_of(self, count: usize) -> Option<Vec<&'a [u8]>> {
        let last = self.last;
        let lines: Vec<_> = self.take(count).flatten().collect();
        (last || lines.len() == count).then_some(lines)
    }

    fn count_of(self, count: usize) -> usize {
        self.take(count).flatten().count()
    }

    fn width_of_first(mut self) -> Option<usize> {
        let (line, mut ends) = (self.next()??, Vec::new());
        self.dialect.split(line, &mut ends).ok().map(|()| ends.len())
    }

    /// Returns the texts of the cells of the first line, which are column names if the line is a header.
    fn names(mut self) -> Vec<String> {
        let (dialect, mut ends) = (self.dialect, Vec::new());
        match self.next() {
            Some(Some(line)) if dialect.split(line, &mut ends).is_ok() => {
                cells::cells(line, &ends).map(|(_, cell)| text_of(&dialect.text(cell))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether some cell of the first line consists of several numbers separated by blanks, so that a blank may be the delimiter.
    fn holds_numbers_apart(mut self) -> bool {
        let (dialect, mut ends) = (self.dialect, Vec::new());
        match self.next() {
            Some(Some(line)) if dialect.split(line, &mut ends).is_ok() => {
                cells::cells(line, &ends).any(|(_, cell)| are_numbers(cell))
            }
            _ => false,
        }
    }

    /// Returns the fraction of cells in the first `count` lines that look like a single value; `None` unless these lines have the same
    /// number of cells, at least two.
    fn plain_share(self, count: usize) -> Option<f64> {
        let (dialect, mut ends) = (self.dialect, Vec::new());
        let (mut width, mut plain, mut all) = (None, 0, 0);
        for line in self.take(count) {
            let line = line?;
            dialect.split(line, &mut ends).ok()?;
            if ends.len() < 2 || *width.get_or_insert(ends.len()) != ends.len() {
                return None;
            }
            all += ends.len();
            plain += cells::cells(line, &ends).filter(|(_, cell)| is_whole(cell, dialect)).count();
        }
        (all > 0).then(|| plain as f64 / all as f64)
    }
}

/// Whether a cell consists of several numbers separated by blanks.
fn are_numbers(cell: &[u8]) -> bool {
    let parts = || cell.split(|byte| matches!(byte, b' ' | b'\t')).filter(|part| !part.is_empty());
    parts().count() > 1 && parts().all(|part| any_number(part).is_some())
}

/// Whether a cell looks like a single value: quoted, a number, a recognised notation such as a date, or a text without candidate delimiters
/// other than blanks.
fn is_whole(cell: &[u8], dialect: Dialect) -> bool {
    if are_numbers(cell) {
        return false;
    }
    let text = dialect.text(cell);
    let is_quoted = dialect.quote.is_some() && cell.trim_ascii_start().first().copied() == dialect.quote;
    is_quoted
        || any_number(&text).is_some()
        || CellGuess::like(&text).is_some()
        || !text.iter().any(|byte| TRIED.contains(byte) && *byte != BLANKS)
}

impl<'a> Iterator for Lines<'a> {
    /// Complete line; an inner `None` means that the text is invalid in this dialect.
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Option<&'a [u8]>> {
        match self.dialect.first(self.bytes, self.at, self.last) {
            Err(_) => Some(None),
            Ok(found) => found.map(|(_, line, end)| {
                self.at = end;
                Some(line)
            }),
        }
    }
}
