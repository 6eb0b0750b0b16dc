//! Vector arithmetic: sixteen f32 in registers, and one f32 per lane (one of the learners trained side by side).
//!
//! This module uses no other module. Every instruction set computes the same result as `Scalar` to the bit, which the
//! tests check. A new instruction set is a file that implements `F32x16`, chosen where the loops of
//! [`online`](crate::online) are compiled.

pub(crate) mod f32x16;
pub(crate) mod inverse_scale;
pub(crate) mod lanes;
pub(crate) mod margin;
pub(crate) mod prefetch;
