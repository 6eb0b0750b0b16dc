//! Vectors of sixteen f32, in which the inner loops of training are written.
//!
//! Addition, subtraction, multiplication, division and square root round each element as IEEE 754 rounds scalars, and
//! multiplications and additions are not fused: [`Scalar`] and the registers of all instruction sets give the same
//! result to the bit.

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

/// Number of elements of a vector: sixteen f32 fill one AVX-512 register.
pub(crate) const WIDTH: usize = 16;

/// Cache line, as sixteen 32-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct CacheLine([u32; WIDTH]);

/// Arithmetic on vectors of sixteen f32, implemented for each instruction set.
pub(crate) trait F32x16: Real {
    /// Loads a vector from the array `from`.
    fn load(from: &[f32; WIDTH]) -> Self;
    /// Stores the vector to the array `to`.
    fn store(self, to: &mut [f32; WIDTH]);
    /// Returns the elementwise maximum of `self` and `least`; an element that is NaN is replaced by that of `least`.
    fn at_least(self, least: Self) -> Self;
    /// Returns the elementwise minimum of `self` and `most`; an element that is NaN is replaced by that of `most`.
    fn at_most(self, most: Self) -> Self;
    /// Returns a bit mask of the elements that are greater than those of `other`; bits are 0 for NaN.
    fn above(self, other: Self) -> u16;
    /// Multiplies two arrays of f64 elementwise, and rounds the products to f32.
    fn products(a: &[f64; WIDTH], b: &[f64; WIDTH]) -> Self;
    /// Computes the products `self`_k·`factors`_k·`factor`·`others`_k in f64, multiplied in this order, and adds
    /// product k to `sums[k % 4]`.
    fn add_products(self, factors: &[f64; WIDTH], factor: f64, others: &[f64; WIDTH], sums: &mut [f64; 4]);
    /// Splits sixteen 64-bit words (given as low and high halves), each of which packs an f64 and a counter in the
    /// bits `mask` of the low half. Returns the counters, and the f64 without the counter bits. If a counter is 0, the
    /// high half of its f64 is replaced by `none`.
    fn counted(low: &[u32; WIDTH], high: &[u32; WIDTH], mask: u32, none: u32) -> (Self, [f64; WIDTH]);
    /// Replaces the inverse scales (low and high words) of the elements in the mask `which` by the inverses of the
    /// absolute `values`. Returns the ratios of [`InverseScale::raised`], by which gradient sums are multiplied; 1 for
    /// elements outside the mask.
    fn raise(units: &mut [[u32; WIDTH]; 2], which: u16, values: &[f64; WIDTH]) -> Self {
        let mut ratios = [1.0; WIDTH];
        for k in (0..WIDTH).filter(|k| which >> k & 1 > 0) {
            let (unit, ratio) = InverseScale::from_words([units[0][k], units[1][k]]).raised(values[k].abs());
            [units[0][k], units[1][k]] = unit.words();
            ratios[k] = ratio;
        }
        Self::load(&ratios)
    }
    /// Transposes sixteen lines as a matrix of words: word k of line j becomes word j of line k.
    fn transpose(from: &[&CacheLine; WIDTH], to: &mut [CacheLine; WIDTH]);
    /// Transposes sixteen lines as [`transpose`](F32x16::transpose) does, and writes them to arbitrary addresses.
    ///
    /// # Safety
    /// The caller must ensure that all pointers are aligned and valid for writes.
    unsafe fn transpose_to(from: &[CacheLine; WIDTH], to: &[*mut CacheLine; WIDTH]);
}

/// Portable implementation of [`F32x16`] by loops over an array.
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
            // SAFETY: the caller ensures that the pointers are valid for writes.
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
