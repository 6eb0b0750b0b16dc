//! Traits of parsers: a push parser for text formats, and a parser that reads its inputs itself for columnar formats.

use std::{
    fs::File,
    io::Read,
    sync::{Arc, atomic::AtomicU64},
};

use surefoot_glm::Batch;

use super::parse_error::ParseError;
use crate::error::Error;

/// Push parser of a text format: it receives bytes, split at any position, and produces rows.
pub(crate) trait TextParser: Send {
    /// Starts the input with this number, from 0.
    fn start(&mut self, input: u32);
    /// Parses the next bytes of the input and appends the rows that they complete.
    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError>;
    /// Ends the input, after reading a last row without a line break if there is one. The next push then starts another input.
    fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError>;
    /// Whether unread complete lines remain after an invalid row. The caller must then push zero bytes, which reads them, before it pushes
    /// more bytes.
    fn waiting(&self) -> bool;
}

/// Parser of a format that is not text and may need random access to its input.
pub(crate) trait TableParser: Send {
    /// Opens the next input. The caller must have read the previous input to its end or to an error that does not concern a single row.
    ///
    /// # Errors
    /// If the input cannot be read in this format or with these options.
    fn open(&mut self, input: Opened) -> Result<(), Error>;
    /// Appends the next rows of the input to `batch`; returns `false` at the end of the input.
    ///
    /// # Errors
    /// If a row or the input is invalid; the batch holds the rows before it. As with [`Reader`](crate::Reader), reading may continue after
    /// an invalid row.
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error>;
}

/// Open input, with each kind of access that a [`TableParser`] may need.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
pub(crate) struct Opened {
    /// Name of the input as shown to the user; the next field, `input`, is its number, from 0.
    pub(crate) name: String,
    pub(crate) input: u32,
    /// File behind `stream` and its size in bytes, for random access; `None` if the input is compressed or not a regular file.
    pub(crate) file: Option<(Arc<File>, u64)>,
    /// Decompressed bytes of the input from its start.
    pub(crate) stream: Box<dyn Read + Send>,
    /// Name of the compression; `None` if the input is not compressed.
    pub(crate) codec: Option<&'static str>,
    /// Number of stored bytes read from all inputs so far, for a progress bar; reading `stream` increases it.
    pub(crate) position: Arc<AtomicU64>,
    /// Value of `position` at the start of this input.
    pub(crate) before: u64,
}
