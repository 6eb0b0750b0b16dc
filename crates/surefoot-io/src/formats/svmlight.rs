//! The svmlight format, also known as libsvm: `label [qid:N] index:value ... [# comment]`, one row per line.
//!
//! Pairs may stand in any order and are put into ascending order; blanks are spaces and tabs; CR may stand
//! before the line break, a byte order mark at the very start, any bytes in comments. Blank and comment
//! lines are no rows but count as lines. The group id is checked and not used.

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
mod line;
mod plain;
mod rules;
#[cfg(test)]
mod twins;

use surefoot_glm::{Batch, Place};

use super::{
    parse_error::{ParseError, RecordError},
    parser::TextParser,
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

/// A push parser of svmlight text: the caller passes bytes, split anywhere, and gets the rows that they complete.
///
/// Memory grows with the longest row, not with comments or the number of rows. Rows are appended to the
/// batch, which the caller clears when it likes.
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
    /// Bytes of lines that are not read yet: usually one line without its end.
    tail: Vec<u8>,
    /// The first bytes of `tail` that are in the digest already.
    digested: usize,
    /// Where the whole lines in `tail` begin and end that stand behind a row at fault.
    waiting: Option<(usize, usize)>,
    /// Whether `tail` ends in a comment, the rest of which need not be kept.
    comment: bool,
    /// Length of `tail` at which a line without end is looked at.
    look: usize,
    /// Decompressed bytes of this input before `tail`, bytes left out of `tail` included.
    offset: u64,
    line: u64,
    input: u32,
    digest: Digest,
    backend: Backend,
    delimiters: Delimiters,
    scratch: Vec<(u64, f64)>,
    merger: DuplicateMerger,
    indices: Option<IndexGroups>,
    /// Where not all indices are used.
    selection: Option<IndexSelection>,
    names: IndexNames,
}

/// A line without end is first looked at when it is this long.
const LOOK: usize = 1 << 20;

impl Svmlight {
    /// A parser at the start of the first input. Options that [`Options::check`] refuses are clamped to their range.
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

    /// Takes the next bytes of the input and appends the rows that they complete.
    ///
    /// # Errors
    /// The first row at fault. The rows before it are in the batch, those after it come with the next push,
    /// which may be one of no bytes.
    pub fn push(&mut self, mut bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError> {
        if self.comment {
            let rest = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
            self.digest.add(&bytes[..rest]);
            self.offset += rest as u64;
            bytes = &bytes[rest..];
        }
        let known = self.tail.len();
        self.tail.extend_from_slice(bytes);
        let whole = memchr::memrchr(b'\n', bytes).map(|last| known + last + 1);
        let (from, end) = match (self.waiting, whole) {
            (None, None) => return self.shorten(known),
            (None, Some(end)) => (0, end),
            (Some((from, end)), whole) => (from, whole.unwrap_or(end)),
        };
        let text = std::mem::take(&mut self.tail);
        let (stop, done) = self.lines(&text, from, end, end, batch);
        self.tail = text;
        self.comment = false;
        self.look = LOOK;
        self.waiting = (stop < end).then_some((stop, end));
        if self.waiting.is_some() {
            return done;
        }
        #[cfg(test)]
        crate::formats::records::work::count(self.tail.len() - stop);
        // What is left has come since the last line break, or since the row at fault.
        self.tail.drain(..stop);
        done.and(self.shorten(0))
    }

    /// Ends the input, and with it a last row without line break. The next push starts the next input.
    ///
    /// # Errors
    /// If the last row is at fault, or one that waits behind a row at fault; the input has ended all the same.
    pub fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError> {
        let mut done = Ok(());
        let (from, mut text) = (self.waiting.map_or(0, |waiting| waiting.0), std::mem::take(&mut self.tail));
        if from < text.len() {
            let real = text.len();
            text.push(b'\n');
            done = self.lines(&text, from, real + 1, real, batch).1;
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

    /// Reads the lines of `text[from..end]`, of which the bytes from `real` on are no part of the input, and copies them to that of
    /// the batch. Stops behind a row at fault; returns where it stopped.
    fn lines(
        &mut self,
        text: &[u8],
        from: usize,
        end: usize,
        real: usize,
        batch: &mut Batch,
    ) -> (usize, Result<(), ParseError>) {
        let base = batch.text.len();
        if batch.start.is_empty() {
            batch.start.push(0);
        }
        self.delimiters.clear();
        let mut at = from;
        let mut digested = from + std::mem::take(&mut self.digested);
        let mut done = Ok(());
        while at < end && done.is_ok() {
            if self.line == 0 && text[at..].starts_with(b"\xef\xbb\xbf") {
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
        batch.text.extend_from_slice(&text[from..at]);
        (at, done)
    }

    /// Reads one line: where its line break is, and the label if it is a row, whose pairs are then in the batch.
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

    /// Puts the pairs from `first` on into order; `false` if an index appears twice.
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

    /// Replaces the sorted ids from `first` on by their hashes; values that meet are added in the order of their ids, so
    /// that the sum does not depend on the order in the file. `false` if a sum overflows.
    fn hash(&mut self, first: usize, batch: &mut Batch) -> bool {
        self.names.meet(&batch.index[first..], |index| self.rules.id(index));
        batch.index[first..].iter_mut().for_each(|index| *index = self.rules.id(*index));
        self.merger.merge(&mut batch.index, &mut batch.value, first);
        batch.value[first..].iter().all(|value| value.is_finite())
    }

    /// Keeps memory small while a line has no end yet: the rest of a comment is only digested, and a very long
    /// line is checked each time its length doubles. The first `known` bytes of the tail hold no comment.
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
                // What follows of this line is passed over like a comment.
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
}
