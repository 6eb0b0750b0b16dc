//! Sixteen numbers of f32 side by side: what the inner loops are written for.
//!
//! Add, subtract, multiply, divide and square root round every place as IEEE 754 asks of scalars, and nothing is fused: [`Plain`]
//! and the registers of all instruction sets give the same bits.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(test)]
mod tests;

use super::inverse_scale::Unit;
use bytemuck::{Pod, Zeroable};
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// Numbers side by side: one register where they are largest.
pub(crate) const WIDTH: usize = 16;

/// A cache line of sixteen numbers of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Line([u32; WIDTH]);

/// Arithmetic on sixteen numbers, which can be loaded from and stored to memory.
pub(crate) trait Wide: Real {
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
    /// Replaces units, by low and high words, with those of these values where a bit is set: see [`Unit::raised`], whose ratios these
    /// are; 1 for the others.
    fn raise(units: &mut [[u32; WIDTH]; 2], which: u16, values: &[f64; WIDTH]) -> Self {
        let mut ratios = [1.0; WIDTH];
        for k in (0..WIDTH).filter(|k| which >> k & 1 > 0) {
            let (unit, ratio) = Unit::of_words([units[0][k], units[1][k]]).raised(values[k].abs());
            [units[0][k], units[1][k]] = unit.words();
            ratios[k] = ratio;
        }
        Self::load(&ratios)
    }
    /// Number k of line j becomes number j of line k.
    fn transpose(from: &[&Line; WIDTH], to: &mut [Line; WIDTH]);
    /// The same, to lines that may be anywhere.
    ///
    /// # Safety
    /// All may be written to.
    unsafe fn transpose_to(from: &[Line; WIDTH], to: &[*mut Line; WIDTH]);
}

/// An array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain([f32; WIDTH]);

impl Plain {
    #[inline(always)]
    fn zip(self, other: Plain, f: impl Fn(f32, f32) -> f32) -> Plain {
        Plain(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl Wide for Plain {
    #[inline(always)]
    fn load(from: &[f32; WIDTH]) -> Plain {
        Plain(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; WIDTH]) {
        *to = self.0;
    }

    #[inline(always)]
    fn at_least(self, least: Plain) -> Plain {
        self.zip(least, |x, least| if x > least { x } else { least })
    }

    #[inline(always)]
    fn at_most(self, most: Plain) -> Plain {
        self.zip(most, |x, most| if x < most { x } else { most })
    }

    #[inline(always)]
    fn above(self, other: Plain) -> u16 {
        (0..WIDTH).fold(0, |bits, k| bits | u16::from(self.0[k] > other.0[k]) << k)
    }

    #[inline(always)]
    fn products(a: &[f64; WIDTH], b: &[f64; WIDTH]) -> Plain {
        Plain(std::array::from_fn(|k| (a[k] * b[k]) as f32))
    }

    #[inline(always)]
    fn add_products(self, factors: &[f64; WIDTH], factor: f64, others: &[f64; WIDTH], sums: &mut [f64; 4]) {
        for k in 0..WIDTH {
            sums[k % 4] += f64::from(self.0[k]) * factors[k] * factor * others[k];
        }
    }

    #[inline(always)]
    fn counted(low: &[u32; WIDTH], high: &[u32; WIDTH], mask: u32, none: u32) -> (Plain, [f64; WIDTH]) {
        let joined = std::array::from_fn(|k| {
            let high = if low[k] & mask == 0 { none } else { high[k] };
            f64::from_bits(u64::from(high) << 32 | u64::from(low[k] & !mask))
        });
        (Plain(low.map(|low| (low & mask) as f32)), joined)
    }

    #[inline(always)]
    fn transpose(from: &[&Line; WIDTH], to: &mut [Line; WIDTH]) {
        for (k, to) in to.iter_mut().enumerate() {
            to.0 = from.map(|line| line.0[k]);
        }
    }

    #[inline(always)]
    unsafe fn transpose_to(from: &[Line; WIDTH], to: &[*mut Line; WIDTH]) {
        for (k, &to) in to.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { to.write(Line(from.each_ref().map(|line| line.0[k]))) };
        }
    }
}

impl Add for Plain {
    type Output = Plain;
    #[inline(always)]
    fn add(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Plain {
    type Output = Plain;
    #[inline(always)]
    fn sub(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Plain {
    type Output = Plain;
    #[inline(always)]
    fn mul(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a * b)
    }
}

impl Div for Plain {
    type Output = Plain;
    #[inline(always)]
    fn div(self, other: Plain) -> Plain {
        self.zip(other, |a, b| a / b)
    }
}

impl Real for Plain {
    #[inline(always)]
    fn of(x: f64) -> Plain {
        Plain([x as f32; WIDTH])
    }

    #[inline(always)]
    fn sqrt(self) -> Plain {
        Plain(self.0.map(f32::sqrt))
    }
}
