//! Vectors: sixteen f32 of a register, and one f32 per lane.
//!
//! Uses no other room. Every instruction set computes the same bits as `Scalar`, against which the tests compare it. A new one is a
//! file that implements `F32x16`, chosen where the loops of [`online`](crate::online) are compiled.

pub(crate) mod f32x16;
pub(crate) mod inverse_scale;
pub(crate) mod lanes;
pub(crate) mod margin;
pub(crate) mod prefetch;
