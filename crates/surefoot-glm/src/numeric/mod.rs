//! Sums that lose no digit, and the ranges that numbers have to be in.
//!
//! Knows nothing of this crate but itself. A function belongs here if it would make sense in any program that computes.

pub(crate) mod check;
pub(crate) mod sums;
