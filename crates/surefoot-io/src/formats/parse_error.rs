//! Errors of text parsers: [`RecordError`] is located in a record, [`ParseError`] in an input (by line and column).

use crate::error;

/// Error of a text parser, located by line and column. The input is identified by its number, because parsers do not
/// know file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Number of the input among all inputs, from 0.
    pub input: u32,
    /// Number of the physical line, from 1.
    pub line: u64,
    /// Column of the first byte of the token, in bytes from 1, not counting a byte order mark.
    pub column: u64,
    /// The invalid token, made printable and truncated to 80 bytes.
    pub token: String,
    /// Message that states the problem and the remedy.
    pub message: String,
    /// Whether the error ends the input: nothing after it can be read. If false, only one row is invalid.
    pub fatal: bool,
    /// True if the user's request (a flag or option) is at fault, false if the data are.
    pub asked: bool,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: '{}': {}", self.line, self.column, self.token, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Error in a record (one row of text), located by its offset from the start of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordError {
    /// Byte offset of the token in the record.
    pub(crate) at: usize,
    /// Complete invalid token as raw bytes; [`error::token`] makes it printable.
    pub(crate) token: Vec<u8>,
    /// Message that states the problem and the remedy.
    pub(crate) message: String,
    /// Whether reading must end, because the start of the following records cannot be determined.
    pub(crate) fatal: bool,
    /// True if the user's request (a flag or option) is at fault, false if the data are.
    pub(crate) asked: bool,
}

impl RecordError {
    pub(crate) fn new(at: usize, token: &[u8], message: impl Into<String>) -> RecordError {
        RecordError { at, token: token.to_vec(), message: message.into(), fatal: false, asked: false }
    }

    /// Marks the error as fatal, which ends the reading of the input.
    pub(crate) fn fatal(self) -> RecordError {
        RecordError { fatal: true, ..self }
    }

    /// Converts to a [`ParseError`], given the number of the input and the line and column of the token.
    pub(crate) fn at_place(self, input: u32, line: u64, column: u64) -> ParseError {
        let RecordError { token, message, fatal, asked, .. } = self;
        ParseError { input, line, column, token: error::token(&token), message, fatal, asked }
    }
}
