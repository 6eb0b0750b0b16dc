//! Faults: reasons why parsed rows cannot be used.

use std::fmt;

/// Part of a row that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The row as a whole.
    Row,
    /// The label of the row.
    Label,
    /// The weight of the row.
    Weight,
    /// The nonzero at this position in the row, counted from 0.
    Pair(usize),
}

/// Reason why a row cannot be used. A function that returns a fault has not changed its own state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Part of the row that is at fault.
    pub part: Part,
    /// Description of what is wrong and of the remedy, without file and line, which the reader adds.
    pub message: String,
}

impl Fault {
    /// Returns a fault of `part`.
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
