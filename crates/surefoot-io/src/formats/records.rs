//! Splitting of text into records, wherever its bytes are split; shared by formats with one record per row.

use surefoot_glm::{Batch, Place};

use super::{
    parse_error::{ParseError, RecordError},
    parser::TextParser,
};
use crate::text::digest::Digest;

/// A text format of one record per row. [`Records`] does the rest.
pub(crate) trait RecordFormat: Send {
    /// Starts the input of this number.
    fn start(&mut self, input: u32) {
        let _ = input;
    }

    /// Looks at the first bytes of an input, all that there are so far, at least one record; `last` if there will be no more. Returns
    /// how many bytes and lines at the start are no rows (a header, say), or `None` if more must be seen first. Called until it
    /// answers, for each input, though not for each byte.
    ///
    /// # Errors
    /// A fault of these bytes, with its column in the line.
    fn begin(&mut self, bytes: &[u8], last: bool) -> Result<Option<usize>, RecordError> {
        let _ = (bytes, last);
        Ok(Some(0))
    }

    /// Where the record that `text` begins with ends, its line break included; `None` if not in `text`, which is shown again with
    /// more behind it: the search goes on where `scan` says that it stopped.
    ///
    /// # Errors
    /// A record that cannot be one however it goes on.
    fn end(&self, text: &[u8], scan: &mut Scan) -> Result<Option<usize>, RecordError> {
        let found = memchr::memchr(b'\n', &text[scan.seen..]).map(|at| scan.seen + at + 1);
        scan.seen = text.len();
        Ok(found)
    }

    /// Whether a record before the first one that means something may be passed over.
    fn is_blank(&self, record: &[u8]) -> bool {
        let _ = record;
        false
    }

    /// Reads a record without its line break (neither LF nor CRLF) and appends its pairs to the batch: its other numbers if
    /// it is a row. After an error nothing of it may be left in the batch.
    ///
    /// # Errors
    /// A fault of the record.
    fn record(&mut self, record: &[u8], batch: &mut Batch) -> Result<Option<Numbers>, RecordError>;

    /// The input has ended.
    fn finish(&mut self) {}
}

/// Progress of the search for the end of a record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scan {
    /// Bytes of the record that were looked at.
    pub(crate) seen: usize,
    /// Start of the quoted cell that has not ended yet.
    pub(crate) open: Option<usize>,
}

/// Label, weight and offset of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// NaN for none.
    pub(crate) label: f64,
    pub(crate) weight: f64,
    pub(crate) offset: f64,
}

/// Byte order mark of UTF-8, allowed at the start of text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The push parser of a [`RecordFormat`].
///
/// Memory grows with the longest record, not with the number of rows. Time is linear in the bytes, however they are cut: each is
/// looked at once for the end of its record, and moved a bounded number of times.
#[derive(Debug)]
pub(crate) struct Records<F> {
    format: F,
    /// Bytes of the input; those from `at` on are not read yet: usually one record without its end.
    tail: Vec<u8>,
    at: usize,
    /// The search for the end of the record at `at`.
    scan: Scan,
    /// Whether whole records wait in `tail`, those behind one at fault.
    waiting: bool,
    /// Whether the start of the input is known.
    begun: bool,
    /// Until then: whether the first record is whole, and how many bytes were shown to the format last.
    whole: bool,
    shown: usize,
    /// Decompressed bytes of this input before `at`.
    offset: u64,
    /// Physical lines before `at`.
    line: u64,
    input: u32,
    digest: Digest,
}

/// From so many bytes on, the start of an input is shown to its format again when it has grown by a half.
const SHOWN_OFTEN: usize = 64 << 10;

/// Counts what parsers do with bytes beside reading rows, for tests.
#[cfg(test)]
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        static BYTES: Cell<usize> = const { Cell::new(0) };
    }

    /// So many bytes were looked at or moved.
    pub(crate) fn count(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    /// How many were, on this thread, since the last call.
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

    /// Puts bytes behind those that are not read yet.
    fn take(&mut self, bytes: &[u8]) {
        let left = self.tail.len() - self.at;
        // Only where at least as many make room.
        if self.at >= left {
            #[cfg(test)]
            work::count(left);
            self.tail.drain(..self.at);
            self.at = 0;
        }
        self.tail.extend_from_slice(bytes);
    }

    /// Reads what is whole of `tail`; with `last` its end ends a record too. Stops behind a record at fault.
    fn read(&mut self, batch: &mut Batch, last: bool) -> Result<(), ParseError> {
        if batch.start.is_empty() {
            batch.start.push(0);
        }
        self.waiting = false;
        let (text, from) = (std::mem::take(&mut self.tail), self.at);
        let done = self.begin(&text, last).and_then(|begun| match begun {
            true => self.records(&text, from, last, batch),
            false => Ok(()),
        });
        batch.text.extend_from_slice(&text[from..self.at]);
        self.tail = text;
        done
    }

    /// Passes over what comes before the rows; `false` if more of it must be seen.
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

    /// Passes over blank records; whether there is a whole one behind them, or the end.
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

    /// Reads records; those that are rows stand in `batch.text` as they do in `text` behind `from`.
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

    /// The fault of an input in which there is no telling records any more: all of it is passed over.
    fn give_up(&mut self, text: &[u8], wrong: RecordError) -> ParseError {
        let left = &text[self.at..];
        let fault = self.fault(left, wrong);
        self.advance(text, left.len());
        fault
    }

    /// Passes over bytes that are no row.
    fn advance(&mut self, text: &[u8], bytes: usize) {
        let passed = &text[self.at..self.at + bytes];
        self.digest.add(passed);
        self.pass(passed);
    }

    /// Goes on behind these bytes.
    fn pass(&mut self, bytes: &[u8]) {
        self.line += lines(bytes);
        self.offset += bytes.len() as u64;
        self.scan = Scan::default();
        self.at += bytes.len();
    }

    /// The complaint about `record`, which stands behind `self.line` lines, with its place.
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
}

/// Line from 1 and byte column from 1 of what stands at `at` in a record of several lines.
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
