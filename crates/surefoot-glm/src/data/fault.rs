//! Faults of parsed rows.

use std::fmt;

/// The part of a row that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The row as a whole.
    Row,
    /// Its label.
    Label,
    /// Its weight.
    Weight,
    /// The nonzero at this position of the row, from 0.
    Pair(usize),
}

/// The reason why a row cannot be used. Whoever refuses a row has not changed its own state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The part at fault.
    pub part: Part,
    /// What is wrong, and the remedy; without file and line, which the reader adds.
    pub message: String,
}

impl Fault {
    /// A fault of `part`.
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
