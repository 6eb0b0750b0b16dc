//! Parameters of the current round with which coordinates are read.

use super::{averaging::Averaging, label_units::Offset, shrinkage::ShrinkStep};
use crate::simd::lanes::Lanes;

/// Parameters that are the same for all coordinates of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) averaging: Averaging,
    /// Factor of the points per lane: corrected step-size scale times the scale of labels.
    pub(crate) scales: Lanes,
    /// `scales` times the mixture weight of the lane.
    pub(crate) parts: Lanes,
    /// Sign of the model (see [`LabelEncoder`](crate::labels::encoder::LabelEncoder)) times the unit of its margins.
    pub(crate) factor: f64,
    /// Offset of all margins.
    pub(crate) offset: Offset,
    /// Shrinkage of the model's weights, with a penalty.
    pub(crate) shrink_step: Option<ShrinkStep>,
}
