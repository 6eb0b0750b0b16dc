//! Losses of the lanes (learners trained side by side) at one row, from which their mixture weights are computed.

use crate::simd::lanes::LANES;

/// Losses of the lanes (learners trained side by side) at one row, from which the weights of the lanes in the final
/// mixture are computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charges {
    /// Loss of each lane (one of the learners trained side by side) at the row.
    pub(crate) values: [f64; LANES],
    /// Loss that each lane (one of the learners trained side by side) would have at the row with a wrong label: that of
    /// another class, or that of one more event. See `wrong_side` in `online/mixture_weights.rs`.
    pub(crate) wrong_side: [f64; LANES],
}
