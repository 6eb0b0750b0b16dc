//! Sorted runs of records in a temporary file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Take, Write};
use std::sync::Arc;

use crate::files::spool::ReadAt;

/// Maximum and minimum number of bytes that are read or written at once.
const PIECE: (usize, usize) = (1 << 20, 4 << 10);

/// Sorted runs, one after the other in an unnamed file in `TMPDIR`, which disappears with its last user, however the process ends.
#[derive(Debug)]
pub(super) struct Runs {
    file: Arc<File>,
    /// Position in the file, in bytes, of the end of each run.
    ends: Vec<u64>,
}

impl Runs {
    /// Creates an empty file.
    pub(super) fn create() -> io::Result<Runs> {
        Ok(Runs { file: Arc::new(tempfile::tempfile()?), ends: Vec::new() })
    }

    /// Returns the size of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Appends a run: row numbers and their records.
    pub(super) fn write<'a>(&mut self, records: impl Iterator<Item = (u64, &'a [u8])>) -> io::Result<()> {
        let mut end = self.len();
        let mut file = BufWriter::with_capacity(PIECE.0, &*self.file);
        for (number, record) in records {
            file.write_all(&number.to_le_bytes())?;
            file.write_all(&(record.len() as u64).to_le_bytes())?;
            file.write_all(record)?;
            end += 16 + record.len() as u64;
        }
        file.flush()?;
        self.ends.push(end);
        Ok(())
    }

    /// Returns readers of all runs, which together take about `memory` bytes.
    pub(super) fn readers(&self, memory: usize) -> Vec<Run> {
        let piece = (memory / self.ends.len().max(1)).clamp(PIECE.1, PIECE.0);
        let starts = std::iter::once(&0).chain(&self.ends);
        let reader = |(&at, &end): (&u64, &u64)| {
            let bytes = ReadAt { file: self.file.clone(), at }.take(end - at);
            Run { bytes: BufReader::with_capacity(piece, bytes), number: 0, record: Vec::new() }
        };
        starts.zip(&self.ends).map(reader).collect()
    }
}

/// Reader of the records of a run, one after the other.
#[derive(Debug)]
pub(super) struct Run {
    bytes: BufReader<Take<ReadAt>>,
    number: u64,
    record: Vec<u8>,
}

impl Run {
    /// Advances to the next record; returns `false` if there is none.
    pub(super) fn next(&mut self) -> io::Result<bool> {
        if self.bytes.fill_buf()?.is_empty() {
            return Ok(false);
        }
        self.number = self.word()?;
        let len = self.word()?;
        self.record.clear();
        match (&mut self.bytes).take(len).read_to_end(&mut self.record)? as u64 {
            read if read == len => Ok(true),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Returns the row number of the current record.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the bytes of the current record.
    pub(super) fn record(&self) -> &[u8] {
        &self.record
    }

    fn word(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.bytes.read_exact(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}
