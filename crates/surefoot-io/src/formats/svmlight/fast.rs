//! One line of svmlight, read fast: what is written as most programs write it.
//!
//! Anything else, wrong or only unusual, is left to the plain reader.

use surefoot_glm::Batch;

use super::{
    Rules,
    marks::{self, Marks},
    way::Way,
};
use crate::text::number::{self, Pair, is_end};

/// What a line turned out to be.
pub(crate) enum Line {
    /// A row, with this label (NaN for none); the line break is at this place. Its pairs are in the batch,
    /// in ascending order of their ids or not.
    Row { label: f64, end: usize, sorted: bool },
    /// No row: blank, or a comment.
    Nothing { end: usize },
    /// For the plain reader. Pairs may be in the batch.
    Unclear,
}

/// Reads the line at `at`. `text` must hold its line break and end with one; `marks` must be those of `text`.
pub(super) fn line(
    text: &[u8],
    mut at: usize,
    rules: &Rules,
    way: &mut Way,
    marks: &mut Marks,
    batch: &mut Batch,
) -> Line {
    while matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    if let Some(end) = line_end(text, at) {
        return Line::Nothing { end };
    }
    match label(text, at, rules) {
        Some((label, at)) => pairs(text, at, label, rules, way, marks, batch),
        None => Line::Unclear,
    }
}

/// The label and where it ends.
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

/// Reads the pairs.
fn pairs(
    text: &[u8],
    mut at: usize,
    label: f64,
    rules: &Rules,
    way: &mut Way,
    marks: &mut Marks,
    batch: &mut Batch,
) -> Line {
    let first = batch.index.len();
    let mut has_group = false;
    loop {
        while matches!(text[at], b' ' | b'\t') {
            at += 1;
        }
        at = way.pairs(text, at, rules, marks, batch);
        if matches!(text[at], b' ' | b'\t') {
            continue;
        }
        if let Some(end) = line_end(text, at) {
            let sorted = way.is_ascending(&batch.index[first..]);
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

/// Reads one plain pair after the other, `most` at most, with these ways to find marks and to read a pair between marks,
/// as long as a single blank stands between, and returns where it stopped.
#[inline(always)]
pub(super) fn marked_pairs(
    text: &[u8],
    mut at: usize,
    most: usize,
    rules: &Rules,
    marks: &mut Marks,
    batch: &mut Batch,
    (bits, pair): (impl Fn(&[u8; marks::BLOCK]) -> u64, impl Fn(&Pair<'_>) -> Option<(u64, f64)>),
) -> usize {
    // `Pair` looks back so far. Only the first row of a text can begin with slow pairs for that.
    if at < 16 {
        return at;
    }
    let (ends, _) = marks.from(text, at, 2 * most, bits).as_chunks();
    let ends = &ends[..ends.len().min(most)];
    // Once for all of them, since marks ascend.
    assert!(ends.last().is_none_or(|last: &[usize; 2]| last[1] < text.len()), "marks of another text");
    batch.index.reserve(ends.len());
    batch.value.reserve(ends.len());
    let room = batch.index.spare_capacity_mut().iter_mut().zip(batch.value.spare_capacity_mut());
    let mut count = 0;
    for (&[colon, end], (index_room, value_room)) in ends.iter().zip(room) {
        // SAFETY: marks are places in the text, as was checked. See `Pair::new` for the gain.
        let (middle, behind) = unsafe { (*text.get_unchecked(colon), *text.get_unchecked(end)) };
        if middle != b':' {
            break;
        }
        // SAFETY: marks ascend, from `at` on, which is at least 16, and are places in the text.
        let Some((index, value)) = pair(&unsafe { Pair::new(text, at, colon, end) }) else { break };
        if (behind != b' ' && !is_end(behind)) || index < rules.lowest {
            break;
        }
        index_room.write(index);
        value_room.write(value);
        count += 1;
        at = end;
        if behind != b' ' {
            break;
        }
        at += 1;
    }
    // SAFETY: so many of each were written behind the earlier ones. Over `push` this saves a twentieth.
    unsafe {
        batch.index.set_len(batch.index.len() + count);
        batch.value.set_len(batch.value.len() + count);
    }
    marks.skip(2 * count);
    at
}

/// A pair that is longer or written in another way than most.
#[inline(never)]
fn slow_pair(text: &[u8], at: usize) -> Option<(u64, f64, usize)> {
    let (index, colon) = number::index(text, at)?;
    if text[colon] != b':' {
        return None;
    }
    let (value, end) = number::value(text, colon + 1)?;
    (value.is_finite() && is_end(text[end])).then_some((index, value, end))
}

/// The place of the line break if nothing but a comment stands before it.
#[inline]
fn line_end(text: &[u8], at: usize) -> Option<usize> {
    match text[at] {
        b'\n' => Some(at),
        b'\r' if text[at + 1] == b'\n' => Some(at + 1),
        b'#' => Some(at + memchr::memchr(b'\n', &text[at..]).expect("the text ends with a line break")),
        _ => None,
    }
}

/// The end of a token `qid:N`.
fn group_end(text: &[u8], at: usize) -> Option<usize> {
    if !text[at..].starts_with(b"qid:") {
        return None;
    }
    let (_, end) = number::index(text, at + 4)?;
    is_end(text[end]).then_some(end)
}
