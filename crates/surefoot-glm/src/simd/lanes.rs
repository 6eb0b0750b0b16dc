//! Vectors of one f32 per lane, where a lane is one of the learners trained side by side with different step-size
//! scales.

pub(crate) mod exp;

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// Number of lanes (learners trained side by side with different step-size scales): four, so that all that is
/// stored for a coordinate, three numbers per lane and those that they share, fills one cache line of 64 bytes.
pub const LANES: usize = 4;

/// Vector of one f32 per lane (one of the learners trained side by side). Operators work elementwise and round as
/// scalar f32 operators do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable, Serialize, Deserialize)]
#[repr(transparent)]
pub(crate) struct Lanes(pub(crate) [f32; LANES]);

impl Lanes {
    pub(crate) fn is_finite(self) -> bool {
        self.0.iter().all(|x| x.is_finite())
    }

    /// Returns the dot product Σ a_k·b_k over the lanes k (learners trained side by side), summed in a fixed order.
    #[inline(always)]
    pub(crate) fn dot(self, other: Lanes) -> f32 {
        let [a, b, c, d] = (self * other).0;
        (a + b) + (c + d)
    }

    #[inline(always)]
    fn zip(self, other: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
        Lanes(std::array::from_fn(|k| f(self.0[k], other.0[k])))
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
