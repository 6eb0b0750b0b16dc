//! Search for all positions of certain bytes in a text, block by block, before the text is parsed.

/// Number of bytes of text examined at once.
const BLOCK: usize = 64;

/// Appends the positions of all bytes of `text` that are in `set` to `places`, in ascending order.
pub(crate) fn places<const N: usize>(text: &[u8], set: [u8; N], places: &mut Vec<usize>) {
    #[cfg(target_arch = "x86_64")]
    if crate::text::number::avx2::is_supported() {
        #[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
        fn with_avx2<const N: usize>(text: &[u8], set: [u8; N], places: &mut Vec<usize>) {
            find(text, |block| avx2_bits(block, set), places);
        }
        // SAFETY: the processor supports the features of the function. It takes a third of the time of the portable code.
        return unsafe { with_avx2(text, set, places) };
    }
    find(text, |block| bits(block, set), places);
}

#[inline(always)]
fn find(text: &[u8], bits: impl Fn(&[u8; BLOCK]) -> u64, places: &mut Vec<usize>) {
    let (blocks, rest) = text.as_chunks();
    blocks.iter().enumerate().for_each(|(n, block)| spread(bits(block), BLOCK * n, places));
    let mut block = [0; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    // Bits of the padding of the block are cleared.
    spread(bits(&block) & ((1 << rest.len()) - 1), text.len() - rest.len(), places);
}

/// Appends the positions of the set bits of `bits`, plus `start`, to `places`.
#[inline(always)]
fn spread(mut bits: u64, start: usize, places: &mut Vec<usize>) {
    while bits != 0 {
        places.push(start + bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// Returns a bit mask of the bytes in a block that are in `set`, one bit per byte, with the first byte of the block in the
/// lowest bit.
fn bits<const N: usize>(block: &[u8; BLOCK], set: [u8; N]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (words, _) = block.as_chunks();
    words.iter().enumerate().fold(0, |bits, (i, word)| {
        let word = u64::from_le_bytes(*word);
        // Sets the top bit of each byte that equals `byte`, i.e. whose exclusive or with `byte` is 0.
        let is_one = |byte: u8| {
            let other = word ^ (u64::from(byte) * 0x0101_0101_0101_0101);
            !(((other & LOW) + LOW) | other | LOW)
        };
        let tops = set.into_iter().fold(0, |tops, byte| tops | is_one(byte));
        bits | side_by_side(tops) << (8 * i)
    })
}

/// Packs the top bit of each of eight bytes of `tops` into one byte, with that of the first byte in the lowest bit. All
/// other bits of `tops` must be 0.
#[inline(always)]
pub(crate) fn side_by_side(tops: u64) -> u64 {
    (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Returns the bit mask of the bytes in a block that are in `set`, like [`bits`], but computed with AVX2 instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
#[inline]
fn avx2_bits<const N: usize>(block: &[u8; BLOCK], set: [u8; N]) -> u64 {
    use std::arch::x86_64::{
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
        _mm256_setzero_si256,
    };
    let half = |bytes: &[u8; 32]| {
        // SAFETY: the half has the 32 bytes that are read; unaligned loads are allowed.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        let is_one = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
        let found = set.into_iter().fold(_mm256_setzero_si256(), |found, byte| _mm256_or_si256(found, is_one(byte)));
        _mm256_movemask_epi8(found) as u32
    };
    let (halves, _) = block.as_chunks();
    u64::from(half(&halves[0])) | u64::from(half(&halves[1])) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SET: [u8; 3] = [b',', 0xac, 0];

    proptest! {
        #[test]
        fn all_places_are_found_in_both_ways(text in proptest::collection::vec(prop_oneof![Just(b','), Just(b'-'), Just(0xac), Just(0), any::<u8>()], 0..300)) {
            let expected: Vec<usize> = (0..text.len()).filter(|&at| SET.contains(&text[at])).collect();
            let (mut found, mut plain) = (Vec::new(), Vec::new());
            places(&text, SET, &mut found);
            find(&text, |block| bits(block, SET), &mut plain);
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(plain, expected);
        }
    }
}
