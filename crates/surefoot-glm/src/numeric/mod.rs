//! Bisection, compensated sums and range checks: functions that are useful to any numerical program. This module uses
//! no other module of the crate.

pub(crate) mod bisection;
pub(crate) mod check;
pub(crate) mod sums;
