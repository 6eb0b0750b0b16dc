//! Traits of formats: a push parser of text, or a parser that reads its inputs itself.

use std::{
    fs::File,
    io::Read,
    sync::{Arc, atomic::AtomicU64},
};

use surefoot_glm::Batch;

use super::parse_error::ParseError;
use crate::error::Error;

/// A push parser of a text format: bytes to rows, wherever the bytes are split.
pub(crate) trait TextParser: Send {
    /// Starts the input of this number.
    fn start(&mut self, input: u32);
    /// Takes the next bytes of the input and appends the rows that they complete.
    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError>;
    /// Ends the input, and with it a last row without line break; the next push starts the next input.
    fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError>;
    /// Whether complete lines wait behind a row at fault: push them, with no bytes, before reading on.
    fn waiting(&self) -> bool;
}

/// A parser of a format that is not text, which needs an input as a whole.
pub(crate) trait TableParser: Send {
    /// Starts the next input, which is read to its end or to an error that is no row's before another is started.
    ///
    /// # Errors
    /// The input cannot be used.
    fn open(&mut self, input: Opened) -> Result<(), Error>;
    /// Appends the next rows; `false` at the end of the input.
    ///
    /// # Errors
    /// A fault of a row or the input; the rows before it are in the batch. As with [`Reader`](crate::Reader) reading
    /// may go on behind a row.
    fn read(&mut self, batch: &mut Batch) -> Result<bool, Error>;
}

/// An input, open in every way in which a [`TableParser`] may want to read it.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
pub(crate) struct Opened {
    /// The input as shown to the user, and its number.
    pub(crate) name: String,
    pub(crate) input: u32,
    /// The file that `stream` reads, if it is a regular one and not compressed, and its size.
    pub(crate) file: Option<(Arc<File>, u64)>,
    /// The bytes from the start, decompressed.
    pub(crate) stream: Box<dyn Read + Send>,
    /// The compression.
    pub(crate) codec: Option<&'static str>,
    /// Bytes of all inputs that were read, as stored. `stream` counts its own.
    pub(crate) position: Arc<AtomicU64>,
    /// Value of `position` before this input.
    pub(crate) before: u64,
}
