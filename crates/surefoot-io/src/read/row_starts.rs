//! Where rows begin in a text, so that it can be divided between them.

use std::io::{self, Read};
use std::sync::Arc;

use crate::{
    files::random_access::{RandomAccess, ReadFrom},
    formats::{parser::TextParser, scan::Scan},
};

/// Number of bytes read at once.
const CHUNK: usize = 64 << 10;

/// Returns for each target, ascending byte offsets, the first start of a row there or behind it: the size of the text if there is none,
/// and 0 if it is the first row, which begins at byte `first`.
///
/// # Errors
/// If the text cannot be read.
pub(super) fn behind(
    access: &Arc<dyn RandomAccess>,
    first: u64,
    parser: &dyn TextParser,
    targets: &[u64],
) -> io::Result<Vec<u64>> {
    let found = if parser.ends_at_lines() {
        targets.iter().map(|&target| behind_line(access, target)).collect::<io::Result<Vec<u64>>>()?
    } else {
        by_scan(access, first, parser, targets)?
    };
    Ok(found.into_iter().map(|start| if start <= first { 0 } else { start }).collect())
}

/// Returns the first offset from `target` on that follows a line break; the size of the text if there is none.
fn behind_line(access: &Arc<dyn RandomAccess>, target: u64) -> io::Result<u64> {
    let mut at = target.saturating_sub(1);
    let mut bytes = vec![0; CHUNK];
    loop {
        let n = access.read_at(&mut bytes, at)?;
        if n == 0 {
            return Ok(access.size());
        }
        if let Some(found) = memchr::memchr(b'\n', &bytes[..n]) {
            return Ok(at + found as u64 + 1);
        }
        at += n as u64;
    }
}

/// Finds the starts of rows by passing over all rows from the first one on.
fn by_scan(
    access: &Arc<dyn RandomAccess>,
    first: u64,
    parser: &dyn TextParser,
    targets: &[u64],
) -> io::Result<Vec<u64>> {
    let mut stream = ReadFrom { access: access.clone(), at: first };
    // The unread bytes are those of `text` from `at` on, of which `start` is the offset in the input.
    let (mut text, mut at, mut start, mut scan) = (Vec::new(), 0, first, Scan::default());
    let (mut found, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    while found.len() < targets.len() {
        match parser.row_end(&text[at..], &mut scan) {
            Ok(Some(end)) => (at, start, scan) = (at + end, start + end as u64, Scan::default()),
            // The reader of the last part reports the fault.
            Err(_) => start = access.size(),
            Ok(None) => {
                if at >= text.len() - at {
                    text.drain(..at);
                    at = 0;
                }
                let n = stream.read(&mut chunk)?;
                text.extend_from_slice(&chunk[..n]);
                if n == 0 {
                    start = access.size();
                }
            }
        }
        let passed = targets[found.len()..].iter().take_while(|&&target| target <= start).count();
        found.extend(std::iter::repeat_n(start, passed));
    }
    Ok(found)
}
