//! Records of text, however their bytes are cut: what formats of one record a row share.

use surefoot_glm::{Batch, Place};

use crate::digest::Digest;
use crate::error;
use crate::format::TextParser;
use crate::svmlight::TextFault;

/// A text format whose rows are records. What is common to all, [`Records`] does.
pub(crate) trait RecordFormat: Send {
    /// Looks at the first bytes of an input, all that there are so far; `last` if there will be no more. Returns how many
    /// bytes and lines at the start are no rows (a header, say), or `None` if more must be seen first. Called until it
    /// answers, for each input.
    ///
    /// # Errors
    /// What is wrong with these bytes, the column counted in its line.
    fn begin(&mut self, bytes: &[u8], last: bool) -> Result<Option<usize>, Complaint> {
        let _ = (bytes, last);
        Ok(Some(0))
    }

    /// Where the record that starts at `start` ends, its line break included; `None` if not in `text`. `seen` bytes of the
    /// record were looked at in vain before.
    ///
    /// # Errors
    /// A record that cannot be one however it goes on.
    fn end(&self, text: &[u8], start: usize, seen: usize) -> Result<Option<usize>, Complaint> {
        let from = start + seen;
        Ok(memchr::memchr(b'\n', &text[from..]).map(|at| from + at + 1))
    }

    /// Reads a record without its line break (neither LF nor CRLF) and appends its pairs to the batch: its other numbers if
    /// it is a row. After an error nothing of it may be left in the batch.
    ///
    /// # Errors
    /// What is wrong with the record.
    fn record(&mut self, record: &[u8], batch: &mut Batch) -> Result<Option<Numbers>, Complaint>;

    /// The input has ended.
    fn finish(&mut self) {}
}

/// The numbers of a row beside its pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Numbers {
    /// NaN for none.
    pub(crate) label: f64,
    pub(crate) weight: f64,
    pub(crate) offset: f64,
}

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// Where the token begins, from the start of the record.
    pub(crate) at: usize,
    /// The whole token; shown by [`error::token`].
    pub(crate) token: Vec<u8>,
    /// What is wrong and what to do.
    pub(crate) says: String,
    /// Whether nothing that follows can be read.
    pub(crate) fatal: bool,
}

impl Complaint {
    pub(crate) fn new(at: usize, token: &[u8], says: impl Into<String>) -> Complaint {
        Complaint { at, token: token.to_vec(), says: says.into(), fatal: false }
    }

    /// The same, about more than a row: nothing that follows can be read.
    pub(crate) fn fatal(self) -> Complaint {
        Complaint { fatal: true, ..self }
    }
}

/// What may stand at the very start of text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The push parser of a [`RecordFormat`].
///
/// Memory grows with the longest record, not with the number of rows.
#[derive(Debug)]
pub(crate) struct Records<F> {
    format: F,
    /// Bytes that are not read yet: usually one record without its end.
    tail: Vec<u8>,
    /// How many of them were looked at in vain for the end of the record.
    seen: usize,
    /// Whether whole records wait in `tail`, those behind one at fault.
    waiting: bool,
    /// Whether the start of the input is known.
    begun: bool,
    /// Decompressed bytes of this input before `tail`.
    offset: u64,
    /// Physical lines before `tail`.
    line: u64,
    input: u32,
    digest: Digest,
}

impl<F: RecordFormat> Records<F> {
    pub(crate) fn new(format: F) -> Records<F> {
        Records {
            format,
            tail: Vec::new(),
            seen: 0,
            waiting: false,
            begun: false,
            offset: 0,
            line: 0,
            input: 0,
            digest: Digest::default(),
        }
    }

    /// Reads what is whole of `tail`; with `last` its end ends a record too. Stops behind a record at fault.
    fn read(&mut self, batch: &mut Batch, last: bool) -> Result<(), TextFault> {
        if batch.start.is_empty() {
            batch.start.push(0);
        }
        self.waiting = false;
        let base = batch.text.len();
        batch.text.append(&mut self.tail);
        let text = std::mem::take(&mut batch.text);
        let mut at = base;
        let done = self.begin(&text, &mut at, last).and_then(|begun| match begun {
            true => self.records(&text, &mut at, last, batch),
            false => Ok(()),
        });
        self.tail.extend_from_slice(&text[at..]);
        batch.text = text;
        batch.text.truncate(at);
        done
    }

    /// Passes over what comes before the rows; `false` if more of it must be seen.
    fn begin(&mut self, text: &[u8], at: &mut usize, last: bool) -> Result<bool, TextFault> {
        if self.begun {
            return Ok(true);
        }
        if !last && self.offset == 0 && BYTE_ORDER_MARK.starts_with(&text[*at..]) {
            return Ok(false);
        }
        let mark = if self.offset == 0 && text[*at..].starts_with(BYTE_ORDER_MARK) { 3 } else { 0 };
        match self.format.begin(&text[*at + mark..], last) {
            Ok(None) => Ok(false),
            Ok(Some(head)) => {
                self.begun = true;
                self.advance(text, at, mark + head);
                Ok(true)
            }
            Err(wrong) => {
                let fault = self.fault(&text[*at + mark..], wrong);
                // There is no telling rows here: the whole input is passed over.
                self.advance(text, at, text.len() - *at);
                Err(fault)
            }
        }
    }

    fn records(&mut self, text: &[u8], at: &mut usize, last: bool, batch: &mut Batch) -> Result<(), TextFault> {
        while *at < text.len() {
            let end = match self.format.end(text, *at, self.seen) {
                Ok(Some(end)) => end,
                Ok(None) if last => text.len(),
                Ok(None) => {
                    self.seen = text.len() - *at;
                    return Ok(());
                }
                Err(wrong) => {
                    let fault = self.fault(&text[*at..], wrong);
                    self.advance(text, at, text.len() - *at);
                    return Err(fault);
                }
            };
            self.seen = 0;
            let record = without_line_break(&text[*at..end]);
            match self.format.record(record, batch) {
                Ok(row) => {
                    if let Some(Numbers { label, weight, offset }) = row {
                        batch.push_offset(offset);
                        batch.label.push(label);
                        batch.weight.push(weight);
                        batch.start.push(batch.index.len());
                        batch.place.push(Place {
                            input: self.input,
                            line: self.line + 1,
                            text: (*at, *at + record.len()),
                            end: self.offset + (end - *at) as u64,
                            hash: self.digest.close(&text[*at..end]),
                        });
                        self.line += lines(&text[*at..end]);
                        self.offset += (end - *at) as u64;
                        *at = end;
                    } else {
                        self.advance(text, at, end - *at);
                    }
                }
                Err(wrong) => {
                    let fault = self.fault(record, wrong);
                    self.advance(text, at, end - *at);
                    self.waiting = memchr::memchr(b'\n', &text[*at..]).is_some();
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// Passes over bytes that are no row.
    fn advance(&mut self, text: &[u8], at: &mut usize, bytes: usize) {
        let passed = &text[*at..*at + bytes];
        self.digest.add(passed);
        self.line += lines(passed);
        self.offset += bytes as u64;
        self.seen = 0;
        *at += bytes;
    }

    /// The complaint about `record`, which stands behind `self.line` lines, with its place.
    fn fault(&self, record: &[u8], wrong: Complaint) -> TextFault {
        let (line, column) = spot(record, wrong.at);
        TextFault {
            input: self.input,
            line: self.line + line,
            column,
            token: error::token(&wrong.token),
            says: wrong.says,
            fatal: wrong.fatal,
        }
    }
}

impl<F: RecordFormat> TextParser for Records<F> {
    fn push(&mut self, bytes: &[u8], batch: &mut Batch) -> Result<(), TextFault> {
        self.tail.extend_from_slice(bytes);
        if !self.waiting && self.begun && memchr::memchr(b'\n', bytes).is_none() {
            return Ok(());
        }
        self.read(batch, false)
    }

    fn finish(&mut self, batch: &mut Batch) -> Result<(), TextFault> {
        let done = self.read(batch, true);
        if done.is_err() && !self.tail.is_empty() {
            self.waiting = true;
            return done;
        }
        self.format.finish();
        self.tail.clear();
        (self.seen, self.waiting, self.begun, self.offset, self.line) = (0, false, false, 0, 0);
        self.input += 1;
        done
    }

    fn waiting(&self) -> bool {
        self.waiting
    }
}

/// Line from 1 and byte column from 1 of what stands at `at` in a record of several lines.
pub(crate) fn spot(record: &[u8], at: usize) -> (u64, u64) {
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
