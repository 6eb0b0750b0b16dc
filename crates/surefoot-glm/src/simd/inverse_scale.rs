//! Inverse scale of a coordinate: 1 divided by the largest absolute value of its feature so far, packed with a
//! counter.

use bytemuck::{Pod, Zeroable};

/// Inverse scale 1/M of a coordinate, where M is the largest |x| so far, as the bits of an f64 whose last twelve bits
/// hold the number of updates of the coordinate, up to 4095. All bits are 0 for a coordinate without updates. Without
/// the last twelve bits, 1/M has a relative error of at most 2⁻⁴⁰.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct InverseScale(pub(crate) u64);

impl InverseScale {
    /// Mask of the bits that hold the number of updates of the coordinate.
    pub(crate) const UPDATES: u64 = 0xfff;

    /// Returns 1/M, the inverse scale as a number; 0 for a coordinate without updates.
    #[inline(always)]
    pub(crate) fn value(self) -> f64 {
        f64::from_bits(self.0 & !InverseScale::UPDATES)
    }

    /// Returns the number of updates of the coordinate, at most 4095.
    #[inline(always)]
    pub(crate) fn updates(self) -> u32 {
        (self.0 & InverseScale::UPDATES) as u32
    }

    /// Builds an inverse scale from the low and the high 32-bit word of its bits.
    pub(crate) fn from_words([low, high]: [u32; 2]) -> InverseScale {
        InverseScale(u64::from(low) | u64::from(high) << 32)
    }

    /// Returns the low and the high 32-bit word of the inverse scale's bits.
    pub(crate) fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// Returns the inverse scale with its counter of updates increased by 1, up to 4095.
    #[inline(always)]
    pub(crate) fn with_update(self) -> InverseScale {
        InverseScale(self.0 + u64::from(self.0 & InverseScale::UPDATES < InverseScale::UPDATES))
    }

    /// Returns the inverse scale with its counter of updates increased by `count`, up to 4095.
    pub(crate) fn with_updates(self, count: u32) -> InverseScale {
        let updates = u64::from(self.updates().saturating_add(count)).min(InverseScale::UPDATES);
        InverseScale(self.0 & !InverseScale::UPDATES | updates)
    }

    /// Returns the inverse of a new, larger scale `unit`, and the factor by which gradient sums Σ g·x/M have to be
    /// multiplied, as if this scale had been known from the start. Directions are ratios of gradient sums, so they and
    /// their averages do not change.
    pub(crate) fn raised(self, unit: f64) -> (InverseScale, f32) {
        let inverse = (1.0 / unit).max(f64::MIN_POSITIVE);
        let ratio = if self.updates() == 0 { 0.0 } else { (inverse / self.value()) as f32 };
        (InverseScale(inverse.to_bits() & !InverseScale::UPDATES | self.0 & InverseScale::UPDATES), ratio)
    }
}
