//! Splitting of CSV text into records and cells, and unquoting of cells (RFC 4180).
//!
//! A quote opens a quoted cell only at the start of the cell, ignoring blanks; anywhere else in an unquoted cell it is an ordinary
//! byte. Blanks around the text of a cell are ignored.

use std::borrow::Cow;

use crate::{
    formats::{parse_error::RecordError, scan::Scan},
    table::dialect::Dialect,
    text::byte_search,
};

/// Delimiter value that stands for any run of spaces and tabs.
pub(super) const BLANKS: u8 = b' ';
/// Default quote character.
const QUOTE: u8 = b'"';
/// Maximum length of a quoted cell in bytes.
const MOST_OF_A_CELL: usize = 16 << 20;
/// Maximum length of a record (the text of one row) in bytes.
const MOST_OF_A_RECORD: usize = 256 << 20;

/// Record found in a text: its start offset, its bytes without the line break, and the start offset of the next record.
pub(super) type RecordSpan<'a> = (usize, &'a [u8], usize);

impl Dialect {
    /// Returns the dialect with the given delimiter and the double quote as quote character.
    pub(super) fn usual(delimiter: u8) -> Dialect {
        Dialect { delimiter, quote: Some(QUOTE) }
    }

    /// Returns this dialect with the given delimiter instead of its own.
    pub(super) fn with(self, delimiter: u8) -> Dialect {
        Dialect { delimiter, ..self }
    }

    /// Returns the length of the record at the start of `text`, including the line break; `None` if the record continues after `text`: see
    /// [`RecordFormat::end`](crate::formats::records::RecordFormat::end).
    pub(super) fn end(self, text: &[u8], scan: &mut Scan) -> Result<Option<usize>, RecordError> {
        #[cfg(test)]
        let from = scan.seen;
        let found = match self.quote {
            Some(quote) => self.search(text, scan, quote),
            None => {
                let found = memchr::memchr(b'\n', text.get(scan.seen..).unwrap_or_default());
                let end = found.map(|found| scan.seen + found + 1);
                scan.seen = end.unwrap_or(text.len());
                end
            }
        };
        #[cfg(test)]
        crate::formats::records::work::count(scan.seen - from);
        if found.is_some_and(|end| end <= MOST_OF_A_RECORD) {
            return Ok(found);
        }
        if let Some(open) = scan.open.filter(|open| text.len() - open > MOST_OF_A_CELL) {
            return Err(unclosed(text, open));
        }
        if found.is_some() || text.len() > MOST_OF_A_RECORD {
            let message = "this line does not end within 256 MiB: is it CSV?";
            return Err(RecordError::new(0, &text[..100], message).fatal());
        }
        Ok(None)
    }

    /// Continues the search for a line break outside quotes from where `scan` left off; returns the position after it, or `None` if there
    /// is none.
    fn search(self, text: &[u8], scan: &mut Scan, quote: u8) -> Option<usize> {
        loop {
            let left = text.get(scan.seen..).unwrap_or_default();
            if scan.open.is_none() {
                let Some(found) = memchr::memchr2(b'\n', quote, left) else { break };
                let place = scan.seen + found;
                scan.seen = place + 1;
                if text[place] == b'\n' {
                    return Some(scan.seen);
                }
                if self.opens(&text[..place]) {
                    scan.open = Some(place);
                }
            } else {
                let Some(found) = memchr::memchr(quote, left) else { break };
                let place = scan.seen + found;
                match text.get(place + 1) {
                    // The next byte determines whether the quote is doubled.
                    None => {
                        scan.seen = place;
                        return None;
                    }
                    Some(next) if *next == quote => scan.seen = place + 2,
                    // The cell is refused, as it is where its end has not arrived when it becomes too long.
                    Some(_) if scan.open.is_some_and(|open| place + 1 - open > MOST_OF_A_CELL) => return None,
                    Some(_) => (scan.seen, scan.open) = (place + 1, None),
                }
            }
        }
        scan.seen = text.len();
        None
    }

    /// Whether a quote character after the bytes `before` of a record opens a quoted cell: only blanks may precede it in its cell.
    fn opens(self, before: &[u8]) -> bool {
        let delimiter = self.delimiter;
        match before.iter().rposition(|&byte| byte == delimiter || !is_space(byte)) {
            Some(last) => before[last] == delimiter || (delimiter == BLANKS && last + 1 < before.len()),
            None => true,
        }
    }

    /// Writes the end offset of each cell of a record to `ends`. If the delimiter is a run of blanks, the first blank of a run ends the
    /// cell, and the others belong to the next cell, where surrounding blanks are ignored.
    pub(super) fn split(self, record: &[u8], ends: &mut Vec<usize>) -> Result<(), RecordError> {
        ends.clear();
        let Dialect { delimiter, quote } = self;
        let quote = quote.filter(|&quote| memchr::memchr(quote, record).is_some());
        if quote.is_none() && delimiter != BLANKS {
            byte_search::places(record, [delimiter], ends);
            ends.push(record.len());
            return Ok(());
        }
        let is_blank = |byte: u8| is_space(byte) && (byte != delimiter || byte == BLANKS);
        let mut at = 0;
        loop {
            let first = at + record[at..].iter().take_while(|&&byte| is_blank(byte)).count();
            let opened = quote.filter(|&quote| record.get(first) == Some(&quote));
            let from = match opened {
                Some(quote) => closing(record, first, quote).ok_or_else(|| unclosed(record, first))?,
                None => first,
            };
            let end = from + self.find(&record[from..]);
            if opened.is_some() && !record[from..end].iter().all(|&byte| is_space(byte)) {
                let message = "text stands behind the closing quote: quotes within a quoted cell are doubled; where quotes are only \
                            text, say --quote none";
                return Err(RecordError::new(first, &record[first..end], message));
            }
            ends.push(end);
            // Blanks at the end of a record are not a delimiter.
            if end == record.len() || (delimiter == BLANKS && record[end..].iter().all(|&byte| is_space(byte))) {
                return Ok(());
            }
            at = end + 1;
        }
    }

    /// Returns the position of the first delimiter in a text; the length of the text if there is none.
    fn find(self, text: &[u8]) -> usize {
        let found = match self.delimiter {
            BLANKS => memchr::memchr2(b' ', b'\t', text),
            delimiter => memchr::memchr(delimiter, text),
        };
        found.unwrap_or(text.len())
    }

    /// Returns the text of a cell without quotes and without blanks around the text, inside or outside the quotes. Writers quote only where
    /// necessary, so the same text occurs with and without quotes.
    pub(super) fn text(self, cell: &[u8]) -> Cow<'_, [u8]> {
        let cell = cell.trim_ascii();
        let Some(mark) = self.quote else { return cell.into() };
        let inner = match cell {
            [first, inner @ .., last] if *first == mark && *last == mark => inner.trim_ascii(),
            _ => return cell.into(),
        };
        if memchr::memchr(mark, inner).is_none() {
            return inner.into();
        }
        let mut text = Vec::with_capacity(inner.len());
        let mut rest = inner;
        while let Some(quote) = memchr::memchr(mark, rest) {
            text.extend_from_slice(&rest[..=quote]);
            rest = rest.get(quote + 2..).unwrap_or_default();
        }
        text.extend_from_slice(rest);
        text.into()
    }

    /// Returns a text as a quoted CSV cell, or unchanged if the dialect has no quote character.
    pub(super) fn quoted(self, text: &str) -> String {
        let Some(quote) = self.quote.map(char::from) else { return text.to_owned() };
        format!("{quote}{}{quote}", text.replace(quote, &format!("{quote}{quote}")))
    }

    /// Whether a record consists of blanks only and is therefore not a row.
    pub(super) fn is_blank(self, record: &[u8]) -> bool {
        record.iter().all(|&byte| byte == b' ' || (byte == b'\t' && self.delimiter == BLANKS))
    }

    /// Returns the first record from offset `at` on that is not blank; `None` if there is none or it is incomplete and `last` is false.
    pub(super) fn first(self, text: &[u8], mut at: usize, last: bool) -> Result<Option<RecordSpan<'_>>, RecordError> {
        while at < text.len() {
            let found = self.end(&text[at..], &mut Scan::default());
            let end = match found.map_err(|wrong| RecordError { at: wrong.at + at, ..wrong })? {
                Some(end) => at + end,
                None if last => text.len(),
                None => return Ok(None),
            };
            let record = &text[at..end];
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            let record = record.strip_suffix(b"\r").unwrap_or(record);
            if !self.is_blank(record) {
                return Ok(Some((at, record, end)));
            }
            at = end;
        }
        Ok(None)
    }
}

/// Whether a byte is a space or a tab.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Returns the position after the quote that closes the quoted cell opened at `open`; `None` if there is no closing quote.
fn closing(text: &[u8], open: usize, quote: u8) -> Option<usize> {
    let mut at = open + 1;
    loop {
        let behind = at + memchr::memchr(quote, text.get(at..)?)? + 1;
        if text.get(behind) != Some(&quote) {
            return Some(behind);
        }
        at = behind + 1;
    }
}

fn unclosed(record: &[u8], open: usize) -> RecordError {
    let line = record[open..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let message = "the quote that opens here is never closed: close it; where quotes are only text, say --quote none";
    RecordError::new(open, line, message).fatal()
}

/// Returns the start and the end of the text in the cell that spans `at` to `end`, without surrounding blanks.
#[inline]
pub(super) fn inner(record: &[u8], mut at: usize, mut end: usize) -> (usize, usize) {
    while at < end && is_space(record[at]) {
        at += 1;
    }
    while at < end && is_space(record[end - 1]) {
        end -= 1;
    }
    (at, end)
}

/// Iterates over the cells of a record, each with its start offset; `ends` holds the end offsets of the cells.
pub(super) fn cells<'a>(record: &'a [u8], ends: &[usize]) -> impl Iterator<Item = (usize, &'a [u8])> {
    let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    starts.zip(ends).map(|(start, &end)| (start, &record[start..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_too_long_whether_its_end_has_arrived_or_not() {
        let dialect = Dialect::usual(b',');
        for length in MOST_OF_A_CELL - 4..MOST_OF_A_CELL + 4 {
            let text = [b"\"", &*vec![b'x'; length - 2], b"\"\n"].concat();
            let mut scan = Scan::default();
            let known = (MOST_OF_A_CELL - 8..=text.len()).map(|end| dialect.end(&text[..end], &mut scan));
            let by_bytes = known.map(|end| end.map_err(drop)).find(|end| *end != Ok(None));
            let whole = dialect.end(&text, &mut Scan::default()).map_err(drop);
            assert_eq!((by_bytes, whole.is_ok()), (Some(whole), length <= MOST_OF_A_CELL), "{length}");
        }
    }
}
