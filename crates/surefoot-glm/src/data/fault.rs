//! What can be wrong with a row once it is parsed.

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
    /// The pair at this position of the row's pairs.
    Pair(usize),
}

/// A row that cannot be used: the state of whoever refused it is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is at fault.
    pub part: Part,
    /// What is wrong and what to do, without the place, which the reader knows.
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
