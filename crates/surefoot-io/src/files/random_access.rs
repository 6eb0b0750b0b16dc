//! Random access to the stored bytes of an input, wherever it is.

use std::fs::File;
use std::io::{self, Read};
#[cfg(feature = "parquet")]
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::interrupted::uninterrupted;

/// Stored bytes that can be read at any offset, by several readers at once.
pub(crate) trait RandomAccess: Send + Sync {
    /// Returns the number of stored bytes.
    fn size(&self) -> u64;

    /// Reads bytes from offset `at` on; returns their number, which is 0 only at the end or for an empty buffer.
    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize>;

    /// Returns a reader of the bytes from `start` to `end`, which must all be there.
    fn stream(self: Arc<Self>, start: u64, end: u64) -> Box<dyn Read + Send>;

    /// Prepares for reads of these ranges, which will be the next ones.
    #[cfg(feature = "parquet")]
    fn prefetch(&self, ranges: &[Range<u64>]) {
        let _ = ranges;
    }
}

/// File with its size when it was opened.
#[derive(Clone, Debug)]
pub(crate) struct SizedFile {
    pub(crate) file: Arc<File>,
    pub(crate) size: u64,
}

impl RandomAccess for SizedFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, to: &mut [u8], at: u64) -> io::Result<usize> {
        uninterrupted(|| self.file.read_at(to, at))
    }

    fn stream(self: Arc<Self>, start: u64, end: u64) -> Box<dyn Read + Send> {
        Box::new(ReadRange { from: ReadFrom { access: self, at: start }, end })
    }
}

impl dyn RandomAccess {
    /// Fills a buffer with the bytes from offset `at` on.
    ///
    /// # Errors
    /// If the input ends before, with [`io::ErrorKind::UnexpectedEof`].
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only the formats of that feature are read so"))]
    pub(crate) fn read_exact_at(&self, mut to: &mut [u8], mut at: u64) -> io::Result<()> {
        while !to.is_empty() {
            match self.read_at(to, at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => (to, at) = (&mut to[n..], at + n as u64),
            }
        }
        Ok(())
    }
}

/// Reader from an offset of an input on, with a position of its own.
pub(crate) struct ReadFrom {
    pub(crate) access: Arc<dyn RandomAccess>,
    pub(crate) at: u64,
}

impl Read for ReadFrom {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.access.read_at(to, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Reader of a range of bytes, which must all be there.
struct ReadRange {
    from: ReadFrom,
    end: u64,
}

impl Read for ReadRange {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_sub(self.from.at);
        let most = usize::try_from(left).map_or(to.len(), |left| left.min(to.len()));
        match self.from.read(&mut to[..most])? {
            0 if most > 0 => {
                Err(io::Error::other(format!("it became shorter while it was read: {left} bytes are missing")))
            }
            n => Ok(n),
        }
    }
}
