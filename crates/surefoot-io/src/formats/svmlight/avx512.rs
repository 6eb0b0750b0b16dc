//! Reader of plain `index:value` pairs (short decimal numbers without exponent) that uses AVX-512 instructions: four pairs at once if their
//! numbers are short, otherwise one by one.

mod group;

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use surefoot_glm::Batch;

use super::{
    avx2,
    delimiters::{BLOCK, Delimiters},
    rules::Rules,
};
use group::{GROUP, GroupRead, group};

/// Number of pairs for which free capacity is reserved in the batch at a time.
const ROOM: usize = 256;

/// Number of pairs still to be read one by one after a group of four was too long to be read at once. The number doubles each time the next
/// group is too long as well, because each failed attempt costs time.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarBackoff {
    left: usize,
    next: usize,
}

impl ScalarBackoff {
    const FEWEST: usize = 4;
    const MOST: usize = 512;

    pub(super) fn new() -> ScalarBackoff {
        ScalarBackoff { left: 0, next: ScalarBackoff::FEWEST }
    }
}

/// Whether the processor supports all AVX-512 instructions that [`pairs`] uses.
pub(super) fn is_supported() -> bool {
    avx2::is_supported()
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
}

/// Reads consecutive plain `index:value` pairs (short decimal numbers without exponent), separated by single blanks, into the batch;
/// returns the position after the last one.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
pub(super) fn pairs(
    text: &[u8],
    mut at: usize,
    rules: &Rules,
    backoff: &mut ScalarBackoff,
    delimiters: &mut Delimiters,
    batch: &mut Batch,
) -> usize {
    loop {
        if backoff.left == 0 {
            let more;
            (at, more) = groups(text, at, rules, backoff, batch);
            if !more {
                return at;
            }
            backoff.left = backoff.next;
            backoff.next = ScalarBackoff::MOST.min(2 * backoff.left);
        }
        let before = batch.index.len();
        at = avx2::pairs(text, at, backoff.left, rules, delimiters, batch);
        let count = batch.index.len() - before;
        backoff.left -= count;
        if count == 0 || text[at - 1] != b' ' {
            return at;
        }
    }
}

/// Reads plain pairs four at a time. A function of its own, so that its values fit in registers. Returns the position after the last pair,
/// and whether another pair may begin there.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline(never)]
fn groups(text: &[u8], mut at: usize, rules: &Rules, backoff: &mut ScalarBackoff, batch: &mut Batch) -> (usize, bool) {
    loop {
        batch.index.reserve(ROOM);
        batch.value.reserve(ROOM);
        let index = batch.index.spare_capacity_mut().first_chunk_mut::<ROOM>().expect("room was made");
        let value = batch.value.spare_capacity_mut().first_chunk_mut::<ROOM>().expect("room was made");
        let mut count = 0;
        let mut stopped = None;
        while stopped.is_none()
            && let (Some(index), Some(value)) = (index[count..].first_chunk_mut(), value[count..].first_chunk_mut())
        {
            if let Some(block) = text[at..].first_chunk::<BLOCK>()
                && let Some(read) = group::<true>(load(block), rules, index, value)
            {
                count += GROUP;
                at += usize::from(read.bytes);
                continue;
            }
            let read = few(text, at, rules, index, value);
            count += usize::from(read.pairs);
            at += usize::from(read.bytes);
            if read.pairs == 0 || !read.more {
                stopped = Some(read.more);
            }
        }
        if count > GROUP {
            backoff.next = ScalarBackoff::FEWEST;
        }
        // SAFETY: `count` elements of each vector were initialised after the existing ones: each group wrote four and counted at most four.
        unsafe {
            batch.index.set_len(batch.index.len() + count);
            batch.value.set_len(batch.value.len() + count);
        }
        if let Some(more) = stopped {
            return (at, more);
        }
    }
}

/// Reads the complete plain pairs from position `at` on where fewer than four can be read at once: near the end of the row or the text.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline(never)]
fn few(
    text: &[u8],
    at: usize,
    rules: &Rules,
    index: &mut [MaybeUninit<u64>; GROUP],
    value: &mut [MaybeUninit<f64>; GROUP],
) -> GroupRead {
    let read = group::<false>(load(&text[at..]), rules, index, value);
    read.unwrap_or(GroupRead { pairs: 0, bytes: 0, more: true })
}

/// Loads up to 64 bytes from the start of a text; zeros, which count as delimiters, replace the bytes after its end.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline]
fn load(text: &[u8]) -> __m512i {
    match text.first_chunk::<BLOCK>() {
        // SAFETY: the block holds the 64 bytes that are read; the load needs no alignment.
        Some(block) => unsafe { _mm512_loadu_si512(block.as_ptr().cast()) },
        // SAFETY: the mask limits the load to the bytes of the text.
        None => unsafe { _mm512_maskz_loadu_epi8((1 << text.len()) - 1, text.as_ptr().cast()) },
    }
}

/// Whether the indices of a row are strictly ascending.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
pub(super) fn is_ascending(index: &[u64]) -> bool {
    let above = index.iter().skip(1);
    // Compares all indices without an early exit, eight at once.
    index.iter().zip(above).fold(true, |ascending, (before, after)| ascending & (before < after))
}
