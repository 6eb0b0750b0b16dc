//! Numbers of lines in a part of a text, as those of the whole text.

use std::io::Read;

use crate::{
    error::{Located, Location},
    files::part::{InputPart, PartRange},
};

/// Returns the place in the whole input of a place in a part of it, whose lines were counted from its start.
///
/// Reads the input up to the part. If this fails, the place names the byte from which lines are counted.
pub(super) fn of_whole(part: &InputPart, place: Located) -> Located {
    let (PartRange::Bytes(range), Location::Text { line, column }) = (part.range(), &place.location) else {
        return place;
    };
    match lines_before(part, range.start) {
        Some(before) => Located { location: Location::Text { line: line + before, column: *column }, ..place },
        None => Located { file: format!("{} (lines from byte {} on)", place.file, range.start), ..place },
    }
}

/// Returns the number of lines of an input before byte `end`; `None` if it cannot be read.
fn lines_before(part: &InputPart, end: u64) -> Option<u64> {
    let mut stream = part.of().open_range(0, end).ok()?;
    let (mut bytes, mut lines) = (vec![0; 256 << 10], 0);
    loop {
        match stream.read(&mut bytes).ok()? {
            0 => return Some(lines),
            n => lines += memchr::memchr_iter(b'\n', &bytes[..n]).count() as u64,
        }
    }
}
