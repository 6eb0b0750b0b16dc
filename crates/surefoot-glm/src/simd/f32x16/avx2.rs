//! Vectors of sixteen f32 in two AVX2 registers.

use super::{CacheLine, F32x16, WIDTH};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// Vector of sixteen f32 in two AVX2 registers. Values of this type are created and used only inside functions that
/// are compiled for AVX2, and called only after the processor was found to support it; every `unsafe` block below
/// relies on this.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(__m256, __m256);

/// Whether the processor supports AVX2.
pub(crate) fn is_supported() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

impl Add for Avx2 {
    type Output = Avx2;
    #[inline(always)]
    fn add(self, other: Avx2) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }
}

impl Sub for Avx2 {
    type Output = Avx2;
    #[inline(always)]
    fn sub(self, other: Avx2) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
    }
}

impl Mul for Avx2 {
    type Output = Avx2;
    #[inline(always)]
    fn mul(self, other: Avx2) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
    }
}

impl Div for Avx2 {
    type Output = Avx2;
    #[inline(always)]
    fn div(self, other: Avx2) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_div_ps(self.0, other.0), _mm256_div_ps(self.1, other.1)) }
    }
}

impl Real for Avx2 {
    #[inline(always)]
    fn of(x: f64) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_set1_ps(x as f32), _mm256_set1_ps(x as f32)) }
    }

    #[inline(always)]
    fn sqrt(self) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_sqrt_ps(self.0), _mm256_sqrt_ps(self.1)) }
    }
}

impl F32x16 for Avx2 {
    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`; eight f32 and then eight are loaded, at any alignment.
        unsafe { Avx2(_mm256_loadu_ps(from.as_ptr()), _mm256_loadu_ps(from.as_ptr().add(8))) }
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        // SAFETY: the processor has AVX2, see `Avx2`; eight f32 and then eight are stored, at any alignment.
        unsafe {
            _mm256_storeu_ps(to.as_mut_ptr(), self.0);
            _mm256_storeu_ps(to.as_mut_ptr().add(8), self.1);
        }
    }

    #[inline(always)]
    fn at_least(self, least: Avx2) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_max_ps(self.0, least.0), _mm256_max_ps(self.1, least.1)) }
    }

    #[inline(always)]
    fn at_most(self, most: Avx2) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        unsafe { Avx2(_mm256_min_ps(self.0, most.0), _mm256_min_ps(self.1, most.1)) }
    }

    #[inline(always)]
    fn above(self, other: Avx2) -> u16 {
        // SAFETY: the processor has AVX2, see `Avx2`.
        let bits = |a, b| unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GT_OQ>(a, b)) } as u16;
        bits(self.0, other.0) | bits(self.1, other.1) << 8
    }

    #[inline(always)]
    fn products(a: &[f64; WIDTH], b: &[f64; WIDTH]) -> Avx2 {
        // SAFETY: the processor has AVX2, see `Avx2`; four f64 are loaded, four times.
        unsafe {
            let four = |k: usize| {
                let products = _mm256_mul_pd(_mm256_loadu_pd(a.as_ptr().add(k)), _mm256_loadu_pd(b.as_ptr().add(k)));
                _mm256_cvtpd_ps(products)
            };
            let eight = |k: usize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(four(k)), four(k + 4));
            Avx2(eight(0), eight(8))
        }
    }

    #[inline(always)]
    fn add_products(self, factors: &[f64; WIDTH], factor: f64, others: &[f64; WIDTH], sums: &mut [f64; 4]) {
        // SAFETY: the processor has AVX2, see `Avx2`; four f64 are loaded, four times, and four stored in four.
        unsafe {
            let fours = [self.0, self.1].map(|half| (_mm256_castps256_ps128(half), _mm256_extractf128_ps::<1>(half)));
            let mut sum = _mm256_loadu_pd(sums.as_ptr());
            for (k, four) in fours.into_iter().flat_map(|(low, high)| [low, high]).enumerate() {
                let numbers = _mm256_mul_pd(_mm256_cvtps_pd(four), _mm256_loadu_pd(factors.as_ptr().add(4 * k)));
                let numbers = _mm256_mul_pd(numbers, _mm256_set1_pd(factor));
                let numbers = _mm256_mul_pd(numbers, _mm256_loadu_pd(others.as_ptr().add(4 * k)));
                sum = _mm256_add_pd(sum, numbers);
            }
            _mm256_storeu_pd(sums.as_mut_ptr(), sum);
        }
    }

    #[inline(always)]
    fn counted(low: &[u32; WIDTH], high: &[u32; WIDTH], mask: u32, none: u32) -> (Avx2, [f64; WIDTH]) {
        let (mut counts, mut joined) = ([0.0; WIDTH], [0.0; WIDTH]);
        for k in [0, 4, 8, 12] {
            // SAFETY: the processor has AVX2, see `Avx2`; four u32 are loaded twice, and four f32 and four f64 stored, four times.
            unsafe {
                let load = |from: &[u32; WIDTH]| _mm_loadu_si128(from.as_ptr().add(k).cast());
                let (mask, low) = (_mm_set1_epi32(mask as i32), load(low));
                let count = _mm_and_si128(low, mask);
                let unseen = _mm_cmpeq_epi32(count, _mm_setzero_si128());
                let high = _mm_blendv_epi8(load(high), _mm_set1_epi32(none as i32), unseen);
                let low = _mm_andnot_si128(mask, low);
                let (first, then) = (_mm_unpacklo_epi32(low, high), _mm_unpackhi_epi32(low, high));
                _mm_storeu_ps(counts.as_mut_ptr().add(k), _mm_cvtepi32_ps(count));
                _mm256_storeu_pd(joined.as_mut_ptr().add(k), _mm256_castsi256_pd(_mm256_set_m128i(then, first)));
            }
        }
        (Avx2::load(&counts), joined)
    }

    #[inline(always)]
    fn transpose(from: &[&CacheLine; WIDTH], to: &mut [CacheLine; WIDTH]) {
        for (quarter, half) in QUARTERS {
            // SAFETY: the processor has AVX2, see `Avx2`; loads are of a quarter of a line, stores of half of one.
            unsafe {
                let part = |k: usize| _mm_load_ps(from[8 * half + k].0.as_ptr().add(4 * quarter).cast());
                let two = |k: usize| _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(part(k)), part(k + 4));
                for (k, line) in transposed([two(0), two(1), two(2), two(3)]).into_iter().enumerate() {
                    _mm256_store_ps(to[4 * quarter + k].0.as_mut_ptr().add(8 * half).cast(), line);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn transpose_to(from: &[CacheLine; WIDTH], to: &[*mut CacheLine; WIDTH]) {
        for (quarter, half) in QUARTERS {
            // SAFETY: the processor has AVX2, see `Avx2`; half a line is loaded, and a quarter of a line is stored
            // where the caller ensures that writes are valid.
            unsafe {
                let line = |k: usize| _mm256_load_ps(from[4 * quarter + k].0.as_ptr().add(8 * half).cast());
                for (k, two) in transposed([line(0), line(1), line(2), line(3)]).into_iter().enumerate() {
                    let put = |k: usize, part| _mm_store_ps(to[8 * half + k].cast::<f32>().add(4 * quarter), part);
                    put(k, _mm256_castps256_ps128(two));
                    put(k + 4, _mm256_extractf128_ps::<1>(two));
                }
            }
        }
    }
}

/// Blocks of the matrix of sixteen lines, as pairs of a column range (quarter of a line) and a row range (half of the
/// lines); a transposition processes one block at a time.
const QUARTERS: [(usize, usize); 8] = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)];

/// Transposes, in each 128-bit half of four registers, the matrix of four by four numbers.
///
/// # Safety
/// The caller must ensure that the processor supports AVX2.
#[inline(always)]
unsafe fn transposed([a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    // SAFETY: the caller ensures that the processor supports AVX2.
    unsafe {
        let [ab, cd] = [(a, b), (c, d)]
            .map(|(a, b)| (_mm256_castps_pd(_mm256_unpacklo_ps(a, b)), _mm256_castps_pd(_mm256_unpackhi_ps(a, b))));
        [
            _mm256_castpd_ps(_mm256_unpacklo_pd(ab.0, cd.0)),
            _mm256_castpd_ps(_mm256_unpackhi_pd(ab.0, cd.0)),
            _mm256_castpd_ps(_mm256_unpacklo_pd(ab.1, cd.1)),
            _mm256_castpd_ps(_mm256_unpackhi_pd(ab.1, cd.1)),
        ]
    }
}
