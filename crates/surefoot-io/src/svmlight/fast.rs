//! One line of svmlight, read fast: what is written as most programs write it.
//!
//! Anything else, wrong or only unusual, is left to the plain reader.

use surefoot_glm::Batch;

use super::Rules;
use super::marks::{self, Marks};
use crate::number::{self, Pair, is_end};

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
    if number::avx2::is_there() {
        #[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
        fn with_avx2(text: &[u8], at: usize, rules: &Rules, marks: &mut Marks, batch: &mut Batch) -> usize {
            marked_pairs(
                text,
                at,
                marks,
                rules,
                batch,
                |block| marks::avx2_bits(block),
                |pair| number::avx2::pair(pair),
            )
        }
        // SAFETY: the processor has what the function needs. The parser takes three fifths of its earlier time.
        return unsafe { with_avx2(text, at, rules, marks, batch) };
    }
    marked_pairs(text, at, marks, rules, batch, marks::bits, number::pair)
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
    pair: impl Fn(&Pair<'_>) -> Option<(u64, f64)>,
) -> usize {
    // `Pair` looks back so far. Only the first row of a text can begin with slow pairs for that.
    if at < 16 {
        return at;
    }
    let (ends, _) = marks.from(text, at, bits).as_chunks();
    // Once for all of them, since marks ascend.
    assert!(ends.last().is_none_or(|last: &[usize; 2]| last[1] < text.len()), "marks of another text");
    batch.index.reserve(ends.len());
    batch.value.reserve(ends.len());
    let room = batch.index.spare_capacity_mut().iter_mut().zip(batch.value.spare_capacity_mut());
    let mut count = 0;
    let (lowest, span) = (rules.lowest, rules.highest - rules.lowest);
    for (&[colon, end], (index_room, value_room)) in ends.iter().zip(room) {
        // SAFETY: marks are places in the text, as was checked. See `Pair::new` for the gain.
        let (middle, behind) = unsafe { (*text.get_unchecked(colon), *text.get_unchecked(end)) };
        if middle != b':' {
            break;
        }
        // SAFETY: marks ascend, from `at` on, which is at least 16, and are places in the text.
        let Some((index, value)) = pair(&unsafe { Pair::new(text, at, colon, end) }) else { break };
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use surefoot_glm::Batch;

    use super::super::{Svmlight, plain};
    use super::Rules;
    use crate::options::Options;

    /// Something like a number, or a part of one.
    fn number() -> impl Strategy<Value = String> {
        let usual = "-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,9})?";
        prop_oneof![8 => usual, 1 => "[0-9]{14,18}", 1 => "[-+]?[0-9]{0,3}\\.?[0-9]{0,20}([eE][-+]?[0-9]{0,3})?", 1 => "[-+.e/0-9:]{0,6}"]
    }

    /// A line as it may come: mostly a row, with odd blanks, tokens and ends.
    fn line() -> impl Strategy<Value = String> {
        let blank =
            || prop_oneof![12 => Just(" "), 1 => Just("  "), 1 => Just("\t"), 1 => Just(" \t "), 1 => Just("\r")];
        let index = prop_oneof![8 => "[1-9][0-9]{0,6}", 1 => "[0-9]{1,20}", 1 => number()];
        let pair = (index, number(), blank()).prop_map(|(index, value, blank)| format!("{blank}{index}:{value}"));
        let label =
            prop_oneof![8 => "[-+]?1", 1 => number(), 1 => Just(" 2 qid:7".to_owned()), 1 => Just(String::new())];
        let end = prop::sample::select(vec!["", "", "", "\r", " ", "#x 1:1", " # 3:-", "\t\r", "\r\r", " qid:1", " 5"]);
        (label, prop::collection::vec(pair, 0..12), end)
            .prop_map(|(label, pairs, end)| format!("{label}{}{end}", pairs.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn lines_read_fast_are_those_read_plainly(lines in prop::collection::vec(line(), 1..20)) {
            let options = Options::default();
            let (mut parser, mut batch, mut faults) = (Svmlight::new(&options), Batch::default(), Vec::new());
            let mut read = parser.push((lines.join("\n") + "\n").as_bytes(), &mut batch);
            while let Err(fault) = read {
                faults.push((fault.line, fault.column, fault.says));
                read = parser.push(b"", &mut batch);
            }
            let mut rows = (0..batch.len()).map(|r| (batch.place[r].line, batch.row(r)));
            let mut faults = faults.into_iter();
            for (n, line) in (1..).zip(&lines) {
                match plain::row(line.as_bytes(), &Rules::new(&options)) {
                    Ok(None) => {}
                    Ok(Some(mut expected)) => {
                        expected.pairs.sort_by_key(|pair| pair.0);
                        let (line_number, row) = rows.next().expect("a row");
                        let bits = |value: f64| value.to_bits();
                        prop_assert_eq!((line_number, row.label.map(bits)), (n, expected.label.map(bits)));
                        let found: Vec<_> = row.index.iter().copied().zip(row.value.iter().copied().map(bits)).collect();
                        prop_assert_eq!(found, expected.pairs.iter().map(|p| (p.0, bits(p.1))).collect::<Vec<_>>());
                    }
                    Err(wrong) => prop_assert_eq!(faults.next(), Some((n, wrong.at as u64 + 1, wrong.says))),
                }
            }
            prop_assert_eq!((rows.next().is_none(), faults.next()), (true, None));
        }
    }
}
