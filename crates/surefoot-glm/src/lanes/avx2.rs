//! All lanes in one AVX2 register, whose last two places stay 0.
//!
//! Add, subtract, multiply, divide and square root of these registers round every lane as IEEE 754 asks of scalars,
//! and nothing is fused, so the results are those of [`Lanes`] to the bit.

use super::{Lanes, Wide};
use crate::{
    block::{BLOCK, Singles},
    coordinate::{Coordinate, Unit},
};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// A register of eight f32, six of them lanes. Made and used only inside functions that are compiled for AVX2 and called after the
/// processor was asked for it: this is the proof that every `unsafe` below leans on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register(__m256);

impl Add for Register {
    type Output = Register;
    #[inline(always)]
    fn add(self, other: Register) -> Register {
        // SAFETY: the processor has AVX2, see `Register`.
        Register(unsafe { _mm256_add_ps(self.0, other.0) })
    }
}

impl Sub for Register {
    type Output = Register;
    #[inline(always)]
    fn sub(self, other: Register) -> Register {
        // SAFETY: the processor has AVX2, see `Register`.
        Register(unsafe { _mm256_sub_ps(self.0, other.0) })
    }
}

impl Mul for Register {
    type Output = Register;
    #[inline(always)]
    fn mul(self, other: Register) -> Register {
        // SAFETY: the processor has AVX2, see `Register`.
        Register(unsafe { _mm256_mul_ps(self.0, other.0) })
    }
}

impl Div for Register {
    type Output = Register;
    #[inline(always)]
    fn div(self, other: Register) -> Register {
        // SAFETY: the processor has AVX2, see `Register`.
        Register(unsafe { _mm256_div_ps(self.0, other.0) })
    }
}

impl Real for Register {
    #[inline(always)]
    fn of(x: f64) -> Register {
        // SAFETY: the processor has AVX2, see `Register`.
        Register(unsafe { _mm256_set1_ps(x as f32) })
    }

    #[inline(always)]
    fn sqrt(self) -> Register {
        // SAFETY: the processor has AVX2, see `Register`.
        Register(unsafe { _mm256_sqrt_ps(self.0) })
    }
}

/// [`Wide::singles`] below is written for blocks of one register, and for this layout of a coordinate.
const _: () = assert!(
    BLOCK == 8
        && std::mem::offset_of!(Coordinate, step) == std::mem::offset_of!(Coordinate, squares) + 4
        && std::mem::offset_of!(Coordinate, unit) == std::mem::offset_of!(Coordinate, squares) + 8
        && std::mem::offset_of!(Coordinate, squares) + 16 == size_of::<Coordinate>()
);

/// The lanes among the places of a register.
const MASK: [i32; 8] = [-1, -1, -1, -1, -1, -1, 0, 0];

impl Wide for Register {
    #[inline(always)]
    fn load(from: &Lanes) -> Register {
        // SAFETY: the processor has AVX2, see `Register`; the mask keeps the load within the six f32 of `Lanes`.
        unsafe {
            let mask = _mm256_loadu_si256(MASK.as_ptr().cast());
            Register(_mm256_maskload_ps(from.0.as_ptr(), mask))
        }
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        // SAFETY: the processor has AVX2, see `Register`; four f32 and then two are stored, at any
        // alignment; `Lanes` has six.
        unsafe {
            _mm_storeu_ps(to.0.as_mut_ptr(), _mm256_castps256_ps128(self.0));
            _mm_storeu_si64(to.0.as_mut_ptr().add(4).cast(), _mm_castps_si128(_mm256_extractf128_ps::<1>(self.0)));
        }
    }

    #[inline(always)]
    fn dot(self, other: Register) -> f32 {
        let [dot, ..] = Register::dots([self; 4], other);
        dot
    }

    #[inline(always)]
    fn dots(four: [Register; 4], other: Register) -> [f32; 4] {
        let [a, b, c, d] = four.map(|lanes| (lanes * other).0);
        let mut out = [0.0; 4];
        // SAFETY: the processor has AVX2, see `Register`; four f32 are stored in an array of four.
        unsafe {
            // Neighbours are added, then pairs of them, then the two halves: the tree of `Lanes::dot`.
            let sums = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
            let sums = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps::<1>(sums));
            _mm_storeu_ps(out.as_mut_ptr(), sums);
        }
        out
    }

    #[inline(always)]
    fn singles(here: [&Coordinate; BLOCK]) -> Singles {
        let mut out = Singles { squares: [0.0; 8], steps: [0; 8], touches: [0; 8], inverses: [0.0; 8] };
        // SAFETY: the processor has AVX2, see `Register`. Loads are of the last 16 bytes of a `Coordinate`, which are
        // its squares, step and unit (asserted above); stores are of eight numbers of four bytes, or four of
        // eight, into arrays of eight.
        unsafe {
            let tail = |k: usize| _mm_loadu_si128(std::ptr::from_ref(&here[k].squares).cast());
            let two = |k: usize| _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(tail(k)), tail(k + 4));
            let [a, b, c, d] = [two(0), two(1), two(2), two(3)];
            let (first, second) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
            _mm256_storeu_si256(out.squares.as_mut_ptr().cast(), _mm256_unpacklo_epi64(first, second));
            _mm256_storeu_si256(out.steps.as_mut_ptr().cast(), _mm256_unpackhi_epi64(first, second));
            let (first, second) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
            let (low, high) = (_mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second));
            let mask = _mm256_set1_epi32(Unit::TOUCHES as i32);
            _mm256_storeu_si256(out.touches.as_mut_ptr().cast(), _mm256_and_si256(low, mask));
            let low = _mm256_andnot_si256(mask, low);
            let (first, second) = (_mm256_unpacklo_epi32(low, high), _mm256_unpackhi_epi32(low, high));
            let inverses = out.inverses.as_mut_ptr();
            _mm256_storeu_si256(inverses.cast(), _mm256_permute2x128_si256::<0x20>(first, second));
            _mm256_storeu_si256(inverses.add(4).cast(), _mm256_permute2x128_si256::<0x31>(first, second));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;

    #[target_feature(enable = "avx2")]
    fn of_block(here: [&Coordinate; BLOCK], parts: &Lanes) -> (Singles, [f32; 4]) {
        let four = [0, 1, 2, 3].map(|k| Register::load(&here[k].average));
        (Register::singles(here), Register::dots(four, Register::load(parts)))
    }

    #[test]
    fn a_block_gives_the_bits_of_its_coordinates() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            eprintln!("skipped: this processor has no AVX2");
            return;
        }
        let coordinate = |k: u32| Coordinate {
            average: Lanes(std::array::from_fn(|lane| ((7 * k + lane as u32) as f32).sin())),
            squares: (1.0 + k as f32).ln(),
            step: u32::MAX - k,
            unit: Unit((1.0 / f64::from(3 + k)).to_bits() & !Unit::TOUCHES | u64::from(k * 511)),
            ..Coordinate::default()
        };
        let block: [Coordinate; BLOCK] = std::array::from_fn(|k| coordinate(k as u32));
        let (here, parts) = (block.each_ref(), coordinate(99).average);
        // SAFETY: AVX2 was asked for above.
        let (singles, dots) = unsafe { of_block(here, &parts) };
        assert_eq!(singles, Singles::of(here));
        assert_eq!(dots.map(f32::to_bits), [0, 1, 2, 3].map(|k| block[k].average.dot(parts).to_bits()));
    }

    #[target_feature(enable = "avx2")]
    fn all_operations<W: Wide>(a: &Lanes, b: &Lanes) -> [Lanes; 6] {
        let (x, y) = (W::load(a), W::load(b));
        let mut out = [Lanes::default(); 6];
        for (out, result) in out.iter_mut().zip([x + y, x - y, x * y, x / y, (x * x).sqrt(), W::of(x.dot(y).into())]) {
            result.store(out);
        }
        out
    }

    #[test]
    fn registers_give_the_bits_of_plain_lanes() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            eprintln!("skipped: this processor has no AVX2");
            return;
        }
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f32::from_bits((seed >> 33) as u32 & 0xbfff_ffff)
        };
        for _ in 0..10_000 {
            let [a, b] = [0, 1].map(|_| Lanes(std::array::from_fn::<f32, LANES, _>(|_| next())));
            // SAFETY: AVX2 was asked for above.
            let (plain, wide) = unsafe { (all_operations::<Lanes>(&a, &b), all_operations::<Register>(&a, &b)) };
            for (plain, wide) in plain.iter().zip(&wide) {
                let bits = |lanes: &Lanes| lanes.0.map(|x| if x.is_nan() { 0 } else { x.to_bits() });
                assert_eq!(bits(plain), bits(wide), "{a:?} {b:?}");
            }
        }
    }
}
