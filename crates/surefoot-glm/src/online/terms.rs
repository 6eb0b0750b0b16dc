//! The numbers of a moment that a row's coordinates are read with.

use super::{averaging::Averaging, label_units::Offset, shrinkage::ShrinkStep};
use crate::simd::lanes::Lanes;

/// What does not change within a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) averaging: Averaging,
    /// By what a lane's points are multiplied: its scale, and that of the labels.
    pub(crate) scales: Lanes,
    /// The same times the lane's share in the model.
    pub(crate) parts: Lanes,
    /// Sign of the model (see [`LabelEncoder`](crate::labels::encoder::LabelEncoder)) times the unit of its margins.
    pub(crate) factor: f64,
    /// What is added to margins.
    pub(crate) offset: Offset,
    /// How the weights of the model are drawn towards 0, if they are.
    pub(crate) shrink_step: Option<ShrinkStep>,
}
