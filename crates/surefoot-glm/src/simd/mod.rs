//! Several numbers side by side: sixteen f32 of a register, and one f32 per lane of step sizes.
//!
//! Knows no other room. Every instruction set computes the same bits as the plain arrays that the tests hold it against; one is added as a
//! file that implements `F32x16`, and chosen where the loops of [`online`](crate::online) are compiled.

pub(crate) mod f32x16;
pub(crate) mod inverse_scale;
pub(crate) mod lanes;
pub(crate) mod margin;
pub(crate) mod prefetch;
