//! Compensated sums, and range checks of numbers.
//!
//! Uses no other room. A function belongs here if it is useful to any numerical program.

pub(crate) mod check;
pub(crate) mod sums;
