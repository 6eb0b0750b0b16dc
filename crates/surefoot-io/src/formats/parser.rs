//! Parser traits: a push parser for text formats, and a parser that reads its inputs itself for the other formats.

use std::{
    fs::File,
    io::Read,
    sync::{Arc, atomic::AtomicU64},
};

use surefoot_glm::Batch;

use super::parse_error::ParseError;
use crate::error::Error;

/// A push parser of a text format, which turns bytes into rows however the bytes are split.
pub(crate) trait TextParser: Send {
    /// Starts the input with this number (from 0).
    fn start(&mut self, input: u32);
    /// Parses the next bytes of the input and appends the rows that they complete.
    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError>;
    /// Ends the input, reading a last row without a line break if there is one; the next push starts the next input.
    fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError>;
    /// Whether complete lines are left after an invalid row; the caller must push zero bytes to read them before it pushes more bytes.
    fn waiting(&self) -> bool;
}

/// A parser of a format that is not text and requires access to the whole input.
pub(crate) trait TableParser: Send {
    /// Starts the next input. The caller reads an input to its end, or to an error that does not concern a single row, before it opens
    /// another one.
    ///
    /// # Errors
    /// If the input cannot be read in this format or with these options.
    fn open(&mut self, input: Opened) -> Result<(), Error>;
    /// Appends the next rows to the batch; returns `false` at the end of the input.
    ///
    /// # Errors
    /// If a row or the input is invalid; the batch holds the rows before it. As with [`Reader`](crate::Reader), reading may continue after
    /// an invalid row.
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error>;
}

/// An open input with all means of access that a [`TableParser`] may need.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
pub(crate) struct Opened {
    /// Name of the input as shown to the user; `input` is its number, from 0.
    pub(crate) name: String,
    pub(crate) input: u32,
    /// The file that `stream` reads and its size in bytes; `None` if the file is compressed or not a regular file.
    pub(crate) file: Option<(Arc<File>, u64)>,
    /// The decompressed bytes from the start of the input.
    pub(crate) stream: Box<dyn Read + Send>,
    /// Name of the compression; `None` if the input is not compressed.
    pub(crate) codec: Option<&'static str>,
    /// Number of stored bytes read so far from all inputs; `stream` adds the bytes that it reads.
    pub(crate) position: Arc<AtomicU64>,
    /// Value of `position` before this input was read.
    pub(crate) before: u64,
}
