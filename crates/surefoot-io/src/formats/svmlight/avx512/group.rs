//! Reader of up to four plain `index:value` pairs (short decimal numbers without exponent) at once, from a block of 64 bytes.
//!
//! A token is the text before a delimiter: alternately an index and a value. A few bit operations, with one bit per byte of text, find the
//! start of the digits, the point and the end of every token. One permutation of bytes then places the digits of all numbers side by side,
//! without points, eight bytes per number.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use crate::{
    formats::svmlight::{delimiters::BLOCK, rules::Rules},
    text::number::is_end,
};

/// Maximum number of `index:value` pairs read at once.
pub(super) const GROUP: usize = 4;

/// Mask of the lowest bit of each of eight bytes, one byte per token.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Bit mask of the indices among the eight tokens of a group, which are alternately an index and a value.
const INDICES: u64 = 0x55;
/// Bit mask of the values among the eight tokens of a group, which are alternately an index and a value.
const VALUES: u64 = 0xaa;
/// Delimiters that a full group of four pairs must have: a colon after each index, and a blank after each value.
const DELIMITERS: u64 = u64::from_le_bytes(*b": : : : ");

/// Permutation that sorts tokens: for each byte of a vector with eight bytes per number, the number of its token. Those of the indices come
/// first, then those of the values, so that each fill one half.
const TOKENS: [i8; BLOCK] = {
    let (mut tokens, mut i) = ([0; BLOCK], 0);
    while i < BLOCK {
        tokens[i] = [0, 2, 4, 6, 1, 3, 5, 7][i / 8];
        i += 1;
    }
    tokens
};
/// For each byte of a vector with eight bytes per number, its distance from the end of its number.
const BACK: [i8; BLOCK] = {
    let (mut back, mut i) = ([0; BLOCK], 0);
    while i < BLOCK {
        back[i] = 8 - (i % 8) as i8;
        i += 1;
    }
    back
};
/// [`BACK`] plus one: distances for digits before the decimal point, which are moved over the point.
const BACK_OVER_POINT: [i8; BLOCK] = {
    let (mut back, mut i) = (BACK, 0);
    while i < BLOCK {
        back[i] += 1;
        i += 1;
    }
    back
};
/// Vector of the numbers 0, 1, 2, ..., 63, the positions of the bytes in a block.
const PLACES: [i8; BLOCK] = {
    let (mut places, mut i) = ([0; BLOCK], 0);
    while i < BLOCK {
        places[i] = i as i8;
        i += 1;
    }
    places
};
/// Divisors that apply the decimal point to a value read as an integer, indexed by the distance of the point from the end of the number: at
/// distance 0 there is no point; at distance d there are d − 1 digits after it, so that the divisor is 10^(d−1). Two vectors of eight;
/// unused entries are 1.
static SCALES: [[f64; 8]; 2] = [[1., 1., 1e1, 1e2, 1e3, 1e4, 1e5, 1e6], [1e7, 1e8, 1., 1., 1., 1., 1., 1.]];

/// Result of reading a group of pairs: number of pairs read and their length in bytes; small enough for a register.
#[derive(Clone, Copy)]
pub(super) struct GroupRead {
    pub(super) pairs: u8,
    pub(super) bytes: u16,
    /// Whether another pair may follow after the pairs read.
    pub(super) more: bool,
}

/// Reads the complete `index:value` pairs at the start of a block. Returns `None` if there are none, if there are fewer than four and
/// `FULL` is true, or if a pair is not plain or has a number of more than eight digits.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline]
pub(super) fn group<const FULL: bool>(
    block: __m512i,
    rules: &Rules,
    index_room: &mut [MaybeUninit<u64>; GROUP],
    value_room: &mut [MaybeUninit<f64>; GROUP],
) -> Option<GroupRead> {
    // As in `delimiters.rs`: all bytes other than digits, points, minus signs and slashes.
    let above = _mm512_sub_epi8(block, _mm512_set1_epi8(b'-' as i8));
    let delimiters = _mm512_cmpgt_epu8_mask(above, _mm512_set1_epi8((b'9' - b'-') as i8));
    let found = bytes(_mm512_maskz_compress_epi8(delimiters, block)) ^ DELIMITERS;
    // A length of the full group that is known without a calculation lets the processor begin the next group at once.
    let (pairs, last) = if FULL { (GROUP, false) } else { leading(found) };
    if FULL && found != 0 || pairs == 0 {
        return None;
    }
    let tokens = Tokens::find(block, delimiters, pairs)?;
    let digits = tokens.digits(block);
    let numbers = join(digits);
    let index = _mm512_castsi512_si256(numbers);
    // Second points, minus signs that are not first, and slashes.
    let others = _mm512_test_epi64_mask(digits, _mm512_set1_epi8(0x10));
    let low = _mm256_cmplt_epu64_mask(index, _mm256_set1_epi64x(rules.lowest as i64));
    if (others | others >> GROUP | low) & ((1 << pairs) - 1) != 0 {
        return None;
    }
    let value = tokens.scale(_mm512_extracti64x4_epi64(numbers, 1));
    // SAFETY: each array has space for four elements, whatever the number of pairs.
    unsafe {
        _mm256_storeu_si256(index_room.as_mut_ptr().cast(), index);
        _mm256_storeu_pd(value_room.as_mut_ptr().cast(), value);
    }
    let end = (bytes(tokens.ends) >> (16 * pairs - 8)) as u8;
    Some(GroupRead { pairs: pairs as u8, bytes: u16::from(end) + u16::from(!last), more: !last })
}

/// Returns the number of complete pairs in a block, and whether the row appears to end after them. `found` is the XOR of the first eight
/// delimiters of the block with [`DELIMITERS`], so that its zero bytes are the expected delimiters.
#[inline]
fn leading(found: u64) -> (usize, bool) {
    let whole = found.trailing_zeros() as usize / 16;
    let [colon, end] = ((found >> (16 * whole % 64)) as u16).to_le_bytes();
    let last = colon == 0 && end != 0 && is_end(end ^ b' ');
    (whole + usize::from(last), last)
}

/// Positions of the parts of each token (alternately an index and a value) in a block, one byte per token. Bytes after the tokens of
/// complete pairs are meaningless and do not affect the others.
struct Tokens {
    ends: __m512i,
    /// Position of the decimal point, or of the end of the token if there is none.
    stops: __m512i,
    /// Number of digits of each token, one byte per token.
    lengths: u64,
    /// Bit mask, one bit per token, of the tokens with a minus sign.
    signed: u64,
}

impl Tokens {
    /// Finds the tokens of the first `pairs` pairs of a block; `None` if a token has no digits or too many, or if an index has a minus sign
    /// or a point.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn find(block: __m512i, delimiters: u64, pairs: usize) -> Option<Tokens> {
        let points = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(b'.' as i8));
        let minuses = _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(b'-' as i8));
        // A token starts after a delimiter. A carry runs from there to the first stop, also over a minus sign.
        let first = delimiters << 1 | 1;
        let stops = points | delimiters;
        let stops = stops & (!stops).wrapping_add(first);
        let (signed, pointed) = (_pext_u64(minuses, first), _pext_u64(points, stops));

        let ends = _mm512_maskz_compress_epi8(delimiters, vector(&PLACES));
        let stops = _mm512_maskz_compress_epi8(stops, vector(&PLACES));
        let bytes = bytes(ends);
        let lengths = bytes.wrapping_sub(bytes << 8).wrapping_sub(ONES << 8);
        let lengths = lengths.wrapping_sub(_pdep_u64(signed, ONES)).wrapping_sub(_pdep_u64(pointed, ONES));
        // Reduced by one, the lengths 1 to 8 fit into three bits.
        let odd_lengths = lengths.wrapping_sub(ONES) & (0xf8 * ONES) & !0 >> (64 - 16 * pairs);
        let odd_indices = (signed | pointed) & INDICES & !0 >> (64 - 2 * pairs);
        (odd_lengths | odd_indices == 0).then_some(Tokens { ends, stops, lengths, signed })
    }

    /// Returns the digits of all numbers as values 0 to 9, eight bytes per number, padded with leading zeros. A byte that was neither a
    /// digit nor the point has the bit 0x10 set.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn digits(&self, block: __m512i) -> __m512i {
        let spread = |bytes| _mm512_permutexvar_epi8(vector(&TOKENS), bytes);
        let lengths = spread(_mm512_castsi128_si512(_mm_cvtsi64_si128(self.lengths as i64)));
        let used = _mm512_cmpge_epi8_mask(lengths, vector(&BACK));
        // A number without a point is read as if a point followed it.
        let behind_stops = _mm512_sub_epi8(self.stops, _mm512_set1_epi8(-1));
        let behind = spread(_mm512_max_epu8(self.ends, behind_stops));
        let from = _mm512_sub_epi8(behind, vector(&BACK));
        let over = _mm512_cmple_epi8_mask(from, spread(self.stops));
        let from = _mm512_mask_sub_epi8(from, over, behind, vector(&BACK_OVER_POINT));
        _mm512_maskz_sub_epi8(used, _mm512_permutexvar_epi8(from, block), _mm512_set1_epi8(b'0' as i8))
    }

    /// Divides each value, given by its digits without the point, by its power of ten. Both operands are exactly representable, so that the
    /// quotient is correctly rounded: see `decimal` in `number.rs`.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
    #[inline]
    fn scale(&self, digits: __m256i) -> __m256d {
        let decimals = bytes(_mm512_sub_epi8(self.ends, self.stops));
        // Only the lowest four bits of each number select a scale.
        let decimals = _mm256_srlv_epi64(_mm256_set1_epi64x(decimals as i64), _mm256_setr_epi64x(8, 24, 40, 56));
        // SAFETY: each half holds the eight numbers that are read; the load needs no alignment.
        let [low, high] = SCALES.each_ref().map(|half| unsafe { _mm512_loadu_pd(half.as_ptr()) });
        let scale = _mm512_permutex2var_pd(low, _mm512_castsi256_si512(decimals), high);
        let value = _mm256_div_pd(_mm256_cvtepi64_pd(digits), _mm512_castpd512_pd256(scale));
        let negative = _pext_u64(self.signed, VALUES) as u8;
        _mm256_mask_xor_pd(value, negative, value, _mm256_set1_pd(-0.0))
    }
}

/// Computes eight integers from their digits, eight bytes (digits) each.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline]
fn join(digits: __m512i) -> __m512i {
    let twos = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010a));
    let fours = _mm512_madd_epi16(twos, _mm512_set1_epi32(0x0001_0064));
    let high = _mm512_mul_epu32(fours, _mm512_set1_epi64(10000));
    _mm512_add_epi64(high, _mm512_srli_epi64(fours, 32))
}

#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline]
fn vector(bytes: &[i8; BLOCK]) -> __m512i {
    // SAFETY: the array holds the 64 bytes that are read; the load needs no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Returns the lowest eight bytes of a vector as one integer.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx512dq,avx512vl,avx512vbmi,avx512vbmi2")]
#[inline]
fn bytes(vector: __m512i) -> u64 {
    _mm_cvtsi128_si64(_mm512_castsi512_si128(vector)) as u64
}
