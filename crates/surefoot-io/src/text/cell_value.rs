//! Meaning of cells as numbers, categories and missing values, which is the same in all table formats.
//!
//! A cell of CSV is text; a cell of Parquet or Arrow has a type. Equal values yield equal features: typed values are first converted to
//! text (`formats/columnar/cells.rs`), so that the rules for text apply to all formats:
//!
//! | value | as a number | as a category |
//! | --- | --- | --- |
//! | `True`, `TRUE`, `true`; `False`, `FALSE`, `false` | 1; 0 | `1`; `0` |
//! | `3`, `3.0`, `3.00`, `3e+00` | 3 | `3` |
//! | `1.50` | 1.5 | as it is written: `1.5` and `1.50` may be versions |
//! | `2020-01-31T00:00:00.000Z`, see [`time`] | none | `2020-01-31 00:00:00+00:00` |
//! | any other text | none | as it is written, without blanks around it |
//! | nothing, or a word for it: see [`MissingTexts`] | missing | missing |

use std::borrow::Cow;

use surefoot_glm::TableSchema;

use super::number;

pub(crate) mod time;

/// Texts that denote a missing value by default.
const MISSING: [&str; 10] = ["NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None"];

/// Texts that denote a missing value: the empty text, the default texts ([`MISSING`]), any spelling of NaN, and texts given by the user.
#[derive(Clone, Debug, Default)]
pub(crate) struct MissingTexts {
    na: Vec<Vec<u8>>,
    /// Values of those texts of the user that are numbers, so that `-999` also covers `-999.0`.
    numbers: Vec<f64>,
    /// Whether the default texts, such as `NA`, do not denote a missing value.
    no_default: bool,
}

impl MissingTexts {
    /// Returns the missing-value texts of a table schema.
    pub(crate) fn of(table: &TableSchema) -> MissingTexts {
        let na: Vec<_> = table.na.iter().map(|word| word.trim_ascii().as_bytes().to_vec()).collect();
        let numbers = na.iter().filter_map(|word| any_number(word)).collect();
        MissingTexts { na, numbers, no_default: table.no_default_na }
    }

    /// Whether a text denotes a missing value.
    #[inline]
    pub(crate) fn is(&self, text: &[u8]) -> bool {
        // Fast path: most texts do not begin with a byte with which a missing text may begin.
        let is_other = text
            .first()
            .is_some_and(|&first| first > b' ' && !matches!(first, b'N' | b'n' | b'#' | b'<' | b'+' | b'-'));
        !(is_other && self.na.is_empty()) && self.may_be(text)
    }

    fn may_be(&self, text: &[u8]) -> bool {
        let text = text.trim_ascii();
        match text {
            [] => true,
            _ if self.no_default => self.is_named(text),
            [b'N' | b'n' | b'#' | b'<', ..] if MISSING.iter().any(|missing| missing.as_bytes() == text) => true,
            // NaN in the spellings that programs write, with a sign or in capitals, is missing in a numeric column.
            [b'N' | b'n' | b'+' | b'-', ..] if any_number(text).is_some_and(f64::is_nan) => true,
            _ => self.is_named(text),
        }
    }

    /// Whether a cell of a text column has no words: it is empty or one of the user's missing-value texts. The default texts are ignored,
    /// since NA may be a word of prose.
    pub(crate) fn is_no_text(&self, text: &[u8]) -> bool {
        text.is_empty() || self.is_named(text)
    }

    fn is_named(&self, text: &[u8]) -> bool {
        self.na.iter().any(|na| na == text)
            || (self.has_numbers() && any_number(text).is_some_and(|number| self.numbers.contains(&number)))
    }

    /// Whether some of the user's missing-value texts are numbers.
    #[inline]
    pub(crate) fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Replaces each number that the user declared to denote a missing value by NaN.
    #[cfg(feature = "parquet")]
    pub(crate) fn take_out(&self, numbers: &mut [f64]) {
        if self.has_numbers() {
            numbers.iter_mut().filter(|number| self.numbers.contains(number)).for_each(|number| *number = f64::NAN);
        }
    }
}

/// Parses a number written in digits, or infinity or NaN, ignoring surrounding blanks; `None` for other texts.
pub(crate) fn any_number(text: &[u8]) -> Option<f64> {
    let text = text.trim_ascii();
    number::value(text, 0).filter(|found| found.1 == text.len()).map(|found| found.0)
}

/// Parses a number, or a boolean as 1 or 0, in any of its spellings; `None` for other texts.
pub(crate) fn number(text: &[u8]) -> Option<f64> {
    any_number(text).or_else(|| word(text))
}

/// Parses a boolean, written as a word or a single letter, as 1 or 0; `None` for other texts.
pub(crate) fn word(text: &[u8]) -> Option<f64> {
    match text.trim_ascii() {
        b"t" | b"T" => Some(1.0),
        b"f" | b"F" => Some(0.0),
        text => boolean(text).map(f64::from),
    }
}

/// Parses a boolean written as a word, such as `True`; `None` for other texts. Single letters are not accepted, since they may be
/// categories.
pub(crate) fn boolean(text: &[u8]) -> Option<bool> {
    match text.trim_ascii() {
        b"true" | b"True" | b"TRUE" => Some(true),
        b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

/// Returns the category that a text stands for: the same text for all spellings of a value, such as `3` and `3.0`.
#[inline]
pub(crate) fn category(text: &[u8]) -> Cow<'_, [u8]> {
    let text = text.trim_ascii();
    match text {
        [b'0'..=b'9' | b'-', ..] => of_digits(text),
        [b't' | b'T' | b'f' | b'F', ..] => match boolean(text) {
            Some(true) => b"1".into(),
            Some(false) => b"0".into(),
            None => text.into(),
        },
        _ => text.into(),
    }
}

/// Returns the category that a text stands for, given that it begins like a number or a time.
fn of_digits(text: &[u8]) -> Cow<'_, [u8]> {
    let negative = usize::from(text[0] == b'-');
    let digits = text[negative..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, rest) = text.split_at(negative + digits);
    match rest {
        // A number with a leading zero is a code, not a number.
        _ if digits == 0 || (digits > 1 && whole[negative] == b'0') => text.into(),
        [] => unsigned_zero(text).into(),
        [b'.', zeros @ ..] if zeros.iter().all(|&byte| byte == b'0') => unsigned_zero(whole).into(),
        [b'-', ..] if digits == 4 && negative == 0 => {
            time::canonical(text).map_or(text.into(), |of| of.into_bytes().into())
        }
        _ => of_exponent(text).map_or(text.into(), |of| of.into_bytes().into()),
    }
}

/// Removes the minus sign if the number is zero (`-0`).
fn unsigned_zero(whole: &[u8]) -> &[u8] {
    if whole == b"-0" { b"0" } else { whole }
}

/// Converts a number in exponent notation as programs write it to plain digits (`1e+03` to `1000`); `None` for other texts. `12e45` is not
/// accepted, because hexadecimal codes look like it.
fn of_exponent(text: &[u8]) -> Option<String> {
    let at = memchr::memchr2(b'e', b'E', text)?;
    let has_sign = matches!(text.get(at + 1), Some(b'+' | b'-'));
    if !has_sign && memchr::memchr(b'.', &text[..at]).is_none() {
        return None;
    }
    any_number(text).filter(|number| number.is_finite()).map(spelled)
}

/// Returns the shortest decimal notation of a number, without an exponent, that parses to the same number.
pub(crate) fn spelled(number: f64) -> String {
    // Adding 0 removes the sign of zero.
    (number + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn category_of(text: &str) -> String {
        String::from_utf8(category(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn spellings_of_a_value_are_one_category() {
        for (spellings, category) in [
            (&["3", "3.0", "3.00", "3.", " 3\t", "3e+00", "3.0E0", "0.3e+1"][..], "3"),
            (&["-3", "-3.0", "-3.000", "-3e+0"], "-3"),
            (&["0", "-0", "0.0", "-0.0", "0e+00", "-0.0e0"], "0"),
            (&["1e-05", "1e-5", "1.0E-5", "0.00001"], "0.00001"),
            (&["1e+21", "1.0E21", "1000000000000000000000"], "1000000000000000000000"),
            (&["9007199254740993", "9007199254740993.0"], "9007199254740993"),
            (&["True", "TRUE", "true", " true ", "1", "1.0"], "1"),
            (&["False", "FALSE", "false", "0"], "0"),
            (&["a b", " a b", "a b\r"], "a b"),
        ] {
            for text in spellings {
                assert_eq!(category_of(text), category, "{text}");
            }
        }
    }

    #[test]
    fn codes_and_versions_stay_as_they_are() {
        for text in [
            "007",
            "01234",
            "007.0",
            "1.10",
            "1.1",
            "3.10.0",
            "12e45",
            "1e5",
            "14670e63",
            "+3",
            "-",
            "-x",
            "--1",
            "1-2",
            "3,0",
            "T",
            "f",
            "tRUE",
            "truely",
            "inf",
            "1e+999",
            "0x10",
            "1e+",
            "2020",
            "2020-13-01",
            "1_000",
            "",
        ] {
            assert_eq!(category_of(text), text);
        }
    }

    #[test]
    fn numbers_are_digits_or_booleans() {
        for (text, expected) in [
            ("3.00", Some(3.0)),
            (" true", Some(1.0)),
            ("FALSE ", Some(0.0)),
            ("T", Some(1.0)),
            ("f", Some(0.0)),
            ("yes", None),
            ("tRUE", None),
            ("", None),
        ] {
            assert_eq!(number(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(boolean(b"T"), None);
    }

    #[test]
    fn absent_is_what_is_empty_or_a_word_for_it() {
        let own = |no_default_na| TableSchema {
            na: vec!["?".to_owned(), " x ".to_owned()],
            no_default_na,
            ..TableSchema::default()
        };
        let (usual, with_own, only_own) =
            (MissingTexts::default(), MissingTexts::of(&own(false)), MissingTexts::of(&own(true)));
        let numbers = MissingTexts::of(&TableSchema { na: vec!["-999".to_owned()], ..TableSchema::default() });
        assert!(["-999", "-999.0", " -9.99e2"].iter().all(|text| numbers.is(text.as_bytes())) && !numbers.is(b"999"));
        for (text, expected) in [
            ("", [true; 3]),
            (" ", [true; 3]),
            ("NA", [true, true, false]),
            (" <NA> ", [true, true, false]),
            ("-nan", [true, true, false]),
            ("?", [false, true, true]),
            (" x", [false, true, true]),
            ("NAN1", [false; 3]),
            ("a", [false; 3]),
        ] {
            assert_eq!([&usual, &with_own, &only_own].map(|of| of.is(text.as_bytes())), expected, "{text:?}");
        }
    }
}
