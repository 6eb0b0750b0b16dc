//! Reader of archives that verifies every byte, and uses stored lengths only after they were verified.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use super::{
    Archive, LONGEST, Tensor,
    header::{self, Header, MAGIC},
};
use crate::error::{Error, ErrorKind, shown};

impl Archive<'static> {
    /// Reads an archive from bytes in memory, which are called `name` in messages, as [`read`](Archive::read) does from a file. O(bytes).
    ///
    /// # Errors
    /// If the bytes are not an archive, have another version of the format, or differ from what was written.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Archive<'static>, Error> {
        let file = shown(name.as_ref());
        Parts { file, from: bytes, size: Some(bytes.len() as u64), at: 0 }.archive()
    }

    /// Reads an archive from a file or a pipe and verifies all checksums. O(bytes).
    ///
    /// # Errors
    /// If the file cannot be read, is not an archive, has another version of the format, or differs in any byte from what was written.
    pub fn read(path: impl AsRef<Path>) -> Result<Archive<'static>, Error> {
        let path = path.as_ref();
        let file = shown(path.as_os_str());
        let open = || {
            let from = File::open(path)?;
            let metadata = from.metadata()?;
            if metadata.is_dir() {
                return Err(rustix::io::Errno::ISDIR.into());
            }
            Ok((from, metadata.is_file().then_some(metadata.len())))
        };
        match open() {
            Ok((from, size)) => Parts { file, from, size, at: 0 }.archive(),
            Err(source) => Err(ErrorKind::Read { file, source }.into()),
        }
    }
}

/// Number of bytes that are read and checksummed at a time.
const PIECE: u64 = 256 << 10;

/// Sequential reader of the parts of an archive file.
struct Parts<R> {
    file: String,
    from: R,
    /// Size of the file in bytes; `None` for pipes, whose size is unknown.
    size: Option<u64>,
    /// Number of bytes of the file read so far.
    at: u64,
}

impl<R: Read> Parts<R> {
    fn archive(mut self) -> Result<Archive<'static>, Error> {
        let header = self.header()?;
        let mut tensors = Vec::with_capacity(header.tensors.len());
        for ((name, dtype, shape, size), sum) in header.tensors.into_iter().zip(header.sums) {
            let at = self.at;
            let (bytes, found) = self.take_summed(size as u64)?;
            if bytes.len() < size {
                return Err(self.damaged(self.at, format!("the file ends in tensor '{name}'")));
            }
            if found != sum {
                return Err(self.damaged(at, format!("the checksum of tensor '{name}' does not fit")));
            }
            tensors.push(Tensor { name, dtype, shape, bytes: bytes.into() });
        }
        let end = self.at;
        if !self.take(1)?.is_empty() {
            return Err(self.damaged(end, "something follows the end"));
        }
        Ok(Archive { meta: header.meta, tensors })
    }

    fn header(&mut self) -> Result<Header, Error> {
        let start = self.take(8 + MAGIC.len() as u64)?;
        self.check_start(&start)?;
        let length = u64::from_le_bytes(start[..8].try_into().expect("eight bytes"));
        if length > LONGEST || length < MAGIC.len() as u64 {
            return Err(self.damaged(0, format!("a header of {length} bytes")));
        }
        let mut bytes = start[8..].to_vec();
        bytes.append(&mut self.take(length - MAGIC.len() as u64)?);
        let is_cut = (bytes.len() as u64) < length;
        let valid = std::str::from_utf8(&bytes);
        let text = valid.unwrap_or_else(|error| std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("checked"));
        if let Some(found) = header::version(text).filter(|&found| found != Archive::FORMAT) {
            return Err(ErrorKind::Version { file: self.file.clone(), found, reads: Archive::FORMAT }.into());
        }
        if is_cut {
            return Err(self.damaged(self.at, "the file ends in its header"));
        }
        if text.len() < bytes.len() {
            return Err(self.damaged(8 + text.len() as u64, "the header is no text"));
        }
        let header =
            header::parse(text).map_err(|message| self.damaged(8, format!("the header does not fit: {message}")))?;
        self.check_header(text, &header)?;
        Ok(header)
    }

    /// Checks that the parsed header, when rendered again, equals `text`, including its checksum.
    fn check_header(&self, text: &str, header: &Header) -> Result<(), Error> {
        let entries: Vec<_> =
            header.tensors.iter().map(|(name, dtype, shape, size)| (&**name, *dtype, &**shape, *size)).collect();
        let canonical = header::render(&header.meta, &entries, &header.sums);
        if canonical == text {
            return Ok(());
        }
        let same = canonical.bytes().zip(text.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
        Err(self.damaged(8 + same as u64, "the header does not fit its checksum"))
    }

    /// Checks the first bytes of a file. The error distinguishes a model file that is damaged at its start from a file that is not a model.
    fn check_start(&self, start: &[u8]) -> Result<(), Error> {
        let (_, name) = start.split_at(start.len().min(8));
        let same = name.iter().zip(MAGIC.bytes()).filter(|&(&theirs, ours)| theirs == ours).count();
        let is_whole = name.len() == MAGIC.len();
        if is_whole && same == name.len() {
            return Ok(());
        }
        if is_whole && 4 * same > 3 * name.len() {
            let at = name.iter().zip(MAGIC.bytes()).take_while(|&(&theirs, ours)| theirs == ours).count();
            return Err(self.damaged(8 + at as u64, "the name of the format does not fit"));
        }
        let hint = match (start, same == name.len()) {
            ([], _) => ": the file is empty".to_owned(),
            (_, true) => format!(", or one that is damaged or cut off at byte {}", start.len()),
            ([0x1f, 0x8b, ..], _) => ": it looks like a gzip file".to_owned(),
            _ => "; a model is what 'surefoot fit' writes with -o".to_owned(),
        };
        Err(ErrorKind::NotModel { file: self.file.clone(), hint }.into())
    }

    /// Reads `length` bytes, or fewer if the file ends earlier.
    fn take(&mut self, length: u64) -> Result<Vec<u8>, Error> {
        Ok(self.take_summed(length)?.0)
    }

    /// Reads `length` bytes, or fewer if the file ends earlier, and computes their checksum piece by piece while the bytes are in the CPU
    /// cache.
    ///
    /// Memory is allocated only for bytes that exist: all at once if the size of the file is known, otherwise as bytes arrive.
    fn take_summed(&mut self, length: u64) -> Result<(Vec<u8>, u64), Error> {
        let there = self.size.map_or(0, |size| size.saturating_sub(self.at));
        let mut bytes = Vec::with_capacity(usize::try_from(length.min(there)).unwrap_or(0));
        let mut sum = Xxh3::new();
        while (bytes.len() as u64) < length {
            let known = bytes.len();
            let piece = PIECE.min(length - known as u64);
            let result = self.from.by_ref().take(piece).read_to_end(&mut bytes);
            self.at += (bytes.len() - known) as u64;
            sum.update(&bytes[known..]);
            match result {
                Ok(n) if n as u64 == piece => {}
                Ok(_) => break,
                Err(source) => return Err(self.unreadable(source)),
            }
        }
        Ok((bytes, sum.digest()))
    }

    fn unreadable(&self, source: io::Error) -> Error {
        ErrorKind::Read { file: self.file.clone(), source }.into()
    }

    fn damaged(&self, at: u64, message: impl Into<String>) -> Error {
        ErrorKind::Damaged { file: self.file.clone(), at, message: message.into() }.into()
    }
}
