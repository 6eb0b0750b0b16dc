//! Parameters of the current round with which the points of coordinates are computed.

use super::{averaging::Averaging, label_units::Offset, shrinkage::ShrinkStep};
use crate::simd::lanes::Lanes;

/// Parameters of the current round that all coordinates share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) averaging: Averaging,
    /// Factor of each lane's points: corrected step-size scale times the scale of labels. A lane is one of the
    /// learners trained side by side.
    pub(crate) scales: Lanes,
    /// `scales` times the mixture weights of the lanes.
    pub(crate) parts: Lanes,
    /// Sign of the model (see [`LabelEncoder`](crate::labels::encoder::LabelEncoder)) times the unit of margins.
    pub(crate) factor: f64,
    /// Offset added to all margins, apart from the offsets of rows.
    pub(crate) offset: Offset,
    /// Shrinkage of the model's weights; `None` without a penalty and bounds.
    pub(crate) shrink_step: Option<ShrinkStep>,
}
