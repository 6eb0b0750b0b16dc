//! Push parser of the svmlight format, also known as libsvm: `label [qid:N] index:value ... [# comment]`, one row per line.
//!
//! The pairs of a row may be in any order and are sorted by index. Spaces and tabs separate tokens. A CR may precede the line
//! break, a byte order mark may begin the input, and a comment may hold any bytes. Blank lines and comment lines are not rows
//! but count as lines. The group id `qid:N` is validated but not used.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod backend;
mod delimited_pairs;
mod delimiters;
mod describe;
mod detect;
mod index_names;
mod index_selection;
pub(crate) mod indexed_features;
mod line;
mod plain;
mod rules;
#[cfg(test)]
mod twins;

use surefoot_glm::{Batch, Place};

use super::{
    parse_error::{ParseError, RecordError},
    parser::TextParser,
    scan::Scan,
};
use crate::{
    features::feature_groups::IndexGroups, ids::merge_duplicates::DuplicateMerger, table::options::Options,
    text::digest::Digest,
};
use backend::Backend;
use delimiters::Delimiters;
pub(super) use describe::describe;
pub(super) use detect::begins;
use index_names::IndexNames;
use index_selection::IndexSelection;
pub(super) use index_selection::check;
use line::Line;
use rules::Rules;

/// Push parser of svmlight text: the caller passes bytes, split at any position, and receives the rows that they complete.
///
/// Memory grows with the longest row, not with comments or the number of rows. Rows are appended to the batch; the caller
/// decides when to clear it.
///
/// ```
/// use surefoot_glm::Batch;
/// use surefoot_io::{Options, Svmlight};
///
/// let mut batch = Batch::default();
/// batch.clear();
/// let mut parser = Svmlight::new(&Options::default());
/// parser.push(b"1 7:1 3:0.", &mut batch)?;
/// assert_eq!(batch.len(), 0);
/// parser.push(b"5 # cut anywhere\n", &mut batch)?;
/// assert_eq!(batch.row(0).index, [3, 7]);
/// parser.push(b"0 3:x\n0 3:2", &mut batch).unwrap_err();
/// parser.finish(&mut batch)?;
/// assert_eq!((batch.len(), batch.place[1].line), (2, 3));
/// # Ok::<(), surefoot_io::ParseError>(())
/// ```
#[derive(Debug)]
pub struct Svmlight {
    rules: Rules,
    /// Bytes of lines that have arrived but were not yet read; usually one incomplete line.
    tail: Vec<u8>,
    /// Number of leading bytes of `tail` that were already added to the digest of the input.
    digested: usize,
    /// Range in `tail` of the complete lines that were left unread after an invalid row; `None` if there are none.
    waiting: Option<(usize, usize)>,
    /// Whether `tail` ends within a comment; the rest of the comment is then discarded as it arrives.
    comment: bool,
    /// Length of `tail`, in bytes, at which an incomplete line is next checked for errors.
    look: usize,
    /// Number of decompressed bytes of this input before `tail`, plus those discarded from within `tail`.
    offset: u64,
    line: u64,
    /// Whether the rows are from the middle of an input, so that none begins with a byte order mark.
    is_within: bool,
    input: u32,
    digest: Digest,
    backend: Backend,
    delimiters: Delimiters,
    scratch: Vec<(u64, f64)>,
    merger: DuplicateMerger,
    indices: Option<IndexGroups>,
    /// Selection of svmlight indices to keep or to ignore; `None` if all indices are used.
    selection: Option<IndexSelection>,
    names: IndexNames,
}

/// Length in bytes at which an incomplete line is first checked for errors.
const LOOK: usize = 1 << 20;

impl Svmlight {
    /// Builds a parser, ready for the first input. Values that [`Options::check`] would reject are clamped to their valid range.
    #[must_use]
    pub fn new(options: &Options) -> Svmlight {
        Svmlight {
            rules: Rules::new(options),
            tail: Vec::new(),
            digested: 0,
            waiting: None,
            comment: false,
            look: LOOK,
            offset: 0,
            line: 0,
            is_within: false,
            input: 0,
            digest: Digest::default(),
            backend: Backend::best(),
            delimiters: Delimiters::default(),
            scratch: Vec::new(),
            merger: DuplicateMerger::default(),
            indices: IndexGroups::new(&options.groups),
            selection: IndexSelection::new(&options.reading, &options.found),
            names: IndexNames::new(&options.found),
        }
    }

    /// Parses the next bytes of the input and appends the rows that they complete.
    ///
    /// # Errors
    /// If a row is invalid: returns the error of the first such row. The rows before it are in the batch; the next push, which may
    /// pass no bytes, reads the rows after it.
    pub fn push(&mut self, mut bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError> {
        if self.comment {
            let rest = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
            self.digest.add(&bytes[..rest]);
            self.offset += rest as u64;
            bytes = &bytes[rest..];
        }
        if self.waiting.is_some() {
            return self.push_waiting(bytes, batch);
        }
        let known = self.tail.len();
        let Some(last) = memchr::memrchr(b'\n', bytes) else {
            self.tail.extend_from_slice(bytes);
            return self.shorten(known);
        };
        // Complete lines are parsed where they stay, in the text of the batch.
        let (whole, rest) = bytes.split_at(last + 1);
        let mut text = std::mem::take(&mut batch.text);
        let from = text.len();
        text.append(&mut self.tail);
        text.extend_from_slice(whole);
        let end = text.len();
        let (stop, done) = self.lines(&text, from, end, end, from, batch);
        self.tail.extend_from_slice(&text[stop..]);
        self.waiting = (stop < end).then_some((0, end - stop));
        self.tail.extend_from_slice(rest);
        #[cfg(test)]
        crate::formats::records::work::count(self.tail.len());
        text.truncate(stop);
        batch.text = text;
        (self.comment, self.look) = (false, LOOK);
        if self.waiting.is_some() { done } else { done.and(self.shorten(0)) }
    }

    /// Does the work of [`push`](Svmlight::push) while complete lines are left unread after an invalid row. They stay in the tail, so that
    /// many invalid rows do not move the lines after them each time.
    fn push_waiting(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError> {
        let known = self.tail.len();
        self.tail.extend_from_slice(bytes);
        let (from, end) = self.waiting.unwrap_or_default();
        let end = memchr::memrchr(b'\n', bytes).map_or(end, |last| known + last + 1);
        let text = std::mem::take(&mut self.tail);
        let (stop, done) = self.lines(&text, from, end, end, batch.text.len(), batch);
        batch.text.extend_from_slice(&text[from..stop]);
        self.tail = text;
        (self.comment, self.look) = (false, LOOK);
        self.waiting = (stop < end).then_some((stop, end));
        if self.waiting.is_some() {
            return done;
        }
        #[cfg(test)]
        crate::formats::records::work::count(self.tail.len() - stop);
        // The rest has arrived since the last line break or follows the invalid row.
        self.tail.drain(..stop);
        done.and(self.shorten(0))
    }

    /// Ends the input, reading a last row without a line break if there is one. The next push starts the next input.
    ///
    /// # Errors
    /// If the last row, or an unread row after an invalid one, is invalid; the input has ended nevertheless.
    pub fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError> {
        let mut done = Ok(());
        let (from, mut text) = (self.waiting.map_or(0, |waiting| waiting.0), std::mem::take(&mut self.tail));
        if from < text.len() {
            let real = text.len();
            text.push(b'\n');
            let (stop, read) = self.lines(&text, from, real + 1, real, batch.text.len(), batch);
            batch.text.extend_from_slice(&text[from..stop]);
            done = read;
        }
        let (digest, scratch) = (std::mem::take(&mut self.digest), std::mem::take(&mut self.scratch));
        let (merger, indices, selection) =
            (std::mem::take(&mut self.merger), self.indices.take(), self.selection.take());
        let names = std::mem::take(&mut self.names);
        *self = Svmlight {
            rules: self.rules,
            backend: self.backend,
            input: self.input + 1,
            digest,
            scratch,
            merger,
            indices,
            selection,
            names,
            ..Svmlight::new(&Options::default())
        };
        done
    }

    /// Reads the lines of `text[from..end]`, which are or will be in `batch.text` from position `base` on. Bytes from `real` on are
    /// padding, not input. Stops after an invalid row; returns the position after the last line read, and the error (if any).
    fn lines(
        &mut self,
        text: &[u8],
        from: usize,
        end: usize,
        real: usize,
        base: usize,
        batch: &mut Batch,
    ) -> (usize, Result<(), ParseError>) {
        if batch.start.is_empty() {
            batch.start.push(0);
        }
        self.delimiters.clear();
        let mut at = from;
        let mut digested = from + std::mem::take(&mut self.digested);
        let mut done = Ok(());
        while at < end && done.is_ok() {
            if self.line == 0 && !self.is_within && text[at..].starts_with(b"\xef\xbb\xbf") {
                at += 3;
            }
            self.line += 1;
            let start = at;
            match self.row(&text[..end], start, batch) {
                Ok((line_break, label)) => {
                    at = line_break + 1;
                    let Some(label) = label else { continue };
                    let row_end = at.min(real);
                    batch.label.push(label);
                    batch.weight.push(1.0);
                    batch.start.push(batch.index.len());
                    batch.place.push(Place {
                        input: self.input,
                        line: self.line,
                        text: (base + start - from, base + line_break - from),
                        end: self.offset + (row_end - from) as u64,
                        hash: self.digest.close(&text[digested..row_end]),
                    });
                    digested = row_end;
                }
                Err(fault) => {
                    at = line_break(text, start) + 1;
                    done = Err(fault);
                }
            }
        }
        self.offset += (at - from) as u64;
        self.digest.add(&text[digested..at.min(real)]);
        (at, done)
    }

    /// Reads one line and appends its `index:value` pairs to the batch; returns the position of the line break and the label, or `None` as
    /// label if the line is not a row.
    fn row(&mut self, text: &[u8], start: usize, batch: &mut Batch) -> Result<(usize, Option<f64>), ParseError> {
        let first = batch.index.len();
        let read = match line::line(text, start, &self.rules, &mut self.backend, &mut self.delimiters, batch) {
            Line::Nothing { end } => return Ok((end, None)),
            Line::Row { label, end, sorted } if sorted || self.sort(first, batch) => (end, Some(label)),
            _ => {
                batch.truncate_pairs(first);
                self.plain_row(text, start, batch)?
            }
        };
        if let Some(selection) = &mut self.selection {
            selection.retain(batch, first);
        }
        if let Some(indices) = &mut self.indices {
            indices.assign(&batch.index[first..], |index| self.rules.id(index));
        }
        if self.rules.bits.is_some() && !self.hash(first, batch) {
            batch.truncate_pairs(first);
            let line = &text[start..read.0];
            let (at, token) = plain::tokens(line).next().unwrap_or_default();
            let message =
                "values that share a slot after hashing add up to more than a number of 64 bits holds".to_owned();
            return Err(self.fault(RecordError::new(at, token, message)));
        }
        self.indices.iter().for_each(|indices| indices.grouper.fill(batch, first));
        Ok(read)
    }

    #[cold]
    fn plain_row(&mut self, text: &[u8], start: usize, batch: &mut Batch) -> Result<(usize, Option<f64>), ParseError> {
        let end = line_break(text, start);
        let Some(mut row) = plain::row(&text[start..end], &self.rules).map_err(|wrong| self.fault(wrong))? else {
            return Ok((end, None));
        };
        row.pairs.sort_unstable_by_key(|pair| pair.0);
        batch.index.extend(row.pairs.iter().map(|pair| pair.0));
        batch.value.extend(row.pairs.iter().map(|pair| pair.1));
        Ok((end, Some(row.label.unwrap_or(f64::NAN))))
    }

    /// Sorts the `index:value` pairs of the last row, which start at position `first` of the batch, by index; returns `false` if an index
    /// occurs twice.
    fn sort(&mut self, first: usize, batch: &mut Batch) -> bool {
        self.scratch.clear();
        self.scratch.extend(batch.index[first..].iter().copied().zip(batch.value[first..].iter().copied()));
        self.scratch.sort_unstable_by_key(|pair| pair.0);
        for (i, &(index, value)) in self.scratch.iter().enumerate() {
            batch.index[first + i] = index;
            batch.value[first + i] = value;
        }
        self.scratch.windows(2).all(|two| two[0].0 < two[1].0)
    }

    /// Replaces the sorted indices of the last row, from position `first` of the batch on, by hashed ids. Values with equal ids are added
    /// in the order of their indices, so that the sum does not depend on the order in the file. Returns `false` if a sum overflows.
    fn hash(&mut self, first: usize, batch: &mut Batch) -> bool {
        self.names.meet(&batch.index[first..], |index| self.rules.id(index));
        batch.index[first..].iter_mut().for_each(|index| *index = self.rules.id(*index));
        self.merger.merge(&mut batch.index, &mut batch.value, first);
        batch.value[first..].iter().all(|value| value.is_finite())
    }

    /// Bounds the memory taken by an incomplete line: the rest of a comment is added to the digest but not kept, and a very long line is
    /// checked for errors each time its length doubles. The first `known` bytes of the tail hold no comment.
    fn shorten(&mut self, known: usize) -> Result<(), ParseError> {
        if let Some(found) = memchr::memchr(b'#', &self.tail[known..]) {
            self.digest.add(&self.tail[self.digested..]);
            self.offset += (self.tail.len() - (known + found + 1)) as u64;
            self.tail.truncate(known + found + 1);
            self.digested = self.tail.len();
            self.comment = true;
        } else if self.tail.len() >= self.look {
            self.look = 2 * self.tail.len();
            let recent = self.tail.len() - LOOK / 2;
            let blank = memchr::memrchr2(b' ', b'\t', &self.tail[recent..]);
            let known = &self.tail[..blank.map_or(self.tail.len(), |blank| recent + blank)];
            if let Err(wrong) = plain::row(known, &self.rules) {
                self.line += 1;
                let fault = self.fault(wrong);
                self.line -= 1;
                // The rest of this line is skipped like a comment.
                self.digest.add(&self.tail[self.digested..]);
                self.offset += self.tail.len() as u64 - 1;
                self.tail.clear();
                self.tail.push(b'#');
                self.digested = 1;
                self.comment = true;
                return Err(fault);
            }
        }
        Ok(())
    }

    fn fault(&self, wrong: RecordError) -> ParseError {
        let column = wrong.at as u64 + 1;
        wrong.at_place(self.input, self.line, column)
    }
}

fn line_break(text: &[u8], at: usize) -> usize {
    at + memchr::memchr(b'\n', &text[at..]).expect("the text ends with a line break")
}

impl TextParser for Svmlight {
    fn start(&mut self, input: u32) {
        self.input = input;
    }

    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError> {
        Svmlight::push(self, bytes, batch)
    }

    fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError> {
        Svmlight::finish(self, batch)
    }

    fn waiting(&self) -> bool {
        self.waiting.is_some()
    }

    fn examine(&mut self, _: &[u8], _: bool) -> Result<Option<u64>, ParseError> {
        Ok(Some(0))
    }

    fn skip(&mut self) {
        self.is_within = true;
    }

    fn ends_at_lines(&self) -> bool {
        true
    }

    fn row_end(&self, text: &[u8], scan: &mut Scan) -> Result<Option<usize>, RecordError> {
        let left = text.get(scan.seen..).unwrap_or_default();
        let found = memchr::memchr(b'\n', left).map(|at| scan.seen + at + 1);
        scan.seen = text.len();
        Ok(found)
    }
}
