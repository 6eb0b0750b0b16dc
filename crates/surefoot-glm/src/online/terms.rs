//! Parameters of the current round, by which the state of a coordinate is converted to weights.

use super::{averaging::Averaging, label_units::Offset, shrinkage::ShrinkStep};
use crate::simd::lanes::Lanes;

/// Parameters of the current round, the same for all coordinates, by which their states are converted to weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) averaging: Averaging,
    /// Factor for each lane (one of the learners trained side by side) by which its points, average and iterate, are
    /// multiplied: corrected step-size scale times scale of the labels.
    pub(crate) scales: Lanes,
    /// `scales` times the mixture weight of each lane (one of the learners trained side by side).
    pub(crate) parts: Lanes,
    /// Sign of the model (see [`LabelEncoder`](crate::labels::encoder::LabelEncoder)) times the unit in which margins
    /// are stored.
    pub(crate) factor: f64,
    /// Offset that is added to the margins of all rows, in addition to each row's own offset.
    pub(crate) offset: Offset,
    /// Shrinkage of the weights by the penalty and bounds; `None` if there are none.
    pub(crate) shrink_step: Option<ShrinkStep>,
}
