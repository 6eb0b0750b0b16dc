//! Faults: error values that say why a row cannot be used.

use std::fmt;

/// Part of a row that a [`Fault`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The row as a whole.
    Row,
    /// The label of the row.
    Label,
    /// The weight of the row.
    Weight,
    /// One nonzero of the row (a pair of feature id and value), by its position in the row, counted from 0.
    Pair(usize),
}

/// Reason why a row cannot be used, returned as an error. A function that returns a fault has left its state unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Part of the row that is at fault.
    pub part: Part,
    /// Description of the error and its remedy. It does not name the file and line, which the reader adds.
    pub message: String,
}

impl Fault {
    /// Returns a fault about `part` of a row, with the given message.
    #[must_use]
    pub fn new(part: Part, message: impl Into<String>) -> Fault {
        Fault { part, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
