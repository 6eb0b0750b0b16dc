//! Traits of parsers: [`TextParser`] receives the bytes of text formats; [`TableParser`] reads the inputs of columnar formats itself.

use std::{
    io::Read,
    ops::Range,
    sync::{Arc, atomic::AtomicU64},
};

use surefoot_glm::Batch;

use super::{
    parse_error::{ParseError, RecordError},
    scan::Scan,
};
use crate::{
    error::Error,
    files::{
        part::PartRange,
        random_access::{RandomAccess, ReadFrom},
    },
};

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
    /// Takes the next bytes of the start of an input whose rows follow separately, so that only what precedes the first row is read: a
    /// header, for example. `last` is true if the input ends with these bytes. Returns the number of bytes before the first row once it is
    /// known; the caller then pushes bytes from the first row on, or from a later one after a call of `skip`.
    fn examine(&mut self, bytes: &[u8], last: bool) -> Result<Option<u64>, ParseError>;
    /// Continues, after `examine`, with a row from the middle of the input. Lines are counted from this row.
    fn skip(&mut self);
    /// Whether a row can end at a line break only and every line break ends one, so that rows can be told apart anywhere in an input.
    fn ends_at_lines(&self) -> bool;
    /// Returns the length of the row at the start of `text`, including the line break; `None` if it continues after `text`.
    ///
    /// # Errors
    /// If no later row can be told apart. See [`RecordFormat::end`](super::records::RecordFormat::end).
    fn row_end(&self, text: &[u8], scan: &mut Scan) -> Result<Option<usize>, RecordError>;
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
    /// Returns the units of which a part of the input can consist.
    fn units(&self, input: Opened) -> Units;
}

/// Units of which a part of an input can consist.
pub(crate) struct Units {
    /// Size of each unit in bytes; none if the input cannot be divided.
    pub(crate) sizes: Vec<u64>,
    pub(crate) range_of: RangeOf,
}

/// Function that returns the range of a part, given the numbers of its units from 0.
pub(crate) type RangeOf = fn(Range<usize>) -> PartRange;

/// Open input, with each kind of access that a [`TableParser`] may need.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
pub(crate) struct Opened {
    /// Name of the input as shown to the user. The field `input` below is the number of the input, from 0.
    pub(crate) name: String,
    pub(crate) input: u32,
    /// Random access to the bytes of `stream`; `None` if the input is compressed or not a regular file.
    pub(crate) access: Option<Arc<dyn RandomAccess>>,
    /// Part of the input to be read, with its size in bytes; `None` for all of it.
    pub(crate) part: Option<(PartRange, u64)>,
    /// Decompressed bytes of the input from its start.
    pub(crate) stream: Box<dyn Read + Send>,
    /// Name of the compression codec, such as `gzip`; `None` if the input is not compressed.
    pub(crate) codec: Option<&'static str>,
    /// Number of stored (possibly compressed) bytes read from all inputs so far, for a progress bar; reading `stream` increases it.
    pub(crate) position: Arc<AtomicU64>,
    /// Value of `position` at the start of this input, that is, the number of stored bytes in the inputs before it.
    pub(crate) before: u64,
}

/// Message about an input that was changed after it was divided into parts.
pub(crate) const CHANGED: &str = "is not as it was when it was divided into parts; divide it again";

impl Opened {
    /// Returns the whole input of which this is a part; `None` if it is none.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
    pub(crate) fn whole(&self) -> Option<Opened> {
        self.part.as_ref()?;
        let access = self.access.clone()?;
        Some(Opened {
            name: self.name.clone(),
            input: self.input,
            stream: Box::new(ReadFrom { access: access.clone(), at: 0 }),
            access: Some(access),
            part: None,
            codec: self.codec,
            position: Arc::default(),
            before: self.before,
        })
    }
}
