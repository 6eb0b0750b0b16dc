//! Guess of what a cell that is not a number may mean, for hints in error messages.

/// Likely meaning of a cell that cannot be parsed as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellGuess {
    /// Number with thousands separators: `1,234.5`.
    Thousands,
    /// Number with a decimal comma: `1.234,5`.
    DecimalComma,
    /// Number with a percent or currency sign: `12 %`.
    Unit,
    /// Number in quotes: `'12'`, or `"12"` after a blank.
    Quoted,
    /// Date or time: `2011-01-31`.
    Date,
    /// Text that often marks a missing value, such as `?`.
    Missing,
}

impl CellGuess {
    /// Guesses the meaning of a cell, ignoring surrounding blanks; `None` if the cell looks like ordinary text.
    pub(super) fn like(cell: &[u8]) -> Option<CellGuess> {
        let text = std::str::from_utf8(cell).ok()?.trim();
        let bare = text.trim_start_matches(['-', '+', '$', '€', '£']).trim_end_matches(['%', '$', '€', '£']).trim();
        if is_missing(text) {
            Some(CellGuess::Missing)
        } else if is_date(text) {
            Some(CellGuess::Date)
        } else if is_quoted_number(text) {
            Some(CellGuess::Quoted)
        } else if bare != text && bare.parse::<f64>().is_ok_and(f64::is_finite) {
            Some(CellGuess::Unit)
        } else if has_thousands(bare, &[',', '\'', ' ', '_', '\u{a0}'], '.') {
            Some(CellGuess::Thousands)
        } else if has_thousands(bare, &['.', '\'', ' ', '\u{a0}'], ',') {
            Some(if bare.contains(',') { CellGuess::DecimalComma } else { CellGuess::Thousands })
        } else {
            let is_decimal = bare.contains(',') && is_digits(&bare.replacen(',', "", 1));
            is_decimal.then_some(CellGuess::DecimalComma)
        }
    }

    /// Whether a column with such cells is more likely numeric than categorical.
    pub(super) fn is_numeric(self) -> bool {
        matches!(self, CellGuess::Thousands | CellGuess::DecimalComma | CellGuess::Unit | CellGuess::Quoted)
    }

    /// Returns the guess and a remedy, as text to append to an error message.
    pub(super) fn message(self) -> &'static str {
        match self {
            CellGuess::Thousands => "; a thousands separator is suspected: take it out",
            CellGuess::DecimalComma => "; a decimal comma is suspected: say --decimal ,",
            CellGuess::Unit => "; a unit is suspected: take it out",
            CellGuess::Quoted => "; quotes are suspected: say which with --quote",
            CellGuess::Date => "; a date is suspected: turn it into numbers",
            CellGuess::Missing => "; a missing value is suspected: say so with --na",
        }
    }
}

/// Returns the unit of measurement after a number: `kg` for `1.5 kg`; `None` for other texts. The ordinal suffixes `st`, `nd`, `rd` and
/// `th` are not units.
pub(super) fn unit(text: &str) -> Option<&str> {
    let text = text.trim();
    let (number, unit) = text.split_at(text.rfind(|c: char| c.is_ascii_digit())? + 1);
    let is_number = number.parse::<f64>().is_ok_and(f64::is_finite)
        || CellGuess::like(number.as_bytes())
            .is_some_and(|looks| matches!(looks, CellGuess::Thousands | CellGuess::DecimalComma));
    let unit = unit.trim_start();
    let is_unit = (1..=UNIT).contains(&unit.chars().count()) && !["st", "nd", "rd", "th"].contains(&unit);
    (is_number && is_unit).then_some(unit)
}

/// Maximum length in characters of a text after a number to count as a unit of measurement.
const UNIT: usize = 12;

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is a number in quotes that do not delimit the cell: single quotes, or double quotes that are not at the start of the
/// cell.
fn is_quoted_number(text: &str) -> bool {
    let inner = |mark| text.strip_prefix(mark)?.strip_suffix(mark);
    let is_number = |inner: &str| inner.trim().parse::<f64>().is_ok_and(f64::is_finite);
    ['\'', '"'].into_iter().filter_map(inner).any(is_number)
}

fn is_missing(text: &str) -> bool {
    let marks =
        ["?", "??", "-", "--", ".", "*", "n.a.", "n.a", "na", "n/a", "none", "null", "nil", "missing", "unknown"];
    marks.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

/// Whether a text is a number whose digits are in groups of three, separated at least once by one of the characters in `between`, with
/// optional decimals after `point`.
fn has_thousands(text: &str, between: &[char], point: char) -> bool {
    let (whole, decimals) = text.split_once(point).unwrap_or((text, "0"));
    let Some(mark) = whole.chars().find(|c| between.contains(c)) else { return false };
    let mut groups = whole.split(mark);
    groups.next().is_some_and(|first| first.len() <= 3 && is_digits(first))
        && groups.all(|group| group.len() == 3 && is_digits(group))
        && is_digits(decimals)
}

/// Whether a text is a date (day, month and year in any order, separated by `-`, `/` or `.`) with an optional time, or only a time.
fn is_date(text: &str) -> bool {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
    let is_time = |text: &str| {
        let parts = text.split([':', '.', '+', '-', 'Z', ' ']);
        text.contains(':') && text.starts_with(|c: char| c.is_ascii_digit()) && {
            parts.filter(|part| !matches!(*part, "" | "AM" | "PM" | "am" | "pm" | "UTC")).all(is_digits)
        }
    };
    let parts = ['-', '/', '.'].map(|mark| date.split(mark).collect::<Vec<_>>());
    let is_day = |parts: &Vec<&str>| {
        parts.iter().all(|part| is_digits(part) && part.len() <= 4)
            && match parts.as_slice() {
                [a, b, c] => b.len() <= 2 && (a.len() <= 2 || c.len() <= 2),
                _ => false,
            }
    };
    (parts.iter().any(is_day) && (time.is_empty() || is_time(time))) || is_time(text)
}

#[cfg(test)]
mod tests {
    use crate::formats::csv::looks::CellGuess::{self, *};

    #[test]
    fn units_stand_behind_numbers() {
        let cases = [
            ("1.5 kg", Some("kg")),
            ("12kg", Some("kg")),
            ("-3 °C", Some("°C")),
            ("1,248 CC", Some("CC")),
            ("7,5 km/h", Some("km/h")),
            ("5 %", Some("%")),
            ("1st", None),
            ("10th", None),
            ("kg", None),
            ("12", None),
            ("a 12 kg", None),
            ("1-2 kg", None),
            ("3 of those over there", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(super::unit(text), expected, "{text}");
        }
    }

    #[test]
    fn guesses() {
        let cases: &[(&str, Option<CellGuess>)] = &[
            ("1,234.5", Some(Thousands)),
            ("2,000", Some(Thousands)),
            ("-1 234 567", Some(Thousands)),
            ("$1,234", Some(Thousands)),
            ("1.234,5", Some(DecimalComma)),
            ("5,5", Some(DecimalComma)),
            ("1.234.567", Some(Thousands)),
            ("12%", Some(Unit)),
            ("€ 5.5", Some(Unit)),
            ("2011-01-31", Some(Date)),
            ("01/02/2011", Some(Date)),
            ("31.1.2011", Some(Date)),
            ("2011-01-31T10:00:00Z", Some(Date)),
            ("2011-01-31 10:00:00.123+01:00", Some(Date)),
            ("1/31/11 5:30 PM", Some(Date)),
            ("23:59:59", Some(Date)),
            ("'1'", Some(Quoted)),
            (" \"-1.5e3\"", Some(Quoted)),
            ("'a'", None),
            ("'1", None),
            ("''", None),
            ("?", Some(Missing)),
            ("n.a.", Some(Missing)),
            ("a:b", None),
            ("1-2", None),
            ("10.0.0.1", None),
            ("555-1234-99", None),
            ("x!z", None),
            ("", None),
            ("-", Some(Missing)),
            ("%", None),
            ("<=50K", None),
            ("5,5,5", None),
        ];
        for (text, expected) in cases {
            assert_eq!(CellGuess::like(text.as_bytes()), *expected, "{text}");
        }
        assert_eq!(CellGuess::like(b"\xff"), None);
    }
}
