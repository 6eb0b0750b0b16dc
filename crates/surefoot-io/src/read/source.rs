//! Input that is open for reading, with its decompressed stream.

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{
    files::{compression, interrupted::uninterrupted, part::InputPart, random_access::RandomAccess},
    formats::{
        parse_error::ParseError,
        parser::{Opened, TextParser},
    },
};

/// Maximum number of bytes of text in the first batch; small, so that the rows of small files and pipes are delivered with little
/// delay.
pub(super) const FIRST: usize = 4 << 10;
/// Maximum number of bytes of text in each later batch.
pub(super) const MOST: usize = 256 << 10;

/// Input that is open for reading, with its stream.
pub(super) struct Source {
    pub(super) name: String,
    /// Random access to the stored bytes; `None` if the input is not a regular file.
    pub(super) access: Option<Arc<dyn RandomAccess>>,
    /// Part of the input that is to be read; `None` for all of it.
    pub(super) part: Option<InputPart>,
    /// Number of stored (possibly compressed) bytes of all previous inputs.
    pub(super) before: u64,
    pub(super) stream: Stream,
    /// Whether no bytes of the input have been parsed yet.
    pub(super) unseen: bool,
    /// Whether lines are counted from the start of `part`, not of the whole input.
    pub(super) is_within: bool,
}

/// Error of a stream, with the name of the compression codec, or of what a parser finds before the first row.
pub(super) enum ExamineError {
    Stream((Option<&'static str>, io::Error)),
    Parse(ParseError),
}

pub(super) enum Stream {
    /// Stored bytes of which none was read, so that the compression is unknown; `None` only during its detection.
    Stored(Option<Box<dyn Read + Send>>),
    Open(Option<&'static str>, Box<dyn Read + Send>),
    /// Placeholder after the stream was handed over to a parser that reads its input itself.
    Lent,
}

impl Source {
    /// Reads the first decompressed bytes of the input: at least one line, unless it is very long. Does not wait for bytes after the
    /// first line.
    pub(super) fn head(&mut self) -> Result<Vec<u8>, (Option<&'static str>, io::Error)> {
        let (mut head, mut n) = (vec![0; FIRST], 0);
        while n < FIRST {
            match self.read(&mut head[n..])? {
                0 => break,
                more => n += more,
            }
            if head[..n].contains(&b'\n') {
                break;
            }
        }
        head.truncate(n);
        Ok(head)
    }

    /// Puts bytes that were already read back at the front of the stream.
    pub(super) fn unread(&mut self, bytes: Vec<u8>) {
        if let Stream::Open(codec, stream) = std::mem::replace(&mut self.stream, Stream::Lent) {
            self.stream = Stream::Open(codec, Box::new(Cursor::new(bytes).chain(stream)));
        }
    }

    /// Name of the compression codec, once it is known; `None` for uncompressed data.
    pub(super) fn codec(&self) -> Option<&'static str> {
        if let Stream::Open(codec, _) = &self.stream { *codec } else { None }
    }

    /// Passes the start of the input to a parser, up to the first row; returns the number of bytes before it.
    ///
    /// # Errors
    /// If the input cannot be read, or the parser finds a fault before the first row.
    pub(super) fn examine(&mut self, parser: &mut dyn TextParser) -> Result<u64, ExamineError> {
        let mut bytes = vec![0; FIRST];
        loop {
            let n = self.read(&mut bytes).map_err(ExamineError::Stream)?;
            if let Some(first) = parser.examine(&bytes[..n], n == 0).map_err(ExamineError::Parse)? {
                return Ok(first);
            }
            let size = (2 * bytes.len()).min(MOST);
            bytes.resize(size, 0);
        }
    }

    /// Hands the input over to a parser that reads its input itself; `None` if it was handed over before.
    pub(super) fn open(&mut self, position: &Arc<AtomicU64>, input: u32) -> Option<io::Result<Opened>> {
        let (codec, stream) = match std::mem::replace(&mut self.stream, Stream::Lent) {
            Stream::Stored(raw) => match compression::decode(raw?) {
                Ok(decoded) => decoded,
                Err(error) => return Some(Err(error)),
            },
            Stream::Open(codec, stream) => (codec, stream),
            Stream::Lent => return None,
        };
        let access = self.access.take().filter(|_| codec.is_none());
        Some(Ok(Opened {
            name: self.name.clone(),
            input,
            access,
            part: self.part.as_ref().map(|part| (part.range().clone(), part.size())),
            stream,
            codec,
            position: position.clone(),
            before: self.before,
        }))
    }

    /// Reads decompressed bytes. An error comes with the name of the compression codec, `None` for uncompressed data.
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> Result<usize, (Option<&'static str>, io::Error)> {
        loop {
            match &mut self.stream {
                Stream::Stored(raw) => {
                    let Some(raw) = raw.take() else { return Ok(0) };
                    let (codec, stream) = compression::decode(raw).map_err(|error| (None, error))?;
                    self.stream = Stream::Open(codec, stream);
                }
                Stream::Open(codec, stream) => return stream.read(bytes).map_err(|error| (*codec, error)),
                Stream::Lent => return Ok(0),
            }
        }
    }
}

/// Reader that adds the number of bytes read to a shared counter, which the progress bar shows.
pub(super) struct Counted {
    pub(super) raw: Box<dyn Read + Send>,
    pub(super) position: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = uninterrupted(|| self.raw.read(bytes))?;
        self.position.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}
