//! Compensated sums, and range checks of numbers.
//!
//! This module uses no other module. A function belongs here if it is useful to any numerical program.

pub(crate) mod check;
pub(crate) mod sums;
