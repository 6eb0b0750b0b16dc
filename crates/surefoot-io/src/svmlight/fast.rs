//! One line of svmlight, read fast: what is written as most programs write it.
//!
//! Anything else, wrong or only unusual, is left to the plain reader.

use surefoot_glm::Batch;

use super::Rules;
use super::marks::{self, Marks};
use crate::number::{self, is_end};

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
pub(crate) fn line(text: &[u8], mut at: usize, rules: &Rules, marks: &mut Marks, batch: &mut Batch) -> Line {
    while matches!(text[at], b' ' | b'\t') {
        at += 1;
    }
    if let Some(end) = line_end(text, at) {
        return Line::Nothing { end };
    }
    match label(text, at, rules) {
        Some((label, at)) => pairs(text, at, label, rules, marks, batch),
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
fn pairs(text: &[u8], mut at: usize, label: f64, rules: &Rules, marks: &mut Marks, batch: &mut Batch) -> Line {
    let first = batch.index.len();
    let legal = rules.lowest..=rules.highest;
    let mut has_group = false;
    loop {
        while matches!(text[at], b' ' | b'\t') {
            at += 1;
        }
        at = plain_pairs(text, at, rules, marks, batch);
        if matches!(text[at], b' ' | b'\t') {
            continue;
        }
        if let Some(end) = line_end(text, at) {
            let sorted = batch.index[first..].is_sorted_by(|before, index| before < index);
            return Line::Row { label, end, sorted };
        }
        match slow_pair(text, at) {
            Some((index, value, end)) if legal.contains(&index) => {
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

/// Reads one plain pair after the other, as long as a single blank stands between, and returns where it stopped.
fn plain_pairs(text: &[u8], at: usize, rules: &Rules, marks: &mut Marks, batch: &mut Batch) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("lzcnt") && is_x86_feature_detected!("popcnt") {
        #[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
        fn with_avx2(text: &[u8], at: usize, rules: &Rules, marks: &mut Marks, batch: &mut Batch) -> usize {
            let (bits, pair) = (|block: &_| marks::avx2_bits(block), |start, colon, end| number::avx2::pair(text, start, colon, end));
            marked_pairs(text, at, marks, rules, batch, bits, pair)
        }
        // SAFETY: the processor has what the function needs.
        return unsafe { with_avx2(text, at, rules, marks, batch) };
    }
    marked_pairs(text, at, marks, rules, batch, marks::bits, |start, colon, end| number::pair(text, start, colon, end))
}

/// The same with these ways to find marks and to read a pair between marks.
#[inline(always)]
fn marked_pairs(
    text: &[u8],
    mut at: usize,
    marks: &mut Marks,
    rules: &Rules,
    batch: &mut Batch,
    bits: impl Fn(&[u8; marks::BLOCK]) -> u64,
    pair: impl Fn(usize, usize, usize) -> Option<(u64, f64)>,
) -> usize {
    let (ends, _) = marks.from(text, at, bits).as_chunks();
    batch.index.reserve(ends.len());
    batch.value.reserve(ends.len());
    let room = batch.index.spare_capacity_mut().iter_mut().zip(batch.value.spare_capacity_mut());
    let mut count = 0;
    let (lowest, span) = (rules.lowest, rules.highest - rules.lowest);
    for (&[colon, end], (index_room, value_room)) in ends.iter().zip(room) {
        if text[colon] != b':' {
            break;
        }
        let Some((index, value)) = pair(at, colon, end) else { break };
        let behind = text[end];
        if (behind != b' ' && !is_end(behind)) || index.wrapping_sub(lowest) > span {
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
    // SAFETY: so many of each were written behind the earlier ones.
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
