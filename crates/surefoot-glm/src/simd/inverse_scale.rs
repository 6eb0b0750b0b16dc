//! The unit of a coordinate: the inverse of its largest value so far.

use bytemuck::{Pod, Zeroable};

/// 1/M, where M is the largest |x| so far, and in its last twelve bits the number of rows that touched the coordinate,
/// up to 4095; all zeros for a coordinate never seen. Without those bits 1/M is exact to 2⁻⁴⁰.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct InverseScale(pub(crate) u64);

impl InverseScale {
    pub(crate) const UPDATES: u64 = 0xfff;

    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        f64::from_bits(self.0 & !InverseScale::UPDATES)
    }

    #[inline(always)]
    pub(crate) fn updates(self) -> u32 {
        (self.0 & InverseScale::UPDATES) as u32
    }

    /// Of its low and its high word.
    pub(crate) fn of_words([low, high]: [u32; 2]) -> InverseScale {
        InverseScale(u64::from(low) | u64::from(high) << 32)
    }

    /// Its low and its high word.
    pub(crate) fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    #[inline(always)]
    pub(crate) fn with_update(self) -> InverseScale {
        InverseScale(self.0 + u64::from(self.0 & InverseScale::UPDATES < InverseScale::UPDATES))
    }

    /// A larger unit, and by what gradients in this one are multiplied to be re-expressed, as if it had been known from the start:
    /// they were x/M·g, so they shrink; the direction is a ratio of them, and stays, and with it its average.
    pub(crate) fn raised(self, unit: f64) -> (InverseScale, f32) {
        let inverse = (1.0 / unit).max(f64::MIN_POSITIVE);
        let ratio = if self.updates() == 0 { 0.0 } else { (inverse / self.value()) as f32 };
        (InverseScale(inverse.to_bits() & !InverseScale::UPDATES | self.0 & InverseScale::UPDATES), ratio)
    }
}
