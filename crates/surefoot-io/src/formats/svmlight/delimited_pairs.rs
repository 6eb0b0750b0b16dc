//! Reader of plain `index:value` pairs, one by one, between known delimiter positions: the loop shared by the AVX2 and the portable
//! backend.

use surefoot_glm::Batch;

use super::{
    delimiters::{BLOCK, Delimiters},
    rules::Rules,
};
use crate::text::number::{Pair, is_end};

/// Reads up to `most` consecutive plain `index:value` pairs (short decimal numbers without exponent), separated by single blanks, into the
/// batch; returns the position after the last one. `bits` finds the delimiters in a block of text, and `pair` parses one pair.
#[inline(always)]
pub(super) fn delimited_pairs(
    text: &[u8],
    mut at: usize,
    most: usize,
    rules: &Rules,
    delimiters: &mut Delimiters,
    batch: &mut Batch,
    (bits, pair): (impl Fn(&[u8; BLOCK]) -> u64, impl Fn(&Pair<'_>) -> Option<(u64, f64)>),
) -> usize {
    // `Pair` reads up to 16 bytes before a number. Only the first row of a text can therefore begin with pairs for the slow path.
    if at < 16 {
        return at;
    }
    let (ends, _) = delimiters.from(text, at, 2 * most, bits).as_chunks();
    let ends = &ends[..ends.len().min(most)];
    // One check suffices for all delimiters, since they ascend.
    assert!(ends.last().is_none_or(|last: &[usize; 2]| last[1] < text.len()), "delimiters of another text");
    batch.index.reserve(ends.len());
    batch.value.reserve(ends.len());
    let room = batch.index.spare_capacity_mut().iter_mut().zip(batch.value.spare_capacity_mut());
    let mut count = 0;
    for (&[colon, end], (index_room, value_room)) in ends.iter().zip(room) {
        // SAFETY: delimiters are positions in the text, as checked above. `Pair::new` states the gain.
        let (middle, behind) = unsafe { (*text.get_unchecked(colon), *text.get_unchecked(end)) };
        if middle != b':' {
            break;
        }
        // SAFETY: delimiters ascend from `at`, which is at least 16, and are positions in the text.
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
    // SAFETY: `count` elements of each vector were initialised after the existing ones. This takes a twentieth less time than `push`.
    unsafe {
        batch.index.set_len(batch.index.len() + count);
        batch.value.set_len(batch.value.len() + count);
    }
    delimiters.skip(2 * count);
    at
}
