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
/// ends with these bytes; `table` holds the columns of a model or an earlier file. Returns `None` if more lines are needed.
///
/// A line may end later with one delimiter than with another, where quotes open at other places. So that the result does not depend on how
/// the bytes are split as they arrive, it is that of the fewest bytes that suffice: see [`LineEnds`].
pub(super) fn find(bytes: &[u8], last: bool, dialect: Dialect, table: Option<&TableSchema>) -> Option<u8> {
    let usual = dialect.delimiter;
    let others = TRIED.into_iter().filter(move |&tried| tried != usual && dialect.quote != Some(tried));
    let tried: Vec<u8> = std::iter::once(usual).chain(others).collect();
    let ends = LineEnds::new(bytes, dialect, &tried);
    let seen = ends.sample(&tried, 1, last)?;
    if let Some(known) = table.filter(|table| table.header) {
        let names: HashSet<&str> = known.columns.iter().map(|column| column.name.as_str()).collect();
        let hits =
            |delimiter| seen.lines(delimiter).names().iter().filter(|name| names.contains(name.as_str())).count();
        let best = tried.iter().copied().rev().max_by_key(|&delimiter| hits(delimiter)).filter(|&best| hits(best) > 0);
        if best.is_some() {
            return best;
        }
    }
    let parts = |delimiter| seen.lines(delimiter).width_of_first().is_some_and(|width| width > 1);
    let mut rivals: Vec<u8> = tried.iter().copied().filter(|&tried| tried != BLANKS && parts(tried)).collect();
    let are_blanks = parts(BLANKS) && rivals.iter().all(|&rival| seen.lines(rival).holds_numbers_apart());
    if (rivals.is_empty() || rivals == [usual]) && !are_blanks {
        return Some(usual);
    }
    // A single unusual candidate needs a second line that agrees; several candidates need more lines.
    let needed = if rivals.len() == 1 && !are_blanks { 2 } else { LINES };
    rivals.extend(are_blanks.then_some(BLANKS));
    let seen = ends.sample(&rivals, needed, last)?;
    let agreed = rivals.into_iter().rev().filter_map(|rival| Some((rival, seen.lines(rival).plain_share(needed)?)));
    Some(agreed.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(usual, |(found, _)| found))
}

/// Whether the first lines of a text form a table with this delimiter: all have the same number of cells, at least two. The last line may
/// be incomplete.
pub(super) fn is_table(head: &[u8], delimiter: u8) -> bool {
    let lines = |last| Lines::new(head, Dialect::usual(delimiter), last);
    lines(false).plain_share(LINES).or_else(|| lines(true).plain_share(1)).is_some()
}

/// Ends of the first [`LINES`] lines of a text that have arrived, with each candidate delimiter.
struct LineEnds<'a> {
    bytes: &'a [u8],
    dialect: Dialect,
    ends: Vec<(u8, Vec<usize>)>,
}

impl<'a> LineEnds<'a> {
    fn new(bytes: &'a [u8], dialect: Dialect, tried: &[u8]) -> LineEnds<'a> {
        let of = |&delimiter: &u8| (delimiter, Lines::new(bytes, dialect.with(delimiter), false).ends(LINES));
        LineEnds { bytes, dialect, ends: tried.iter().map(of).collect() }
    }

    /// Returns the first bytes of the text in which each of these `candidates` has `count` lines, but no more than those in which some
    /// delimiter has [`LINES`], since a quote that stands alone may never close. If there are too few lines, returns the whole text if it
    /// has ended, otherwise `None`.
    fn sample(&self, candidates: &[u8], count: usize, last: bool) -> Option<Sample<'a>> {
        let of = |candidate: &u8| self.ends.iter().find(|(delimiter, _)| delimiter == candidate);
        let end = |candidate: &u8| of(candidate).and_then(|(_, ends)| ends.get(count - 1).copied());
        let of_all = candidates.iter().map(end).collect::<Option<Vec<_>>>().and_then(|ends| ends.into_iter().max());
        let most = self.ends.iter().filter_map(|(_, ends)| ends.get(LINES - 1).copied()).min();
        let dialect = self.dialect;
        match of_all.into_iter().chain(most).min() {
            Some(end) => Some(Sample { bytes: &self.bytes[..end], dialect, last: false }),
            None => last.then_some(Sample { bytes: self.bytes, dialect, last }),
        }
    }
}

/// First bytes of a text from which its delimiter is determined.
#[derive(Clone, Copy)]
struct Sample<'a> {
    bytes: &'a [u8],
    dialect: Dialect,
    /// Whether the text ends with these bytes, so that a last line needs no line break.
    last: bool,
}

impl<'a> Sample<'a> {
    fn lines(self, delimiter: u8) -> Lines<'a> {
        Lines::new(self.bytes, self.dialect.with(delimiter), self.last)
    }
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

    /// Returns the position after each of the first `count` lines, without those from the first invalid one on.
    fn ends(mut self, count: usize) -> Vec<usize> {
        let end = |_| self.next().flatten().map(|_| self.at);
        (0..count).map_while(end).collect()
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
