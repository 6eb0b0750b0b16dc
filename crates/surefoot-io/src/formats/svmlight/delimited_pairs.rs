//! Plain pairs one by one, once it is known where they end: the loop that the AVX2 and the portable backend share.

use surefoot_glm::Batch;

use super::{
    delimiters::{BLOCK, Delimiters},
    rules::Rules,
};
use crate::text::number::{Pair, is_end};

/// Reads one plain pair after the other, `most` at most, with these functions that find delimiters and read a pair between them,
/// as long as a single blank stands between, and returns where it stopped.
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
    // `Pair` looks back so far. Only the first row of a text can begin with slow pairs for that.
    if at < 16 {
        return at;
    }
    let (ends, _) = delimiters.from(text, at, 2 * most, bits).as_chunks();
    let ends = &ends[..ends.len().min(most)];
    // Once for all of them, since delimiters ascend.
    assert!(ends.last().is_none_or(|last: &[usize; 2]| last[1] < text.len()), "delimiters of another text");
    batch.index.reserve(ends.len());
    batch.value.reserve(ends.len());
    let room = batch.index.spare_capacity_mut().iter_mut().zip(batch.value.spare_capacity_mut());
    let mut count = 0;
    for (&[colon, end], (index_room, value_room)) in ends.iter().zip(room) {
        // SAFETY: delimiters are places in the text, as was checked. See `Pair::new` for the gain.
        let (middle, behind) = unsafe { (*text.get_unchecked(colon), *text.get_unchecked(end)) };
        if middle != b':' {
            break;
        }
        // SAFETY: delimiters ascend, from `at` on, which is at least 16, and are places in the text.
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
    delimiters.skip(2 * count);
    at
}
