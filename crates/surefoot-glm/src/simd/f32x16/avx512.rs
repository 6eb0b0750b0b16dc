//! Vectors of sixteen f32 in one AVX-512 register.

use super::{CacheLine, F32x16, WIDTH};
use crate::simd::inverse_scale::InverseScale;
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// Vector of sixteen f32 in an AVX-512 register. Values of this type are created and used only inside functions that
/// are compiled for AVX-512, and called only after the processor was found to support it; every `unsafe` block below
/// relies on this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(__m512);

/// Whether the processor supports AVX-512 with all extensions that this file uses.
pub(crate) fn is_supported() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512dq") && has!("avx512vl") && has!("avx512bw")
}

impl Add for Avx512 {
    type Output = Avx512;
    #[inline(always)]
    fn add(self, other: Avx512) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_add_ps(self.0, other.0) })
    }
}

impl Sub for Avx512 {
    type Output = Avx512;
    #[inline(always)]
    fn sub(self, other: Avx512) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_sub_ps(self.0, other.0) })
    }
}

impl Mul for Avx512 {
    type Output = Avx512;
    #[inline(always)]
    fn mul(self, other: Avx512) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_mul_ps(self.0, other.0) })
    }
}

impl Div for Avx512 {
    type Output = Avx512;
    #[inline(always)]
    fn div(self, other: Avx512) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_div_ps(self.0, other.0) })
    }
}

impl Real for Avx512 {
    #[inline(always)]
    fn of(x: f64) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_set1_ps(x as f32) })
    }

    #[inline(always)]
    fn sqrt(self) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_sqrt_ps(self.0) })
    }
}

impl F32x16 for Avx512 {
    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`; sixteen f32 are loaded, at any alignment.
        Avx512(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        // SAFETY: the processor has AVX-512, see `Avx512`; sixteen f32 are stored, at any alignment.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn at_least(self, least: Avx512) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_max_ps(self.0, least.0) })
    }

    #[inline(always)]
    fn at_most(self, most: Avx512) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        Avx512(unsafe { _mm512_min_ps(self.0, most.0) })
    }

    #[inline(always)]
    fn above(self, other: Avx512) -> u16 {
        // SAFETY: the processor has AVX-512, see `Avx512`.
        unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn products(a: &[f64; WIDTH], b: &[f64; WIDTH]) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`; eight f64 and then eight are loaded.
        unsafe {
            let half = |k: usize| {
                let products = _mm512_mul_pd(_mm512_loadu_pd(a.as_ptr().add(k)), _mm512_loadu_pd(b.as_ptr().add(k)));
                _mm512_cvtpd_ps(products)
            };
            Avx512(_mm512_insertf32x8::<1>(_mm512_castps256_ps512(half(0)), half(8)))
        }
    }

    #[inline(always)]
    fn add_products(self, factors: &[f64; WIDTH], factor: f64, others: &[f64; WIDTH], sums: &mut [f64; 4]) {
        // SAFETY: the processor has AVX-512, see `Avx512`; eight f64 and then eight are loaded, and four stored in four.
        unsafe {
            let halves = [_mm512_castps512_ps256(self.0), _mm512_extractf32x8_ps::<1>(self.0)];
            let mut sum = _mm256_loadu_pd(sums.as_ptr());
            for (k, half) in halves.into_iter().enumerate() {
                let numbers = _mm512_mul_pd(_mm512_cvtps_pd(half), _mm512_loadu_pd(factors.as_ptr().add(8 * k)));
                let numbers = _mm512_mul_pd(numbers, _mm512_set1_pd(factor));
                let numbers = _mm512_mul_pd(numbers, _mm512_loadu_pd(others.as_ptr().add(8 * k)));
                sum = _mm256_add_pd(sum, _mm512_castpd512_pd256(numbers));
                sum = _mm256_add_pd(sum, _mm512_extractf64x4_pd::<1>(numbers));
            }
            _mm256_storeu_pd(sums.as_mut_ptr(), sum);
        }
    }

    #[inline(always)]
    fn counted(low: &[u32; WIDTH], high: &[u32; WIDTH], mask: u32, none: u32) -> (Avx512, [f64; WIDTH]) {
        let mut joined = [0.0; WIDTH];
        // SAFETY: the processor has AVX-512, see `Avx512`; sixteen u32 are loaded twice, and eight f64 stored twice.
        unsafe {
            let mask = _mm512_set1_epi32(mask as i32);
            let low = _mm512_loadu_si512(low.as_ptr().cast());
            let counts = _mm512_and_si512(low, mask);
            let unseen = _mm512_testn_epi32_mask(low, mask);
            let high = _mm512_loadu_si512(high.as_ptr().cast());
            let high = _mm512_mask_mov_epi32(high, unseen, _mm512_set1_epi32(none as i32));
            let low = _mm512_andnot_si512(mask, low);
            let words = joined_words(low, high);
            _mm512_storeu_pd(joined.as_mut_ptr(), _mm512_castsi512_pd(words[0]));
            _mm512_storeu_pd(joined.as_mut_ptr().add(8), _mm512_castsi512_pd(words[1]));
            (Avx512(_mm512_cvtepi32_ps(counts)), joined)
        }
    }

    #[inline(always)]
    fn raise(units: &mut [[u32; WIDTH]; 2], which: u16, values: &[f64; WIDTH]) -> Avx512 {
        // SAFETY: the processor has AVX-512, see `Avx512`; sixteen u32 are loaded and stored, twice, and eight f64 loaded, twice.
        unsafe {
            let mask = _mm512_set1_epi32(InverseScale::UPDATES as i32);
            let low = _mm512_loadu_si512(units[0].as_ptr().cast());
            let high = _mm512_loadu_si512(units[1].as_ptr().cast());
            let seen = _mm512_test_epi32_mask(low, mask);
            let old = joined_words(_mm512_andnot_si512(mask, low), high);
            let first = raised_half(_mm512_loadu_pd(values.as_ptr()), old[0]);
            let then = raised_half(_mm512_loadu_pd(values.as_ptr().add(8)), old[1]);
            let both = |a, b| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), b);
            // The bits of the mask hold the number of updates, the others the new inverse scale.
            let low_now = _mm512_ternarylogic_epi32::<0b1100_1010>(mask, low, both(first.0, then.0));
            let ratios = _mm512_maskz_mov_ps(seen, _mm512_castsi512_ps(both(first.2, then.2)));
            _mm512_mask_storeu_epi32(units[0].as_mut_ptr().cast(), which, low_now);
            _mm512_mask_storeu_epi32(units[1].as_mut_ptr().cast(), which, both(first.1, then.1));
            Avx512(_mm512_mask_mov_ps(_mm512_set1_ps(1.0), which, ratios))
        }
    }

    #[inline(always)]
    fn transpose(from: &[&CacheLine; WIDTH], to: &mut [CacheLine; WIDTH]) {
        // SAFETY: the processor has AVX-512, see `Avx512`; whole lines are stored.
        unsafe {
            let lines = turned(from);
            for k in 0..WIDTH {
                _mm512_store_ps(to[k].0.as_mut_ptr().cast(), lines[k]);
            }
        }
    }

    #[inline(always)]
    unsafe fn transpose_to(from: &[CacheLine; WIDTH], to: &[*mut CacheLine; WIDTH]) {
        // SAFETY: the processor has AVX-512, see `Avx512`; whole lines are stored where the caller ensures that
        // writes are valid.
        unsafe {
            let lines = turned(&from.each_ref());
            for k in 0..WIDTH {
                _mm512_store_ps(to[k].cast(), lines[k]);
            }
        }
    }
}

/// Joins low and high 32-bit halves to 64-bit words; returns the first eight words and the last eight.
///
/// # Safety
/// The caller must ensure that the processor supports AVX-512.
#[inline(always)]
unsafe fn joined_words(low: __m512i, high: __m512i) -> [__m512i; 2] {
    // SAFETY: the caller ensures that the processor supports AVX-512.
    unsafe {
        let first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let then = _mm512_add_epi32(first, _mm512_set1_epi32(8));
        [_mm512_permutex2var_epi32(low, first, high), _mm512_permutex2var_epi32(low, then, high)]
    }
}

/// Computes the inverse scales 1/|value| of eight values; returns their low words, their high words, and (as bits of
/// f32) their ratios to the `old` inverse scales, by which gradient sums are multiplied.
///
/// # Safety
/// The caller must ensure that the processor supports AVX-512.
#[inline(always)]
unsafe fn raised_half(values: __m512d, old: __m512i) -> (__m256i, __m256i, __m256i) {
    // SAFETY: the caller ensures that the processor supports AVX-512.
    unsafe {
        let inverse = _mm512_div_pd(_mm512_set1_pd(1.0), _mm512_abs_pd(values));
        let inverse = _mm512_max_pd(inverse, _mm512_set1_pd(f64::MIN_POSITIVE));
        let ratio = _mm512_cvtpd_ps(_mm512_div_pd(inverse, _mm512_castsi512_pd(old)));
        let bits = _mm512_castpd_si512(inverse);
        let high = _mm512_cvtepi64_epi32(_mm512_srli_epi64::<32>(bits));
        (_mm512_cvtepi64_epi32(bits), high, _mm256_castps_si256(ratio))
    }
}

/// Returns the transposed matrix of sixteen lines of sixteen words.
///
/// # Safety
/// The caller must ensure that the processor supports AVX-512.
#[inline(always)]
unsafe fn turned(from: &[&CacheLine; WIDTH]) -> [__m512; WIDTH] {
    // SAFETY: the caller ensures that the processor supports AVX-512; whole lines are loaded.
    unsafe {
        let mut lines = [_mm512_setzero_ps(); WIDTH];
        for k in 0..WIDTH {
            lines[k] = _mm512_load_ps(from[k].0.as_ptr().cast());
        }
        // After this loop, quarter q of line 4g + k holds the numbers 4q + k of the lines 4g to 4g + 3.
        for g in [0, 4, 8, 12] {
            let (ab, cd) = (pairs(lines[g], lines[g + 1]), pairs(lines[g + 2], lines[g + 3]));
            lines[g] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab.0, cd.0));
            lines[g + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab.0, cd.0));
            lines[g + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(ab.1, cd.1));
            lines[g + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(ab.1, cd.1));
        }
        for k in 0..4 {
            let (low, high) = (quarters(lines[k], lines[k + 4]), quarters(lines[k + 8], lines[k + 12]));
            let (even, odd) = (quarters(low.0, high.0), quarters(low.1, high.1));
            (lines[k], lines[k + 8]) = even;
            (lines[k + 4], lines[k + 12]) = odd;
        }
        lines
    }
}

/// Interleaves the numbers of two registers within each 128-bit quarter: returns the interleaved first halves of the
/// quarters, and the interleaved second halves.
///
/// # Safety
/// The caller must ensure that the processor supports AVX-512.
#[inline(always)]
unsafe fn pairs(a: __m512, b: __m512) -> (__m512d, __m512d) {
    // SAFETY: the caller ensures that the processor supports AVX-512.
    unsafe { (_mm512_castps_pd(_mm512_unpacklo_ps(a, b)), _mm512_castps_pd(_mm512_unpackhi_ps(a, b))) }
}

/// Returns the 128-bit quarters 0 and 2 of both registers, and the quarters 1 and 3 of both registers.
///
/// # Safety
/// The caller must ensure that the processor supports AVX-512.
#[inline(always)]
unsafe fn quarters(a: __m512, b: __m512) -> (__m512, __m512) {
    // SAFETY: the caller ensures that the processor supports AVX-512.
    unsafe { (_mm512_shuffle_f32x4::<0b10_00_10_00>(a, b), _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b)) }
}
