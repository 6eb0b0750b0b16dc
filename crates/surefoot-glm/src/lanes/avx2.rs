//! Eight lanes in one AVX2 register.
//!
//! Add, subtract, multiply, divide and square root of these registers round every lane as IEEE 754 asks of scalars,
//! and nothing is fused, so the results are those of [`Lanes`] to the bit.

use super::{Lanes, Wide};
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// A register of eight f32. Made and used only inside functions that are compiled for AVX2 and called after the
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

impl Wide for Register {
    #[inline(always)]
    fn load(from: &Lanes) -> Register {
        // SAFETY: the processor has AVX2, see `Register`; `Lanes` is eight f32, aligned to 32 bytes.
        Register(unsafe { _mm256_load_ps(from.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        // SAFETY: the processor has AVX2, see `Register`; `Lanes` is eight f32, aligned to 32 bytes.
        unsafe { _mm256_store_ps(to.0.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn dot(self, other: Register) -> f32 {
        // SAFETY: the processor has AVX2, see `Register`.
        unsafe {
            let products = _mm256_mul_ps(self.0, other.0);
            // [a + e, b + f, c + g, d + h], then [.. + .., .. + ..], then their sum: the tree of `Lanes::dot`.
            let four = _mm_add_ps(_mm256_castps256_ps128(products), _mm256_extractf128_ps::<1>(products));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
        }
    }
}
