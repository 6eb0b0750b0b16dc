//! Parsing of plain `index:value` pairs with AVX2 instructions: index and value at the same time, 16 digits each.

use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_castsi128_pd, _mm_cmpeq_epi8, _mm_cvtsd_f64, _mm_cvtsi128_si64, _mm_div_sd,
    _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set_sd, _mm_set1_epi8, _mm_set1_epi64x, _mm_shuffle_epi8,
    _mm_sub_sd, _mm_xor_si128, _mm256_add_epi64, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_mul_epu32, _mm256_packus_epi32, _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_srli_epi64, _mm256_testz_si256,
};

use super::{LAST, Pair, SCALES};

/// Byte shuffles that close the gap left by the decimal point: digits before the point are moved by one byte. Indexed
/// by the number of digits after the point.
const OVER_POINT: [[u8; 16]; 17] = {
    let mut moves = [[0; 16]; 17];
    let mut decimals = 0;
    while decimals < 17 {
        let mut i = 0;
        while i < 16 {
            // The first byte becomes 0, because the top bit of its entry is set.
            moves[decimals][i] = if i + decimals > 15 { i as u8 } else { (i as u8).wrapping_sub(1) };
            i += 1;
        }
        decimals += 1;
    }
    moves
};

#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
#[inline]
fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the array has the 16 bytes that are read; unaligned loads are allowed.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Returns the last `count` of 16 characters as digit values, with zeros in the bytes before them.
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
#[inline]
fn last(bytes: &[u8; 16], count: usize) -> __m128i {
    let mask = LAST[count % 16..].first_chunk().expect("16 bytes from any of the first 16");
    _mm_and_si128(_mm_xor_si128(load(bytes), _mm_set1_epi8(b'0' as i8)), load(mask))
}

/// Whether the processor supports the instructions that [`pair`] uses: AVX2 and extensions that always accompany it.
pub(crate) fn is_supported() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Parses a plain `index:value` pair like the portable [`pair`](super::pair), but with AVX2 instructions.
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
#[inline]
pub(crate) fn pair(pair: &Pair<'_>) -> Option<(u64, f64)> {
    if pair.is_odd() {
        return None;
    }
    let index = last(pair.index, pair.index_length);
    let number = last(pair.number, pair.number_length);
    let points = _mm_movemask_epi8(_mm_cmpeq_epi8(number, _mm_set1_epi8((b'.' ^ b'0') as i8)));
    // Number of digits after the last point.
    let decimals = points.leading_zeros() as usize - 16;
    if decimals == 0 && pair.number_length == 1 {
        return None;
    }
    let number = _mm_shuffle_epi8(number, load(OVER_POINT.get(decimals)?));
    let digits = _mm256_set_m128i(index, number);
    // This bit is clear in digits, but set in the minus sign, the point and the slash.
    if _mm256_testz_si256(digits, _mm256_set1_epi8(0x10)) == 0 {
        return None;
    }
    let pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(0x010a));
    let fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_0064));
    let fours = _mm256_packus_epi32(fours, fours);
    let eights = _mm256_madd_epi16(fours, _mm256_set1_epi32(0x0001_2710));
    let high = _mm256_mul_epu32(eights, _mm256_set1_epi64x(100_000_000));
    let numbers = _mm256_add_epi64(high, _mm256_srli_epi64(eights, 32));
    let index = _mm_cvtsi128_si64(_mm256_extracti128_si256(numbers, 1)) as u64;
    // The bits of a whole number below 2^52, combined with those of 2^52, are the bits of their sum.
    let power = _mm_set1_epi64x((1f64 / f64::EPSILON).to_bits() as i64);
    let sum = _mm_castsi128_pd(_mm_or_si128(_mm256_castsi256_si128(numbers), power));
    let number = _mm_sub_sd(sum, _mm_castsi128_pd(power));
    let scale = SCALES[pair.sign][decimals % 32];
    Some((index, _mm_cvtsd_f64(_mm_div_sd(number, _mm_set_sd(scale)))))
}
