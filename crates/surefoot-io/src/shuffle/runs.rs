//! Sorted runs (sorted sequences of records, each an encoded row) in a temporary file, for external merge sort.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Take, Write};
use std::sync::Arc;

use crate::files::spool::ReadAt;

/// Maximum and minimum size, in bytes, of the buffers with which runs are read; the maximum is also that of the write buffer.
const PIECE: (usize, usize) = (1 << 20, 4 << 10);

/// Sorted runs of records, concatenated in an unnamed file in `TMPDIR`, which the system deletes when its last handle is closed, however
/// the process ends.
#[derive(Debug)]
pub(super) struct Runs {
    file: Arc<File>,
    /// End of each run, as a byte offset in the file.
    ends: Vec<u64>,
}

impl Runs {
    /// Creates the temporary file, which has no runs yet.
    pub(super) fn create() -> io::Result<Runs> {
        Ok(Runs { file: Arc::new(tempfile::tempfile()?), ends: Vec::new() })
    }

    /// Returns the size of the temporary file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Appends a run, given as records (encoded rows) in sorted order, each with its row number.
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

    /// Returns one reader per run, at the start of the run; the buffers of all readers take about `memory` bytes in total.
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

/// Sequential reader of the records (encoded rows) of one sorted run.
#[derive(Debug)]
pub(super) struct Run {
    bytes: BufReader<Take<ReadAt>>,
    number: u64,
    record: Vec<u8>,
}

impl Run {
    /// Reads the next record of the run, which becomes the current one; returns `false` at the end of the run.
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
