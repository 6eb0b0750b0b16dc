//! Progress of the search for the end of a record.

/// Progress of the search for the end of a record, which resumes here when more bytes arrive, so that no byte is searched twice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scan {
    /// Number of bytes of the record examined so far.
    pub(crate) seen: usize,
    /// Byte offset of the start of the quoted cell in which the search stopped; `None` outside quotes.
    pub(crate) open: Option<usize>,
}
