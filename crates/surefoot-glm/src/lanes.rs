//! Eight numbers side by side: one for each lane.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Div, Mul, Sub};
use surefoot::Real;

/// Number of lanes: eight scales run in one pass. Eight f32 fill one 256-bit register.
pub const LANES: usize = 8;

/// One f32 a lane. Operators work lane by lane and round as scalar f32 does, whatever instructions they become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[repr(C, align(32))]
pub(crate) struct Lanes(pub(crate) [f32; LANES]);

impl Lanes {
    #[inline(always)]
    pub(crate) fn map(self, f: impl FnMut(f32) -> f32) -> Lanes {
        Lanes(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
        let mut out = [0.0; LANES];
        for (o, (a, b)) in out.iter_mut().zip(self.0.iter().zip(&other.0)) {
            *o = f(*a, *b);
        }
        Lanes(out)
    }

    /// Σ a_k b_k, added as a tree of fixed shape: the same bits with any instruction set.
    #[inline(always)]
    pub(crate) fn dot(self, other: Lanes) -> f32 {
        let [a, b, c, d, e, f, g, h] = (self * other).0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }

    pub(crate) fn is_finite(self) -> bool {
        self.0.iter().all(|x| x.is_finite())
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
        self.map(f32::sqrt)
    }
}
