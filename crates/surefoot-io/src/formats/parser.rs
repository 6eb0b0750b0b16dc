//! Traits of parsers: [`TextParser`] receives the bytes of text formats; [`TableParser`] reads the inputs of columnar formats itself.

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
    /// Starts a new input, given its number among all inputs, from 0.
    fn start(&mut self, input: u32);
    /// Parses the next bytes of the current input and appends the rows that they complete to `batch`.
    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError>;
    /// Ends the current input, after reading a last row without a line break if there is one. The next push then belongs to another input.
    fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError>;
    /// Whether complete lines after an invalid row are still unread. The caller must then call `push` with no bytes, which reads them,
    /// before it pushes more bytes.
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
    /// Name of the input as shown to the user. The field `input` below is the number of the input, from 0.
    pub(crate) name: String,
    pub(crate) input: u32,
    /// File behind `stream` and its size in bytes, for random access; `None` if the input is compressed or not a regular file.
    pub(crate) file: Option<(Arc<File>, u64)>,
    /// Decompressed bytes of the input from its start.
    pub(crate) stream: Box<dyn Read + Send>,
    /// Name of the compression codec, such as `gzip`; `None` if the input is not compressed.
    pub(crate) codec: Option<&'static str>,
    /// Number of stored (possibly compressed) bytes read from all inputs so far, for a progress bar; reading `stream` increases it.
    pub(crate) position: Arc<AtomicU64>,
    /// Value of `position` at the start of this input, that is, the number of stored bytes in the inputs before it.
    pub(crate) before: u64,
}
