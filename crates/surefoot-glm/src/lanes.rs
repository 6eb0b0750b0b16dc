//! Numbers side by side: one for each lane.
//!
//! [`Lanes`] is how they are stored, and the plain way to work on them. [`Wide`] is what the inner loops are written
//! for: `Lanes` itself, or the register of an instruction set ([`avx2`]), which gives the same bits.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
pub(crate) mod exp;

use crate::{
    block::{BLOCK, Singles},
    coordinate::Coordinate,
};
use bytemuck::Zeroable;
use serde::{Deserialize, Serialize};
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// Number of lanes: six scales run in one pass, so that a coordinate fills one cache line of 64 bytes.
pub const LANES: usize = 6;

/// One f32 a lane. Operators work lane by lane and round as scalar f32 does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Serialize, Deserialize)]
#[repr(transparent)]
pub(crate) struct Lanes(pub(crate) [f32; LANES]);

/// Arithmetic on all lanes, which can be loaded from and stored to memory.
pub(crate) trait Wide: Real {
    fn load(from: &Lanes) -> Self;
    fn store(self, to: &mut Lanes);
    /// Σ a_k b_k, added as a tree of fixed shape: the same bits with any instruction set.
    fn dot(self, other: Self) -> f32;
    /// The dot products of four with one: those of [`dot`](Wide::dot), to the bit, at a third of the price.
    fn dots(four: [Self; 4], other: Self) -> [f32; 4];
    /// The single numbers of coordinates, side by side.
    fn singles(here: [&Coordinate; BLOCK]) -> Singles;
}

impl Lanes {
    pub(crate) fn is_finite(self) -> bool {
        self.0.iter().all(|x| x.is_finite())
    }

    #[inline(always)]
    fn zip(self, other: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
        Lanes(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl Wide for Lanes {
    #[inline(always)]
    fn load(from: &Lanes) -> Lanes {
        *from
    }

    #[inline(always)]
    fn store(self, to: &mut Lanes) {
        *to = self;
    }

    #[inline(always)]
    fn dot(self, other: Lanes) -> f32 {
        let [a, b, c, d, e, f] = (self * other).0;
        // The zero is the sum of the places of a register that are no lanes.
        ((a + b) + (c + d)) + ((e + f) + 0.0)
    }

    #[inline(always)]
    fn dots(four: [Lanes; 4], other: Lanes) -> [f32; 4] {
        four.map(|lanes| lanes.dot(other))
    }

    #[inline(always)]
    fn singles(here: [&Coordinate; BLOCK]) -> Singles {
        Singles::of(here)
    }
}

impl Add for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn add(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn sub(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn mul(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a * b)
    }
}

impl Div for Lanes {
    type Output = Lanes;
    #[inline(always)]
    fn div(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a / b)
    }
}

impl Real for Lanes {
    #[inline(always)]
    fn of(x: f64) -> Lanes {
        Lanes([x as f32; LANES])
    }

    #[inline(always)]
    fn sqrt(self) -> Lanes {
        Lanes(self.0.map(f32::sqrt))
    }
}
