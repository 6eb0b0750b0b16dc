//! Parameters of the current round, by which the state of a coordinate is converted to weights.

use super::{averaging::Averaging, label_units::Offset, shrinkage::ShrinkStep};
use crate::simd::lanes::Lanes;

/// Parameters of the current round, the same for all coordinates, by which their states are converted to weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) averaging: Averaging,
    /// Factor for each lane (one of the learners trained side by side) by which its points (average and iterate) are
    /// multiplied to give weights: step-size scale times magnitude of the labels.
    pub(crate) scales: Lanes,
    /// Product, for each lane (one of the learners trained side by side), of its entry in `scales` and its coefficient in
    /// the model: its mixture weight plus the correction by stacking.
    pub(crate) parts: Lanes,
    /// Factor that converts learnt weights to those of the model: the unit by which stored margins are divided,
    /// negative if classes are encoded with the opposite sign (see
    /// [`LabelEncoder`](crate::labels::encoder::LabelEncoder)).
    pub(crate) factor: f64,
    /// Offset that is added to the margins of all rows, in addition to each row's own offset.
    pub(crate) offset: Offset,
    /// Shrinkage of the weights by the penalty and bounds; `None` if there are none.
    pub(crate) shrink_step: Option<ShrinkStep>,
}

impl Terms {
    /// Returns the terms with the part of the constant prediction in the model's margins added.
    pub(crate) fn with_constant(mut self, margin: f64) -> Terms {
        self.offset.model += margin;
        self
    }
}
