//! Search for the delimiters of a text, that is, all bytes that cannot be part of a plain number, block by block.
//!
//! The parser is fast because it knows these positions before it reads any number: the numbers of one pair do not depend on
//! the numbers before them.

use crate::text::byte_search::side_by_side;

/// Number of bytes of text examined at once.
pub(crate) const BLOCK: usize = 64;
/// Maximum number of delimiter positions kept; small enough for the first-level cache.
pub(super) const ROOM: usize = 1024;

/// Positions of the delimiters in a text: all bytes except digits, points, minus signs and slashes (the range from `-` to `9`).
#[derive(Debug)]
pub(crate) struct Delimiters {
    places: Box<[usize; ROOM]>,
    next: usize,
    end: usize,
}

impl Default for Delimiters {
    fn default() -> Delimiters {
        Delimiters { places: Box::new([0; ROOM]), next: 0, end: 0 }
    }
}

impl Delimiters {
    /// Discards all positions; must be called before another text is searched.
    pub(crate) fn clear(&mut self) {
        self.end = 0;
        self.next = 0;
    }

    /// Returns the next delimiter positions from `at` on, in ascending order: at least two unless the text has fewer, but not necessarily
    /// all. If the text must be searched, the search stops after about `enough` delimiters. For the same text, `at` must not decrease
    /// from call to call.
    #[inline(always)]
    pub(crate) fn from(
        &mut self,
        text: &[u8],
        at: usize,
        enough: usize,
        bits: impl Fn(&[u8; BLOCK]) -> u64,
    ) -> &[usize] {
        while self.next < self.end && self.places[self.next] < at {
            self.next += 1;
        }
        if self.end - self.next < 2 {
            self.next = 0;
            self.end = find(text, at, enough, &mut self.places, bits);
        }
        &self.places[self.next..self.end]
    }

    /// Discards the next `count` delimiters.
    pub(crate) fn skip(&mut self, count: usize) {
        self.next += count;
    }
}

/// Finds the next delimiters from position `at` on, writes their positions to `places`, and returns the number found.
#[inline(always)]
fn find(
    text: &[u8],
    at: usize,
    enough: usize,
    places: &mut [usize; ROOM],
    bits: impl Fn(&[u8; BLOCK]) -> u64,
) -> usize {
    let mut count = 0;
    let (blocks, rest) = text[at..].as_chunks::<BLOCK>();
    let mut start = at;
    for block in blocks {
        let Some(room) = places[count..].first_chunk_mut() else { return count };
        count += spread(bits(block), start, room);
        start += BLOCK;
        if count >= enough {
            return count;
        }
    }
    if let Some(room) = places[count..].first_chunk_mut() {
        let mut block = [b'0'; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        count += spread(bits(&block), start, room);
    }
    count
}

/// Writes the positions of the set bits of `bits`, plus `start`, to `places`, and returns the number of set bits.
///
/// May write more positions than there are set bits: stopping exactly at the last one would cost more than the extra writes, since the
/// processor cannot predict their number.
#[inline(always)]
fn spread(mut bits: u64, start: usize, places: &mut [usize; BLOCK]) -> usize {
    let count = bits.count_ones() as usize;
    let (often, seldom) = places.split_at_mut(12);
    for place in often {
        *place = start + bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
    }
    for place in seldom {
        if bits == 0 {
            break;
        }
        *place = start + bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
    }
    count
}

/// Returns a bit mask of the delimiters in a block, one bit per byte, with the first byte of the block in the lowest bit.
#[inline(always)]
pub(crate) fn bits(block: &[u8; BLOCK]) -> u64 {
    let (words, _) = block.as_chunks();
    words.iter().enumerate().fold(0, |bits, (i, word)| {
        let word = u64::from_le_bytes(*word);
        let low = word & 0x7f7f_7f7f_7f7f_7f7f;
        // The top bit of each byte outside the range 0x2d (minus) to 0x39 (nine).
        let delimiters =
            ((low + 0x4646_4646_4646_4646) | word | !(low + 0x5353_5353_5353_5353)) & 0x8080_8080_8080_8080;
        bits | side_by_side(delimiters) << (8 * i)
    })
}

/// Returns the bit mask of the delimiters in a block (first byte in the lowest bit), computed with AVX2 instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
#[inline]
pub(crate) fn avx2_bits(block: &[u8; BLOCK]) -> u64 {
    use std::arch::x86_64::{
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_sub_epi8,
    };
    let half = |bytes: &[u8; 32]| {
        // SAFETY: the half holds the 32 bytes that are read; the load needs no alignment.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        let above = _mm256_sub_epi8(bytes, _mm256_set1_epi8(b'-' as i8));
        let inside = _mm256_cmpeq_epi8(above, _mm256_min_epu8(above, _mm256_set1_epi8((b'9' - b'-') as i8)));
        !_mm256_movemask_epi8(inside) as u32
    };
    let (halves, _) = block.as_chunks();
    u64::from(half(&halves[0])) | u64::from(half(&halves[1])) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(block: &[u8; BLOCK]) -> u64 {
        (0..BLOCK).fold(0, |set, i| set | u64::from(!(b'-'..=b'9').contains(&block[i])) << i)
    }

    #[test]
    fn every_byte_is_found_as_plain_code_finds_it() {
        for byte in 0..=255u8 {
            for other in [b'0', b'9', b'-', b',', b':', 0x7f, 0x80, 0xff] {
                for at in 0..BLOCK {
                    let mut block = [other; BLOCK];
                    block[at] = byte;
                    assert_eq!(bits(&block), plain(&block), "{byte} at {at} in {other}");
                    #[cfg(target_arch = "x86_64")]
                    if crate::text::number::avx2::is_supported() {
                        // SAFETY: the processor supports the instructions that the function requires.
                        assert_eq!(unsafe { avx2_bits(&block) }, plain(&block), "{byte} at {at} in {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn delimiters_come_in_order_and_none_is_left_out() {
        for gap in [1, 2, 5, 64, 65, 200] {
            for length in [0, 1, 63, 64, 65, 1000, 5000] {
                let text: Vec<u8> = (0..length).map(|i| if i % gap == 0 { b' ' } else { b'7' }).collect();
                let expected: Vec<usize> = (0..length).step_by(gap).collect();
                for (step, enough) in [(1, 2), (2, 7), (2, ROOM), (100, 70), (100, ROOM)] {
                    let (mut delimiters, mut found) = (Delimiters::default(), Vec::new());
                    let mut at = 0;
                    loop {
                        let next = delimiters.from(&text, at, enough, bits);
                        let some = &next[..next.len().min(step)];
                        found.extend_from_slice(some);
                        let Some(last) = some.last() else { break };
                        assert!(next.len() > 1 || *last == *expected.last().unwrap());
                        at = last + 1;
                    }
                    assert_eq!(found, expected, "{gap} {length} {step}");
                }
            }
        }
    }
}
