//! Fast reader of one svmlight line, for the notation that most programs write.
//!
//! Any other line, whether invalid or only unusual, is left to the plain reader (`plain.rs`). The [backend](super::backend) reads runs of
//! plain pairs: `index:value` with short decimal numbers without exponent.

use surefoot_glm::Batch;

use super::{backend::Backend, delimiters::Delimiters, rules::Rules};
use crate::text::number::{self, is_end};

/// Result of the fast reader for one line.
pub(crate) enum Line {
    /// Row with this label (NaN if absent), whose pairs were appended to the batch. Its line break is at position `end`; `sorted` is true
    /// if the indices are ascending.
    Row { label: f64, end: usize, sorted: bool },
    /// Line without a row (blank or a comment), whose line break is at position `end`.
    Nothing { end: usize },
    /// Line that must be read by the plain reader instead; some of its pairs may already have been appended to the batch.
    Unclear,
}

/// Reads the svmlight line that starts at position `at`. `text` must end with a line break; `delimiters` must belong to `text`.
pub(super) fn line(
    text: &[u8],
    mut at: usize,
    rules: &Rules,
    backend: &mut Backend,
    delimiters: &mut Delimiters,
    batch: &mut Batch,
) -> Line {
    while matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    if let Some(end) = line_end(text, at) {
        return Line::Nothing { end };
    }
    match label(text, at, rules) {
        Some((label, at)) => pairs(text, at, label, rules, backend, delimiters, batch),
        None => Line::Unclear,
    }
}

/// Reads the label at position `at`; returns it with the position of its end, or `None` if the line must be left to the plain reader.
#[inline]
fn label(text: &[u8], at: usize, rules: &Rules) -> Option<(f64, usize)> {
    if rules.unlabelled {
        let length = text[at..].iter().position(|&byte| is_end(byte))?;
        let has_label = !text[at..at + length].contains(&b':');
        return Some((f64::NAN, if has_label { at + length } else { at }));
    }
    let (label, end) = number::value(text, at)?;
    (label.is_finite() && is_end(text[end])).then_some((label, end))
}

/// Reads the `index:value` pairs of a row from position `at` on and appends them to the batch.
fn pairs(
    text: &[u8],
    mut at: usize,
    label: f64,
    rules: &Rules,
    backend: &mut Backend,
    delimiters: &mut Delimiters,
    batch: &mut Batch,
) -> Line {
    let first = batch.index.len();
    let mut has_group = false;
    loop {
        while matches!(text[at], b' ' | b'\t') {
            at += 1;
        }
        at = backend.pairs(text, at, rules, delimiters, batch);
        if matches!(text[at], b' ' | b'\t') {
            continue;
        }
        if let Some(end) = line_end(text, at) {
            let sorted = backend.is_ascending(&batch.index[first..]);
            return Line::Row { label, end, sorted };
        }
        match slow_pair(text, at) {
            Some((index, value, end)) if index >= rules.lowest => {
                batch.index.push(index);
                batch.value.push(value);
                at = end;
            }
            None if !has_group && batch.index.len() == first => {
                let Some(end) = group_end(text, at) else { return Line::Unclear };
                has_group = true;
                at = end;
            }
            _ => return Line::Unclear,
        }
    }
}

/// Reads an `index:value` pair that is too long or too unusual for the backend; returns index, value and the position of its end, or `None`
/// if the line must be left to the plain reader.
#[inline(never)]
fn slow_pair(text: &[u8], at: usize) -> Option<(u64, f64, usize)> {
    let (index, colon) = number::index(text, at)?;
    if text[colon] != b':' {
        return None;
    }
    let (value, end) = number::value(text, colon + 1)?;
    (value.is_finite() && is_end(text[end])).then_some((index, value, end))
}

/// Returns the position of the line break if only blanks and a comment precede it from `at` on; otherwise `None`.
#[inline]
fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match text[at] {
        b'\n' => Some(at),
        b'\r' if text[at + 1] == b'\n' => Some(at + 1),
        b'#' => Some(at + memchr::memchr(b'\n', &text[at..]).expect("the text ends with a line break")),
        _ => None,
    }
}

/// Returns the position after a group id (`qid:N`) that starts at `at`; `None` if there is none.
fn group_end(text: &[u8], at: usize) -> Option<usize> {
    if !text[at..].starts_with(b"qid:") {
        return None;
    }
    let (_, end) = number::index(text, at + 4)?;
    is_end(text[end]).then_some(end)
}
