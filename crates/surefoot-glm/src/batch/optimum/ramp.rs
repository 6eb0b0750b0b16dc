//! Losses whose slope is a ramp: straight between two limits.

use super::curve::Jet;

/// φ(u) = sup over low ≤ s ≤ high of s·u − width·s²/2, with u = m − y, or u = ym − 1 for labels −1 and +1.
///
/// The slope is u/width, cut at the limits, so that φ* is width·θ²/2 between them. Width 0 is a kink; a larger width smooths it
/// (Nesterov 2005), and dual points of the one are dual points of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ramp {
    pub(super) of_classes: bool,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) width: f64,
}

impl Ramp {
    /// du/dm, and u.
    #[inline(always)]
    pub(super) fn place(self, y: f64, m: f64) -> (f64, f64) {
        if self.of_classes { (y, y * m - 1.0) } else { (1.0, m - y) }
    }

    #[inline(always)]
    fn slope(self, u: f64) -> f64 {
        if self.width > 0.0 {
            (u / self.width).clamp(self.low, self.high)
        } else if u < 0.0 {
            self.low
        } else if u > 0.0 {
            self.high
        } else {
            0.0
        }
    }

    #[inline(always)]
    pub(super) fn jet(self, y: f64, m: f64) -> Jet {
        let (sign, u) = self.place(y, m);
        let slope = self.slope(u);
        let inside = self.width > 0.0 && u >= self.low * self.width && u <= self.high * self.width;
        let bend = if inside { 1.0 / self.width } else { 0.0 };
        Jet { value: slope * (u - 0.5 * self.width * slope), slope: sign * slope, bend }
    }

    /// The largest size of a slope at margins that are at most `off` away.
    #[inline(always)]
    pub(super) fn steepest(self, y: f64, m: f64, off: f64) -> f64 {
        let u = self.place(y, m).1;
        self.slope(u - off).abs().max(self.slope(u + off).abs())
    }

    #[inline(always)]
    pub(super) fn miss(self, y: f64, m: f64, dual: f64) -> f64 {
        let (sign, u) = self.place(y, m);
        let slope = self.slope(u);
        let off = slope - sign * dual;
        // What is beyond the ramp has the sign of the limit that it is cut at, and so has `off`: neither term is negative.
        off * (0.5 * self.width * off + (u - self.width * slope))
    }

    #[inline(always)]
    pub(super) fn clip(self, y: f64, dual: f64) -> f64 {
        let sign = if self.of_classes { y } else { 1.0 };
        sign * (sign * dual).clamp(self.low, self.high)
    }

    /// Whether any number is a dual point.
    pub(super) fn is_unbounded(self) -> bool {
        self.low == f64::NEG_INFINITY && self.high == f64::INFINITY
    }
}
