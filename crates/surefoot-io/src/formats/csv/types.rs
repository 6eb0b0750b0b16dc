//! Inference of column roles, where the user gave none, from the first rows of a CSV table.

use surefoot_glm::Role;
use xxhash_rust::xxh3::xxh3_64;

use super::{cells, looks::CellGuess, rules::Rules};
use crate::{
    formats::{parse_error::RecordError, scan::Scan},
    table::{
        column_names::{called, flagged},
        dialect::Dialect,
    },
    text::cell_value,
};

/// Maximum number of rows examined for the inference.
pub(super) const ROWS: usize = 1000;
/// Number of bytes after which no further rows are examined for the inference; the first row always is.
pub(super) const BYTES: usize = 16 << 20;

/// State of the search for the end of the rows to be examined, which continues as bytes arrive.
#[derive(Debug, Default)]
pub(super) struct Search {
    records: usize,
    at: usize,
    scan: Scan,
}

impl Search {
    /// Returns the number of bytes that hold the rows to be examined, if all of them are among `bytes`, all bytes of the input so far. The
    /// result does not depend on how many bytes have arrived beyond them. Each call continues the search where the last one ended.
    pub(super) fn end(&mut self, bytes: &[u8], dialect: Dialect) -> Result<Option<usize>, RecordError> {
        while self.records <= ROWS && (self.records < 2 || self.at < BYTES) {
            let end = dialect.end(&bytes[self.at..], &mut self.scan);
            let Some(end) = end.map_err(|wrong| RecordError { at: self.at + wrong.at, ..wrong })? else {
                return Ok(None);
            };
            (self.records, self.at, self.scan) = (self.records + 1, self.at + end, Scan::default());
        }
        Ok(Some(self.at))
    }
}

/// First rows of a CSV input, as bytes.
pub(super) struct Rows<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) dialect: Dialect,
    pub(super) last: bool,
}

impl Rows<'_> {
    /// Calls `show` with the column number (from 0), the byte offset and the bytes of each cell of the first `rows` rows from byte offset
    /// `at` on. Skips rows that do not have `columns` cells; they are reported when they are read.
    pub(super) fn each(&self, rows: usize, at: usize, columns: usize, mut show: impl FnMut(usize, usize, &[u8])) {
        self.each_record(rows, at, columns, |start, record, ends| {
            let cells = cells::cells(record, ends).enumerate();
            cells.for_each(|(column, (place, cell))| show(column, start + place, cell));
        });
    }

    /// Calls `show` with the byte offset, the bytes and the cell ends of each of the first `rows` rows from byte offset `at` on, skipping
    /// rows that do not have `columns` cells.
    pub(super) fn each_record(
        &self,
        rows: usize,
        mut at: usize,
        columns: usize,
        mut show: impl FnMut(usize, &[u8], &[usize]),
    ) {
        let mut ends = Vec::with_capacity(columns);
        for _ in 0..rows {
            let Ok(Some((start, record, end))) = self.dialect.first(self.bytes, at, self.last) else {
                return;
            };
            at = end;
            if self.dialect.split(record, &mut ends).is_ok() && ends.len() == columns {
                show(start, record, &ends);
            }
        }
    }

    /// Examines the labels in column number `label` from byte offset `at` on. Returns whether the first label is a boolean, and whether
    /// any label is a word other than a boolean, so that labels are class names. Returns `None` if there are no labels.
    pub(super) fn labels_of_booleans(
        &self,
        at: usize,
        columns: usize,
        label: usize,
        rules: &Rules,
    ) -> Option<(bool, bool)> {
        let (mut first, mut others) = (None, false);
        self.each(ROWS, at, columns, |column, _, cell| {
            let text = self.dialect.text(cell);
            if column != label || rules.is_missing(&text) {
                return;
            }
            let is_boolean = cell_value::boolean(&text).is_some();
            first.get_or_insert(is_boolean);
            others |= !is_boolean && rules.number(&text).is_none();
        });
        first.map(|first| (first, others))
    }

    /// Infers a role for each column that has none.
    ///
    /// # Errors
    /// If a column holds dates; the error locates the first date and suggests remedies.
    pub(super) fn guess(
        &self,
        at: usize,
        names: &[String],
        roles: &[Option<Role>],
        rules: &Rules,
    ) -> Result<Vec<RoleGuess>, RecordError> {
        let mut seen = vec![ColumnContent::default(); names.len()];
        self.each(ROWS, at, names.len(), |column, at, cell| {
            let text = self.dialect.text(cell);
            if roles[column].is_none() && !rules.is_missing(&text) {
                seen[column].meet(&text, at, rules);
            }
        });
        let guess = |(column, seen): (usize, &ColumnContent)| match (roles[column], seen.guess(), &seen.date) {
            (Some(role), ..) => Ok(RoleGuess { role, is_open: false }),
            (None, Some(guess), _) => Ok(guess),
            (None, None, Some((at, token))) => {
                let (called, flagged) = (called(column + 1, &names[column]), flagged(column + 1, &names[column]));
                let message = format!(
                    "{called} holds dates or times: turn them into numbers, leave them out with --ignore {flagged}, or \
                     take them as names with --categorical {flagged}"
                );
                Err(RecordError::new(*at, token, message).fatal())
            }
            (None, None, None) => Ok(RoleGuess { role: Role::Number, is_open: false }),
        };
        seen.iter().enumerate().map(guess).collect()
    }
}

/// Role of a column, given by the user or inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoleGuess {
    pub(super) role: Role,
    /// Whether the role was inferred to be categorical from the first rows; a number in a later row is then an error.
    pub(super) is_open: bool,
}

/// Minimum number of distinct texts for a column that also holds numbers to count as a column of codes; fewer are probably markers of
/// missing values, such as `NA`.
const CODES: usize = 5;
/// A column that holds numbers counts as a column of codes only if at least one in this many cells is a text or an oddly written number.
const ONE_IN: usize = 5;

/// Statistics of the nonmissing cells of a column in the first rows, for inferring its role.
#[derive(Clone, Debug, Default)]
struct ColumnContent {
    numbers: usize,
    /// Number of cells that parse as numbers but are probably codes, because programs rarely write numbers like that: `1e5`, `0012`.
    odd_numbers: usize,
    /// Whether some cell is a mark, such as `?`, that often stands for a missing value.
    has_marks: bool,
    texts: usize,
    /// Number of texts that contain a digit.
    texts_with_digits: usize,
    /// Hashes of the first [`CODES`] distinct texts.
    distinct: Vec<u64>,
    /// Byte offset and text of the first date in the column; `None` if there is none.
    date: Option<(usize, Vec<u8>)>,
}

impl ColumnContent {
    fn meet(&mut self, text: &[u8], at: usize, rules: &Rules) {
        if rules.number(text).is_some() {
            *(if is_odd(text) { &mut self.odd_numbers } else { &mut self.numbers }) += 1;
            return;
        }
        match CellGuess::like(text) {
            Some(looks) if looks.is_numeric() => self.numbers += 1,
            _ if cell_value::boolean(text).is_some() => {}
            Some(CellGuess::Date) => _ = self.date.get_or_insert_with(|| (at, text.to_vec())),
            Some(CellGuess::Missing) => self.has_marks = true,
            _ => {
                self.texts += 1;
                self.texts_with_digits += usize::from(text.iter().any(u8::is_ascii_digit));
                let hash = xxh3_64(text);
                if self.distinct.len() < CODES && !self.distinct.contains(&hash) {
                    self.distinct.push(hash);
                }
            }
        }
    }

    /// Infers the role of the column: categorical if it has texts or marks but no numbers, or if it holds codes, some of which look like
    /// numbers by chance; otherwise numeric, so that a text is an error when it is read. Returns `None` if there are dates.
    fn guess(&self) -> Option<RoleGuess> {
        let all_numbers = self.numbers + self.odd_numbers;
        let like_codes = ONE_IN * (self.texts + self.odd_numbers) >= self.texts + all_numbers;
        let are_codes = self.distinct.len() == CODES && like_codes;
        match all_numbers {
            0 if self.texts > 0 || self.has_marks => {
                let is_open = !(are_codes && 2 * self.texts_with_digits >= self.texts);
                Some(RoleGuess { role: Role::Category, is_open })
            }
            0 if self.date.is_some() => None,
            _ if are_codes => Some(RoleGuess { role: Role::Category, is_open: false }),
            _ => Some(RoleGuess { role: Role::Number, is_open: false }),
        }
    }
}

/// Whether a number is written as programs do not write it: with a leading zero before other digits, or with an exponent but neither a
/// point nor a sign.
fn is_odd(number: &[u8]) -> bool {
    let has_exponent = memchr::memchr2(b'e', b'E', number).is_some();
    let is_plain = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'e' | b'E');
    matches!(number, [b'0', b'0'..=b'9', ..]) || (has_exponent && number.iter().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::options::Options;

    fn guess(cells: impl IntoIterator<Item = impl AsRef<str>>) -> Option<RoleGuess> {
        let (rules, mut seen) = (Rules::new(&Options::default(), b','), ColumnContent::default());
        cells.into_iter().for_each(|cell| seen.meet(cell.as_ref().as_bytes(), 0, &rules));
        seen.guess()
    }

    #[test]
    fn columns_of_numbers_and_texts_are_codes_or_numbers_with_faults() {
        let number = Some(RoleGuess { role: Role::Number, is_open: false });
        let category = |is_open| Some(RoleGuess { role: Role::Category, is_open });
        let hex = |digits: usize| {
            (0..300u64)
                .map(move |n| format!("{:016x}", (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))[..digits].to_owned())
        };
        for digits in [1, 2, 3, 4, 8, 16] {
            assert_eq!(guess(hex(digits)), category(false), "{digits}");
        }
        // Ticket numbers of a ship, codes of diseases, and clothing sizes.
        assert_eq!(
            guess(["113803", "A/5 21171", "PC 17599", "373450", "17463", "CA 2343", "SC 541", "PP 9549"]),
            category(false)
        );
        assert_eq!(
            guess((0..100).map(|n| if n % 4 == 0 { format!("V{}", 30 + n) } else { format!("{}.{}", 250 + n, n % 9) })),
            category(false)
        );
        assert_eq!(guess(["XS", "S", "M", "L", "XL", "38", "40", "42"]), category(false));
        // Numbers mixed with a few words, in many rows or with many different words.
        for words in [&["n/d", "trace", "#REF!", "error"][..], &["?", "-", "n.a.", "unknown", "missing", "."]] {
            assert_eq!(
                guess((0..100).map(|n| if n % 2 == 0 { words[n % words.len()].to_owned() } else { n.to_string() })),
                number
            );
        }
        assert_eq!(guess((0..100).map(|n| if n % 10 == 0 { format!("about {n}") } else { n.to_string() })), number);
        assert_eq!(guess(["1e5", "2e3", "0012"]), number);
        assert_eq!(guess(["1,5", "2,5", "12 %"]), number);
        // Names, for which a later number is an error, and codes, for which it is not.
        assert_eq!(guess(["red", "blue"]), category(true));
        assert_eq!(guess(["Rome", "Oslo", "Bern", "Bonn", "Paris", "Lima"]), category(true));
        assert_eq!(guess(["a1", "b2", "c3", "d4", "e5f"]), category(false));
        assert_eq!(guess(["?", "?"]), category(true));
        assert_eq!((guess(["true", "false"]), guess([""; 0])), (number, number));
        assert_eq!(guess(["2020-01-31"]), None);
    }
}
