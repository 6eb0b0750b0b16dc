//! Losses of the lanes (learners trained side by side) at a row, by which their mixture weights are chosen.

use crate::simd::lanes::LANES;

/// Losses of the lanes (learners trained side by side) at one row, as they are charged to their mixture weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charges {
    /// Losses of the lanes at the row.
    pub(crate) values: [f64; LANES],
    /// Losses of the lanes if the label were another class: see `wrong_side` in `online/mixture_weights.rs`.
    pub(crate) wrong_side: [f64; LANES],
}
