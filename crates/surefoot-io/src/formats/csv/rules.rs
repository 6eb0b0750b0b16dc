//! Conversion of CSV cells to labels, weights, offsets and numbers.

use std::borrow::Cow;
use std::sync::Arc;

use surefoot_glm::{Missing, Quote, Role};

use super::looks::CellGuess;
use crate::{
    formats::parse_error::RecordError,
    table::{
        column_names::{called, flagged},
        column_roles,
        dialect::Dialect,
        inferred::Inferred,
        options::Options,
    },
    text::{
        cell_value::{self, MissingTexts, any_number},
        printable::text_of,
    },
};

/// Maximum number of distinct text labels kept in [`Rules::classes_met`], where they are looked up without locking [`Inferred`].
const CLASSES: usize = 4;

/// Settings of a CSV parser for converting cells to values, with the text labels met so far.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) dialect: Dialect,
    /// Whether numbers have a decimal comma (`1,5`) in the current input.
    pub(super) decimal_comma: bool,
    /// Whether numbers have a decimal comma in inputs whose delimiter is not itself a comma.
    wants_comma: bool,
    pub(super) missing: Missing,
    pub(super) absent: MissingTexts,
    /// Whether labels and weights are ignored, as in prediction.
    pub(super) unlabelled: bool,
    classes: bool,
    /// Text of each of the first [`CLASSES`] distinct text labels, with the numeric code of its class.
    classes_met: Vec<(Box<[u8]>, f64)>,
    found: Arc<Inferred>,
}

/// Cell of a CSV record, with its location.
#[derive(Clone, Copy)]
pub(super) struct Cell<'a> {
    pub(super) raw: &'a [u8],
    /// Byte offset of the cell in its record.
    pub(super) at: usize,
    /// Position of the cell in its record, counted in cells from 0.
    pub(super) place: usize,
    /// Name of the column that the cell belongs to.
    pub(super) name: &'a str,
    pub(super) dialect: Dialect,
}

impl Cell<'_> {
    pub(super) fn text(&self) -> Cow<'_, [u8]> {
        self.dialect.text(self.raw)
    }

    /// Builds an error located at this cell, with the given message.
    fn wrong(&self, message: &str) -> RecordError {
        let called = called(self.place + 1, self.name);
        RecordError::new(self.at, &self.text(), format!("{called}{message}"))
    }

    fn flagged(&self) -> String {
        flagged(self.place + 1, self.name)
    }
}

impl Rules {
    pub(super) fn new(options: &Options, delimiter: u8) -> Rules {
        let table = options.found.table().unwrap_or(&options.reading.table);
        let given = table.delimiter.and_then(|c| u8::try_from(c).ok());
        let wants_comma = options.wanted.decimal.or(table.decimal) == Some(',');
        let usual = Dialect::usual(given.unwrap_or(delimiter));
        let quote = options.wanted.quote.or(table.quote).map_or(usual.quote, Quote::mark);
        Rules {
            dialect: Dialect { quote, ..usual },
            decimal_comma: wants_comma && usual.delimiter != b',',
            wants_comma,
            missing: table.missing,
            absent: MissingTexts::of(table),
            unlabelled: options.unlabelled,
            classes: options.classes,
            classes_met: Vec::new(),
            found: options.found.clone(),
        }
    }

    /// Sets the delimiter of the current input, which also decides whether numbers may have a decimal comma.
    pub(super) fn part(&mut self, delimiter: u8) {
        self.dialect.delimiter = delimiter;
        self.decimal_comma = self.wants_comma && delimiter != b',';
    }

    /// Returns the text of a number with its decimal comma replaced by a point; `None` if the text is not a number with a decimal comma.
    fn with_point(&self, text: &[u8]) -> Option<Vec<u8>> {
        let at = memchr::memchr2(b',', b'.', text).filter(|_| self.decimal_comma)?;
        let with_point: Vec<_> = text.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
        (text[at] == b',' && any_number(&with_point).is_some()).then_some(with_point)
    }

    /// Parses a number written in digits, or infinity or NaN; `None` for other texts.
    fn any_number(&self, text: &[u8]) -> Option<f64> {
        match memchr::memchr2(b',', b'.', text) {
            Some(_) if self.decimal_comma => any_number(&self.with_point(text)?),
            _ => any_number(text),
        }
    }

    /// Parses a number written in digits, or a boolean as 0 or 1; `None` for other texts.
    pub(super) fn as_number(&self, text: &[u8]) -> Option<f64> {
        self.any_number(text).or_else(|| cell_value::word(text))
    }

    /// Returns the category that a text stands for: the same for all spellings of a value, such as `3` and `3.0`.
    pub(super) fn category<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        match self.with_point(text) {
            Some(with_point) => cell_value::category(&with_point).into_owned().into(),
            None => cell_value::category(text),
        }
    }

    /// Whether the text of a cell denotes a missing value.
    #[inline]
    pub(super) fn is_missing(&self, text: &[u8]) -> bool {
        self.absent.is(text)
    }

    /// Whether a cell of a text column has no words: it is empty or a missing-value text given by the user. The default texts such as NA
    /// count as words.
    pub(super) fn is_no_text(&self, text: &[u8]) -> bool {
        self.absent.is_no_text(text)
    }

    /// Parses the text of a cell as a finite number, ignoring surrounding blanks; `None` if it is not one.
    pub(super) fn number(&self, text: &[u8]) -> Option<f64> {
        self.any_number(text).filter(|number| number.is_finite())
    }

    /// Parses a cell as a finite number; `None` if the cell is missing and missing cells are allowed.
    pub(super) fn number_or_gap(&self, cell: Cell<'_>) -> Result<Option<f64>, RecordError> {
        let text = cell.text();
        if self.is_gap(cell, &text)? {
            return Ok(None);
        }
        match self.as_number(&text) {
            Some(number) if number.is_finite() => Ok(Some(number)),
            Some(_) => Err(cell.wrong(" is no finite number, or one too large for 64 bits")),
            None => Err(self.no_number(cell, &text)),
        }
    }

    #[cold]
    fn no_number(&self, cell: Cell<'_>, text: &[u8]) -> RecordError {
        let suspicion = match CellGuess::like(text) {
            _ if self.decimal_comma && any_number(text).is_some() => {
                "; with --decimal , a point is none: take it out, or say --decimal ."
            }
            looks => looks.map_or("", CellGuess::message),
        };
        let flagged = cell.flagged();
        let remedy = if self.found.of_model {
            ", as it was for the model".to_owned()
        } else {
            format!(
                "; names of classes are read with --categorical {flagged}, a column is left out with --ignore {flagged}"
            )
        };
        cell.wrong(&format!(" is not a number{suspicion}{remedy}"))
    }

    /// Whether a feature cell with this text is missing; an error if it is and missing cells are not allowed.
    pub(super) fn is_gap(&self, cell: Cell<'_>, text: &[u8]) -> Result<bool, RecordError> {
        if !self.is_missing(text) {
            return Ok(false);
        }
        if self.missing == Missing::Refuse {
            let what = if text.trim_ascii().is_empty() { "is empty here" } else { "is missing here" };
            let message = if self.found.of_model {
                format!(" {what}, {}", column_roles::NEVER_MISSING)
            } else {
                format!(
                    " {what}; --missing indicator makes a missing value a feature of its own, --missing mean also takes the \
                     column's mean for it, --ignore {} leaves the column out",
                    cell.flagged()
                )
            };
            return Err(cell.wrong(&message));
        }
        Ok(true)
    }

    /// Checks that a cell is not a number, in a column that was inferred from the first rows to be categorical.
    pub(super) fn check_category(&self, cell: Cell<'_>, text: &[u8]) -> Result<(), RecordError> {
        let may_be =
            text.trim_ascii_start().first().is_some_and(|first| matches!(first, b'0'..=b'9' | b'+' | b'-' | b'.'));
        if may_be && self.number(text).is_some() {
            let flagged = cell.flagged();
            let message = format!(
                " holds no number in the first rows, but here; say --categorical {flagged}, or --text {flagged} where it is prose, \
                 or leave it out with --ignore {flagged}"
            );
            return Err(cell.wrong(&message));
        }
        Ok(())
    }

    /// Converts a label cell to a number; a text label becomes the code of its class.
    pub(super) fn label(&mut self, cell: Cell<'_>) -> Result<f64, RecordError> {
        if let Some(class) = self.classes_met.iter().find(|class| *class.0 == *cell.raw) {
            return Ok(class.1);
        }
        let text = cell.text();
        if self.is_missing(&text) {
            return Err(cell.wrong(": the label is missing"));
        }
        let number = self.any_number(&text);
        let as_number = number.or_else(|| cell_value::boolean(&text).map(f64::from));
        if self.classes && *self.found.text_labels.get_or_init(|| as_number.is_none()) {
            return match number {
                None => {
                    let class = self.found.class(&text_of(&text));
                    if class.is_finite() && self.classes_met.len() < CLASSES {
                        self.classes_met.push((cell.raw.into(), class));
                    }
                    Ok(class)
                }
                Some(_) => Err(cell.wrong(": the label is a number, but those before are text")),
            };
        }
        match number.or_else(|| cell_value::word(&text)) {
            Some(number) if number.is_finite() => Ok(number),
            Some(_) => Err(cell.wrong(": the label is not a finite number")),
            None if self.classes => Err(cell.wrong(": the label is not a number as those before are")),
            None => Err(cell.wrong(": the label is not a number; labels that are text need --loss logistic")),
        }
    }

    /// Parses a cell as an importance weight: a finite number, at least 0.
    pub(super) fn weight(&self, cell: Cell<'_>) -> Result<f64, RecordError> {
        let text = cell.text();
        match self.as_number(&text) {
            Some(weight) if weight >= 0.0 && weight.is_finite() => Ok(weight),
            Some(weight) if weight < 0.0 && weight.is_finite() => Err(cell.wrong(": a weight must be 0 or more")),
            _ if text.trim_ascii().is_empty() => Err(cell.wrong(": the weight is missing")),
            _ => Err(cell.wrong(": a weight must be a finite number")),
        }
    }

    /// Parses a cell as the offset, which is added to the margin (the linear prediction). In a column with the role of an exposure, the
    /// offset is the logarithm of the cell.
    pub(super) fn offset(&self, role: Role, cell: Cell<'_>) -> Result<f64, RecordError> {
        let text = cell.text();
        let number = self.as_number(&text).filter(|number| number.is_finite());
        match (role, number) {
            (Role::Exposure, Some(exposure)) if exposure > 0.0 => Ok(libm::log(exposure)),
            (Role::Exposure, Some(_)) => Err(cell.wrong(": an exposure must be above 0")),
            (_, Some(offset)) => Ok(offset),
            _ if text.trim_ascii().is_empty() => Err(cell.wrong(": the offset is missing")),
            _ => Err(cell.wrong(": an offset must be a finite number")),
        }
    }

    /// Whether a cell with the text `raw`, in the role of label or weight, has this value.
    pub(super) fn reads_as(&self, role: Role, raw: &[u8], value: f64) -> bool {
        let text = self.dialect.text(raw);
        let is_class = || self.found.classes().iter().any(|class| class.code == value && class.text == text_of(&text));
        self.as_number(&text) == Some(value) || (role == Role::Label && (value.is_infinite() || is_class()))
    }
}
