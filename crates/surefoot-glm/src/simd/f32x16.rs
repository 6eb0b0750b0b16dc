//! Sixteen numbers of f32 side by side: what the inner loops are written for.
//!
//! Add, subtract, multiply, divide and square root round every place as IEEE 754 asks of scalars, and nothing is fused: [`Scalar`]
//! and the registers of all instruction sets give the same bits.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(test)]
mod tests;

use super::inverse_scale::InverseScale;
use bytemuck::{Pod, Zeroable};
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// Numbers side by side: one register where they are largest.
pub(crate) const WIDTH: usize = 16;

/// A cache line of sixteen numbers of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct CacheLine([u32; WIDTH]);

/// Arithmetic on sixteen numbers, which can be loaded from and stored to memory.
pub(crate) trait F32x16: Real {
    fn load(from: &[f32; WIDTH]) -> Self;
    fn store(self, to: &mut [f32; WIDTH]);
    /// The larger of each two; of those that are not numbers, `least`.
    fn at_least(self, least: Self) -> Self;
    /// The smaller of each two; of those that are not numbers, `most`.
    fn at_most(self, most: Self) -> Self;
    /// Which are above the other, a bit each; those that are not numbers are not.
    fn above(self, other: Self) -> u16;
    /// The products of f64, rounded.
    fn products(a: &[f64; WIDTH], b: &[f64; WIDTH]) -> Self;
    /// Adds the numbers times those of `factors` times `factor` times those of `others`, in this order, to four sums in turn.
    fn add_products(self, factors: &[f64; WIDTH], factor: f64, others: &[f64; WIDTH], sums: &mut [f64; 4]);
    /// The counts in the bits `mask` of low words, and the f64 of the words without them, those of high words among them; where the
    /// count is 0, the high word is `none`.
    fn counted(low: &[u32; WIDTH], high: &[u32; WIDTH], mask: u32, none: u32) -> (Self, [f64; WIDTH]);
    /// Replaces units, by low and high words, with those of these values where a bit is set: see [`InverseScale::raised`], whose ratios these
    /// are; 1 for the others.
    fn raise(units: &mut [[u32; WIDTH]; 2], which: u16, values: &[f64; WIDTH]) -> Self {
        let mut ratios = [1.0; WIDTH];
        for k in (0..WIDTH).filter(|k| which >> k & 1 > 0) {
            let (unit, ratio) = InverseScale::of_words([units[0][k], units[1][k]]).raised(values[k].abs());
            [units[0][k], units[1][k]] = unit.words();
            ratios[k] = ratio;
        }
        Self::load(&ratios)
    }
    /// Number k of line j becomes number j of line k.
    fn transpose(from: &[&CacheLine; WIDTH], to: &mut [CacheLine; WIDTH]);
    /// The same, to lines that may be anywhere.
    ///
    /// # Safety
    /// All may be written to.
    unsafe fn transpose_to(from: &[CacheLine; WIDTH], to: &[*mut CacheLine; WIDTH]);
}

/// An array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar([f32; WIDTH]);

impl Scalar {
    #[inline(always)]
    fn zip(self, other: Scalar, f: impl Fn(f32, f32) -> f32) -> Scalar {
        Scalar(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl F32x16 for Scalar {
    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Scalar {
        Scalar(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        *to = self.0;
    }

    #[inline(always)]
    fn at_least(self, least: Scalar) -> Scalar {
        self.zip(least, |x, least| if x > least { x } else { least })
    }

    #[inline(always)]
    fn at_most(self, most: Scalar) -> Scalar {
        self.zip(most, |x, most| if x < most { x } else { most })
    }

    #[inline(always)]
    fn above(self, other: Scalar) -> u16 {
        (0..WIDTH).fold(0, |bits, k| bits | u16::from(self.0[k] > other.0[k]) << k)
    }

    #[inline(always)]
    fn products(a: &[f64; WIDTH], b: &[f64; WIDTH]) -> Scalar {
        Scalar(std::array::from_fn(|k| (a[k] * b[k]) as f32))
    }

    #[inline(always)]
    fn add_products(self, factors: &[f64; WIDTH], factor: f64, others: &[f64; WIDTH], sums: &mut [f64; 4]) {
        for k in 0..WIDTH {
            sums[k % 4] += f64::from(self.0[k]) * factors[k] * factor * others[k];
        }
    }

    #[inline(always)]
    fn counted(low: &[u32; WIDTH], high: &[u32; WIDTH], mask: u32, none: u32) -> (Scalar, [f64; WIDTH]) {
        let joined = std::array::from_fn(|k| {
            let high = if low[k] & mask == 0 { none } else { high[k] };
            f64::from_bits(u64::from(high) << 32 | u64::from(low[k] & !mask))
        });
        (Scalar(low.map(|low| (low & mask) as f32)), joined)
    }

    #[inline(always)]
    fn transpose(from: &[&CacheLine; WIDTH], to: &mut [CacheLine; WIDTH]) {
        for (k, to) in to.iter_mut().enumerate() {
            to.0 = from.map(|line| line.0[k]);
        }
    }

    #[inline(always)]
    unsafe fn transpose_to(from: &[CacheLine; WIDTH], to: &[*mut CacheLine; WIDTH]) {
        for (k, &to) in to.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { to.write(CacheLine(from.each_ref().map(|line| line.0[k]))) };
        }
    }
}

impl Add for Scalar {
    type Output = Scalar;
    #[inline(always)]
    fn add(self, other: Scalar) -> Scalar {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Scalar {
    type Output = Scalar;
    #[inline(always)]
    fn sub(self, other: Scalar) -> Scalar {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Scalar {
    type Output = Scalar;
    #[inline(always)]
    fn mul(self, other: Scalar) -> Scalar {
        self.zip(other, |a, b| a * b)
    }
}

impl Div for Scalar {
    type Output = Scalar;
    #[inline(always)]
    fn div(self, other: Scalar) -> Scalar {
        self.zip(other, |a, b| a / b)
    }
}

impl Real for Scalar {
    #[inline(always)]
    fn of(x: f64) -> Scalar {
        Scalar([x as f32; WIDTH])
    }

    #[inline(always)]
    fn sqrt(self) -> Scalar {
        Scalar(self.0.map(f32::sqrt))
    }
}
