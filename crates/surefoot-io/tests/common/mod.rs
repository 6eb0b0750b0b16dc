//! Helper functions shared by the tests.
#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod parts;
pub mod unprivileged;

use std::io::{self, Read};

use surefoot_glm::Batch;
use surefoot_io::{Error, Options, Reader, RowSource};

/// Row as compared in tests: number of its input, line, label, and pairs of feature id and value, sorted by id.
pub type Plain = (u32, u64, Option<f64>, Vec<(u64, f64)>);

/// Reader that yields its bytes in pieces whose sizes are given by `sizes`, repeated cyclically.
pub struct Pieces {
    pub bytes: Vec<u8>,
    pub at: usize,
    pub sizes: Vec<usize>,
    pub turn: usize,
}

impl Pieces {
    pub fn new(bytes: &[u8], sizes: &[usize]) -> Pieces {
        Pieces { bytes: bytes.to_vec(), at: 0, sizes: sizes.to_vec(), turn: 0 }
    }
}

impl Read for Pieces {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.turn % self.sizes.len()];
        self.turn += 1;
        let n = size.min(to.len()).min(self.bytes.len() - self.at);
        to[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

/// Reads a source to its end; returns all rows, and each error with the number of rows before it.
pub fn rows(source: &mut impl RowSource) -> (Vec<Plain>, Vec<(usize, Error)>) {
    let (mut rows, mut errors, mut batch) = (Vec::new(), Vec::new(), Batch::default());
    loop {
        match source.read(&mut batch) {
            Ok(false) => return (rows, errors),
            Ok(true) => {
                assert!(!batch.is_empty());
                rows.extend(plain(&batch));
            }
            Err(error) => errors.push((rows.len(), error)),
        }
    }
}

/// Returns the rows of a batch in comparable form, with pairs sorted by feature id.
pub fn plain(batch: &Batch) -> Vec<Plain> {
    let row = |r: usize| {
        let (row, place) = (batch.row(r), batch.place[r]);
        assert_eq!(row.weight, 1.0);
        let mut pairs: Vec<_> = row.index.iter().copied().zip(row.value.iter().copied()).collect();
        pairs.sort_unstable_by_key(|pair| pair.0);
        assert!(pairs.is_sorted_by(|a, b| a.0 < b.0), "an id stands twice");
        (place.input, place.line, row.label, pairs)
    };
    (0..batch.len()).map(row).collect()
}

/// Returns a reader of this text under the name `f.svm`.
pub fn reader(text: impl AsRef<[u8]>, options: impl Into<Options>) -> Reader {
    Reader::with_reader("f.svm", io::Cursor::new(text.as_ref().to_vec()), options.into()).unwrap()
}

/// Reads a text and returns its only error; panics if there is none or more than one.
pub fn error(text: impl AsRef<[u8]>, options: impl Into<Options>) -> Error {
    let (_, mut errors) = rows(&mut reader(text, options));
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.pop().unwrap().1
}
