//! Records and cells: where they end, and what stands in them (RFC 4180).
//!
//! A quote opens a quoted cell only at its start, blanks aside; anywhere else in an unquoted cell it is a byte like any other.
//! Blanks around the text of a cell do not count. A delimiter of [`BLANKS`] stands for any run of blanks and tabs.

use std::borrow::Cow;

use crate::bytes;
use crate::records::{Complaint, Scan};

/// The delimiter that stands for runs of blanks and tabs.
pub(super) const BLANKS: u8 = b' ';
/// Most bytes of a quoted cell.
const MOST_OF_A_CELL: usize = 16 << 20;
/// Most bytes of a record.
const MOST_OF_A_RECORD: usize = 256 << 20;

/// Where a record ends, its line break included: see [`RecordFormat::end`](crate::records::RecordFormat::end).
pub(super) fn end(text: &[u8], scan: &mut Scan, delimiter: u8) -> Result<Option<usize>, Complaint> {
    #[cfg(test)]
    let from = scan.seen;
    let found = search(text, scan, delimiter);
    #[cfg(test)]
    crate::records::work::count(scan.seen - from);
    if found.is_some() {
        return Ok(found);
    }
    if let Some(open) = scan.open.filter(|open| text.len() - open > MOST_OF_A_CELL) {
        return Err(unclosed(text, open));
    }
    if text.len() > MOST_OF_A_RECORD {
        let says = "this line does not end within 256 MiB: is it CSV?";
        return Err(Complaint::new(0, &text[..100], says).fatal());
    }
    Ok(None)
}

/// Goes on with the search for a line break outside of quotes.
fn search(text: &[u8], scan: &mut Scan, delimiter: u8) -> Option<usize> {
    loop {
        let left = text.get(scan.seen..).unwrap_or_default();
        if scan.open.is_none() {
            let Some(found) = memchr::memchr2(b'\n', b'"', left) else { break };
            let place = scan.seen + found;
            scan.seen = place + 1;
            if text[place] == b'\n' {
                return Some(scan.seen);
            }
            if opens(&text[..place], delimiter) {
                scan.open = Some(place);
            }
        } else {
            let Some(found) = memchr::memchr(b'"', left) else { break };
            let place = scan.seen + found;
            match text.get(place + 1) {
                // Whether it is doubled shows with the next byte.
                None => {
                    scan.seen = place;
                    return None;
                }
                Some(b'"') => scan.seen = place + 2,
                Some(_) => (scan.seen, scan.open) = (place + 1, None),
            }
        }
    }
    scan.seen = text.len();
    None
}

/// Whether a quote behind these bytes of a record opens a cell: whether they end with a delimiter and blanks.
fn opens(before: &[u8], delimiter: u8) -> bool {
    match before.iter().rposition(|&byte| byte == delimiter || !is_space(byte)) {
        Some(last) => before[last] == delimiter || (delimiter == BLANKS && last + 1 < before.len()),
        None => true,
    }
}

/// Whether a byte is a blank or a tab.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What stands behind the quote that closes the cell that a quote opens at `open`.
fn closing(text: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        let behind = at + memchr::memchr(b'"', text.get(at..)?)? + 1;
        if text.get(behind) != Some(&b'"') {
            return Some(behind);
        }
        at = behind + 1;
    }
}

fn unclosed(record: &[u8], open: usize) -> Complaint {
    let line = record[open..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let says = "the quote that opens here is never closed: close it; where quotes are only text, take them out first, as with tr -d '\"'";
    Complaint::new(open, line, says).fatal()
}

/// Finds the ends of the cells of a record. With runs of blanks between them, all but the first of a run belong to the cell
/// behind them, as blanks around its text.
pub(super) fn split(record: &[u8], delimiter: u8, ends: &mut Vec<usize>) -> Result<(), Complaint> {
    ends.clear();
    let is_quoted = memchr::memchr(b'"', record).is_some();
    if !is_quoted && delimiter != BLANKS {
        bytes::places(record, [delimiter], ends);
        ends.push(record.len());
        return Ok(());
    }
    let mut at = 0;
    loop {
        let first = at
            + record[at..].iter().take_while(|&&byte| is_space(byte) && (byte != delimiter || byte == BLANKS)).count();
        let is_quoted = record.get(first) == Some(&b'"');
        let from = if is_quoted { closing(record, first).ok_or_else(|| unclosed(record, first))? } else { first };
        let end = from + find(&record[from..], delimiter);
        if is_quoted && !record[from..end].iter().all(|&byte| is_space(byte)) {
            let says = "text stands behind the closing quote: quotes within a quoted cell are doubled; where quotes are only text, \
                        take them out first, as with tr -d '\"'";
            return Err(Complaint::new(first, &record[first..end], says));
        }
        ends.push(end);
        // Blanks at the end of a record are no delimiter.
        if end == record.len() || (delimiter == BLANKS && record[end..].iter().all(|&byte| is_space(byte))) {
            return Ok(());
        }
        at = end + 1;
    }
}

/// Where the first delimiter stands, or the end.
fn find(text: &[u8], delimiter: u8) -> usize {
    let found = if delimiter == BLANKS { memchr::memchr2(b' ', b'\t', text) } else { memchr::memchr(delimiter, text) };
    found.unwrap_or(text.len())
}

/// Where the text of the cell from `at` to `end` starts and ends, blanks around it aside.
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

/// What a cell of a record that was split says, without blanks around it, within its quotes or outside: those who write
/// tables quote what they must, so that the same text comes with quotes and without.
pub(super) fn text(cell: &[u8]) -> Cow<'_, [u8]> {
    let cell = cell.trim_ascii();
    let Some(inner) = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\"")) else { return cell.into() };
    let inner = inner.trim_ascii();
    if memchr::memchr(b'"', inner).is_none() {
        return inner.into();
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        text.extend_from_slice(&rest[..=quote]);
        rest = rest.get(quote + 2..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    text.into()
}

/// The cells whose ends these are.
pub(super) fn cells<'a>(record: &'a [u8], ends: &[usize]) -> impl Iterator<Item = (usize, &'a [u8])> {
    let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
    starts.zip(ends).map(|(start, &end)| (start, &record[start..end]))
}

/// Whether a record is no row.
pub(super) fn is_blank(record: &[u8], delimiter: u8) -> bool {
    record.iter().all(|&byte| byte == b' ' || (byte == b'\t' && delimiter == BLANKS))
}

/// Where a record starts, the record, and where the one behind it starts.
pub(super) type Placed<'a> = (usize, &'a [u8], usize);

/// The first record that is not blank at or behind `at`, in its place. `None` if it has not ended yet,
/// or there is none.
pub(super) fn first(text: &[u8], mut at: usize, delimiter: u8, last: bool) -> Result<Option<Placed<'_>>, Complaint> {
    while at < text.len() {
        let found = end(&text[at..], &mut Scan::default(), delimiter);
        let end = match found.map_err(|wrong| Complaint { at: wrong.at + at, ..wrong })? {
            Some(end) => at + end,
            None if last => text.len(),
            None => return Ok(None),
        };
        let record = &text[at..end];
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        let record = record.strip_suffix(b"\r").unwrap_or(record);
        if !is_blank(record, delimiter) {
            return Ok(Some((at, record, end)));
        }
        at = end;
    }
    Ok(None)
}
