//! What the lanes lose at a row, for choosing among them.

use crate::simd::lanes::LANES;

/// What the lanes are charged for a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charges {
    /// For their losses.
    pub(crate) values: [f64; LANES],
    /// For one more row, on the wrong side: see `wrong_side` of the mixture.
    pub(crate) wrong_side: [f64; LANES],
}
