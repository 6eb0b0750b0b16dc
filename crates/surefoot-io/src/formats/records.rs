//! Splitting of text, which arrives in arbitrary pieces, into records; shared by CSV and Vowpal Wabbit text.

use surefoot_glm::{Batch, Place};

use super::{
    parse_error::{ParseError, RecordError},
    parser::TextParser,
    scan::Scan,
};
use crate::text::digest::Digest;

/// Text format with one record per row. A format implements these methods; [`Records`] does everything that such formats have in common.
pub(crate) trait RecordFormat: Send {
    /// Starts a new input, given its number among all inputs, from 0.
    fn start(&mut self, input: u32) {
        let _ = input;
    }

    /// Examines the first bytes of an input: all bytes read so far, at least one record. `last` is true if no more bytes follow. Returns
    /// the number of leading bytes that are not rows (a header, for example), or `None` if more bytes are needed. Called for each
    /// input until it returns `Some`, though not for every byte that arrives.
    ///
    /// # Errors
    /// If these bytes are invalid; the error holds the column in the line.
    fn begin(&mut self, bytes: &[u8], last: bool) -> Result<Option<usize>, RecordError> {
        let _ = (bytes, last);
        Ok(Some(0))
    }

    /// Returns the end of the record at the start of `text`, including its line break; `None` if the record continues after `text`. The
    /// caller then passes the text again with more bytes appended, and the search resumes where `scan` left off.
    ///
    /// # Errors
    /// If the record is invalid whatever bytes follow.
    fn end(&self, text: &[u8], scan: &mut Scan) -> Result<Option<usize>, RecordError> {
        let found = memchr::memchr(b'\n', &text[scan.seen..]).map(|at| scan.seen + at + 1);
        scan.seen = text.len();
        Ok(found)
    }

    /// Whether [`end`](RecordFormat::end) finds the first line break, whatever precedes it.
    fn ends_at_lines(&self) -> bool {
        true
    }

    /// Whether a record is blank. Blank records before the first record with content may be skipped.
    fn is_blank(&self, record: &[u8]) -> bool {
        let _ = record;
        false
    }

    /// Reads a record, given without its line break (LF or CRLF), and appends its features to the batch. Returns the label,
    /// weight and offset of the row, or `None` if the record is not a row. Leaves nothing of the record in the batch on error.
    ///
    /// # Errors
    /// If the record is invalid.
    fn record(&mut self, record: &[u8], batch: &mut Batch) -> Result<Option<Numbers>, RecordError>;

    /// Ends the current input; formats that keep state per input override it.
    fn finish(&mut self) {}
}

/// Numbers of a row that are not features: label, weight and offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// Label; NaN if the row has none.
    pub(crate) label: f64,
    pub(crate) weight: f64,
    pub(crate) offset: f64,
}

/// UTF-8 byte order mark, which is allowed at the start of text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Push parser of a text format given as a [`RecordFormat`].
///
/// Memory grows with the longest record, not with the number of rows. Time is linear in the number of bytes, however they are split: the
/// search for record ends examines each byte once, and each byte is moved a bounded number of times.
#[derive(Debug)]
pub(crate) struct Records<F> {
    format: F,
    /// Bytes of the input that have arrived and are kept. Those from position `at` on are unread, usually one incomplete record.
    tail: Vec<u8>,
    at: usize,
    /// Progress of the search for the end of the record that starts at `at`.
    scan: Scan,
    /// Whether `tail` holds complete records that are still unread because reading stopped after an invalid record.
    waiting: bool,
    /// Whether the start of the first row of the input has been found.
    begun: bool,
    /// Whether the first nonblank record of the input has arrived in full; used only until `begun` is true.
    whole: bool,
    /// Number of bytes passed to the last call of [`RecordFormat::begin`]; used only until `begun` is true.
    shown: usize,
    /// Number of decompressed bytes of this input before position `at` of `tail`.
    offset: u64,
    /// Number of physical lines of this input before position `at` of `tail`.
    line: u64,
    input: u32,
    digest: Digest,
}

/// Number of bytes: while no more of an input has arrived, [`RecordFormat::begin`] is called whenever bytes arrive; beyond it, only after
/// each growth by half.
const SHOWN_OFTEN: usize = 64 << 10;

/// Counter, for tests, of the bytes that parsers examine or move in addition to reading rows.
#[cfg(test)]
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static BYTES: Cell<usize> = const { Cell::new(0) };
    }

    /// Adds `bytes` to this thread's count of bytes that parsers examine or move.
    pub(crate) fn count(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    /// Returns this thread's count of bytes that parsers examined or moved, and resets it to 0.
    pub(crate) fn counted() -> usize {
        BYTES.take()
    }
}

impl<F: RecordFormat> Records<F> {
    pub(crate) fn new(format: F) -> Records<F> {
        Records {
            format,
            tail: Vec::new(),
            at: 0,
            scan: Scan::default(),
            waiting: false,
            begun: false,
            whole: false,
            shown: 0,
            offset: 0,
            line: 0,
            input: 0,
            digest: Digest::default(),
        }
    }

    /// Appends arrived bytes to `tail`. First removes the bytes already read from it if they are at least as many as the unread ones.
    fn take(&mut self, bytes: &[u8]) {
        let left = self.tail.len() - self.at;
        // Moves the unread bytes only when at least as many bytes are freed.
        if self.at >= left {
            #[cfg(test)]
            work::count(left);
            self.tail.drain(..self.at);
            self.at = 0;
        }
        self.tail.extend_from_slice(bytes);
    }

    /// Reads the complete records in `tail`; if `last`, the input ends with `tail`, which completes the last record. Stops after an invalid
    /// record.
    fn read(&mut self, batch: &mut Batch, last: bool) -> Result<(), ParseError> {
        if batch.start.is_empty() {
            batch.start.push(0);
        }
        self.waiting = false;
        let (mut text, from) = (std::mem::take(&mut self.tail), self.at);
        let done = self.begin(&text, last).and_then(|begun| match begun {
            true => self.records(&text, from, last, batch),
            false => Ok(()),
        });
        // The batch takes the bytes over, without a copy, if fewer bytes stay than go.
        if batch.text.is_empty() && from == 0 && text.len() - self.at <= self.at {
            #[cfg(test)]
            work::count(text.len() - self.at);
            batch.text.extend_from_slice(&text[self.at..]);
            text.truncate(self.at);
            std::mem::swap(&mut batch.text, &mut text);
            self.at = 0;
        } else {
            batch.text.extend_from_slice(&text[from..self.at]);
        }
        self.tail = text;
        done
    }

    /// Skips the bytes before the first row, such as a header; returns `false` if more bytes are needed to find the first row.
    fn begin(&mut self, text: &[u8], last: bool) -> Result<bool, ParseError> {
        if self.begun {
            return Ok(true);
        }
        if self.offset == 0 && !self.whole && self.scan.seen == 0 {
            let start = &text[self.at..];
            if !last && BYTE_ORDER_MARK.starts_with(start) {
                return Ok(false);
            }
            if start.starts_with(BYTE_ORDER_MARK) {
                self.advance(text, BYTE_ORDER_MARK.len());
            }
        }
        if !self.first_is_whole(text, last)? {
            return Ok(false);
        }
        let start = &text[self.at..];
        if !last && start.len() > SHOWN_OFTEN && start.len() < self.shown + self.shown / 2 {
            return Ok(false);
        }
        self.shown = start.len();
        match self.format.begin(start, last) {
            Ok(None) => Ok(false),
            Ok(Some(head)) => {
                self.begun = true;
                self.advance(text, head);
                Ok(true)
            }
            Err(wrong) => Err(self.give_up(text, wrong)),
        }
    }

    /// Skips blank records at the start of the input; returns true if the next record is complete or the input has ended.
    fn first_is_whole(&mut self, text: &[u8], last: bool) -> Result<bool, ParseError> {
        while !self.whole {
            let start = &text[self.at..];
            match self.format.end(start, &mut self.scan) {
                Ok(Some(end)) if self.format.is_blank(without_line_break(&start[..end])) => self.advance(text, end),
                Ok(Some(_)) => (self.whole, self.scan) = (true, Scan::default()),
                Ok(None) => return Ok(last),
                Err(wrong) => return Err(self.give_up(text, wrong)),
            }
        }
        Ok(true)
    }

    /// Reads the complete records of `text` from `self.at` on. The caller must then append `text[from..self.at]` to `batch.text`, because
    /// the rows refer to positions in it.
    fn records(&mut self, text: &[u8], from: usize, last: bool, batch: &mut Batch) -> Result<(), ParseError> {
        let base = batch.text.len();
        while self.at < text.len() {
            let left = &text[self.at..];
            let end = match self.format.end(left, &mut self.scan) {
                Ok(Some(end)) => end,
                Ok(None) if last => left.len(),
                Ok(None) => return Ok(()),
                Err(wrong) => return Err(self.give_up(text, wrong)),
            };
            let (whole, record) = (&left[..end], without_line_break(&left[..end]));
            match self.format.record(record, batch) {
                Ok(Some(Numbers { label, weight, offset })) => {
                    batch.push_offset(offset);
                    batch.label.push(label);
                    batch.weight.push(weight);
                    batch.start.push(batch.index.len());
                    let at = base + self.at - from;
                    batch.place.push(Place {
                        input: self.input,
                        line: self.line + 1,
                        text: (at, at + record.len()),
                        end: self.offset + end as u64,
                        hash: self.digest.close(whole),
                    });
                    self.pass(whole);
                }
                Ok(None) => self.advance(text, end),
                Err(wrong) => {
                    let fault = self.fault(record, wrong);
                    self.advance(text, end);
                    self.waiting = memchr::memchr(b'\n', &text[self.at..]).is_some();
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// Builds the error for an input whose remaining records cannot be told apart, and skips the rest of `text`.
    fn give_up(&mut self, text: &[u8], wrong: RecordError) -> ParseError {
        let left = &text[self.at..];
        let fault = self.fault(left, wrong);
        self.advance(text, left.len());
        fault
    }

    /// Skips `bytes` bytes of `text` that belong to no row, and adds them to the digest of the input.
    fn advance(&mut self, text: &[u8], bytes: usize) {
        let passed = &text[self.at..self.at + bytes];
        self.digest.add(passed);
        self.pass(passed);
    }

    /// Advances the position in the input by these bytes and counts their lines.
    fn pass(&mut self, bytes: &[u8]) {
        self.line += lines(bytes);
        self.offset += bytes.len() as u64;
        self.scan = Scan::default();
        self.at += bytes.len();
    }

    /// Converts an error in `record` to one that is located in the input; `self.line` lines precede the record.
    fn fault(&self, record: &[u8], wrong: RecordError) -> ParseError {
        let (line, column) = location(record, wrong.at);
        wrong.at_place(self.input, self.line + line, column)
    }
}

impl<F: RecordFormat> TextParser for Records<F> {
    fn start(&mut self, input: u32) {
        self.input = input;
        self.format.start(input);
    }

    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), ParseError> {
        self.take(bytes);
        self.read(batch, false)
    }

    fn finish(&mut self, batch: &mut Batch) -> Result<(), ParseError> {
        let done = self.read(batch, true);
        if done.is_err() && self.at < self.tail.len() {
            self.waiting = true;
            return done;
        }
        self.format.finish();
        self.tail.clear();
        (self.at, self.scan, self.waiting) = (0, Scan::default(), false);
        (self.begun, self.whole, self.shown, self.offset, self.line) = (false, false, 0, 0, 0);
        self.input += 1;
        done
    }

    fn waiting(&self) -> bool {
        self.waiting
    }

    fn examine(&mut self, bytes: &[u8], last: bool) -> Result<Option<u64>, ParseError> {
        self.tail.extend_from_slice(bytes);
        let text = std::mem::take(&mut self.tail);
        let begun = self.begin(&text, last);
        self.tail = text;
        if !begun? && !last {
            return Ok(None);
        }
        self.begun = true;
        self.tail.clear();
        (self.at, self.scan) = (0, Scan::default());
        Ok(Some(self.offset))
    }

    fn skip(&mut self) {
        (self.offset, self.line, self.digest) = (0, 0, Digest::default());
    }

    fn ends_at_lines(&self) -> bool {
        self.format.ends_at_lines()
    }

    fn row_end(&self, text: &[u8], scan: &mut Scan) -> Result<Option<usize>, RecordError> {
        self.format.end(text, scan)
    }
}

/// Returns the line and the byte column, both from 1, of byte offset `at` in a record, which may span several lines.
pub(crate) fn location(record: &[u8], at: usize) -> (u64, u64) {
    let before = &record[..at.min(record.len())];
    let start = memchr::memrchr(b'\n', before).map_or(0, |last| last + 1);
    (lines(before) + 1, (before.len() - start) as u64 + 1)
}

fn lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

fn without_line_break(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}

#[cfg(test)]
mod linear;
