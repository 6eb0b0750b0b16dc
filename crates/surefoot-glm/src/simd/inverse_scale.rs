//! The unit of a coordinate: the inverse of its largest value so far.

use bytemuck::{Pod, Zeroable};

/// 1/M, where M is the largest |x| so far, and in its last twelve bits the number of rows that touched the coordinate,
/// up to 4095; all zeros for a coordinate never seen. Without those bits 1/M is exact to 2⁻⁴⁰.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Unit(pub(crate) u64);

impl Unit {
    pub(crate) const TOUCHES: u64 = 0xfff;

    #[inline(always)]
    pub(crate) fn inverse(self) -> f64 {
        f64::from_bits(self.0 & !Unit::TOUCHES)
    }

    #[inline(always)]
    pub(crate) fn touches(self) -> u32 {
        (self.0 & Unit::TOUCHES) as u32
    }

    /// Of its low and its high word.
    pub(crate) fn of_words([low, high]: [u32; 2]) -> Unit {
        Unit(u64::from(low) | u64::from(high) << 32)
    }

    /// Its low and its high word.
    pub(crate) fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    #[inline(always)]
    pub(crate) fn touched(self) -> Unit {
        Unit(self.0 + u64::from(self.0 & Unit::TOUCHES < Unit::TOUCHES))
    }

    /// A larger unit, and by what gradients in this one are multiplied to be re-expressed, as if it had been known from the start:
    /// they were x/M·g, so they shrink; the direction is a ratio of them, and stays, and with it its average.
    pub(crate) fn raised(self, unit: f64) -> (Unit, f32) {
        let inverse = (1.0 / unit).max(f64::MIN_POSITIVE);
        let ratio = if self.touches() == 0 { 0.0 } else { (inverse / self.inverse()) as f32 };
        (Unit(inverse.to_bits() & !Unit::TOUCHES | self.0 & Unit::TOUCHES), ratio)
    }
}
