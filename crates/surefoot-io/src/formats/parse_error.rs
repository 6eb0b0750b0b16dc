//! Faults of text: of a record, found by the format, and of an input, located by the parser, which counts lines.

use crate::error;

/// A fault found by a parser, which does not know file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Position of the input, from 0.
    pub input: u32,
    /// Physical line, from 1.
    pub line: u64,
    /// Byte column of the token, from 1, a byte order mark not counted.
    pub column: u64,
    /// The token at fault, printable, truncated to 80 bytes.
    pub token: String,
    /// The problem and the remedy.
    pub message: String,
    /// Whether the fault is of more than a row, so that nothing after it can be read.
    pub fatal: bool,
    /// Whether the request is at fault, not the data.
    pub asked: bool,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: '{}': {}", self.line, self.column, self.token, self.message)
    }
}

impl std::error::Error for ParseError {}

/// A fault of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordError {
    /// Start of the token, from the start of the record.
    pub(crate) at: usize,
    /// The whole token; shown by [`error::token`].
    pub(crate) token: Vec<u8>,
    /// The problem and the remedy.
    pub(crate) message: String,
    /// Whether nothing that follows can be read.
    pub(crate) fatal: bool,
    /// Whether the request is at fault, not the data.
    pub(crate) asked: bool,
}

impl RecordError {
    pub(crate) fn new(at: usize, token: &[u8], message: impl Into<String>) -> RecordError {
        RecordError { at, token: token.to_vec(), message: message.into(), fatal: false, asked: false }
    }

    /// Marks the fault as fatal: nothing after it can be read.
    pub(crate) fn fatal(self) -> RecordError {
        RecordError { fatal: true, ..self }
    }

    /// The error with its place in an input.
    pub(crate) fn at_place(self, input: u32, line: u64, column: u64) -> ParseError {
        let RecordError { token, message, fatal, asked, .. } = self;
        ParseError { input, line, column, token: error::token(&token), message, fatal, asked }
    }
}
