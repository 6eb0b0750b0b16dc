//! Losses whose slope is a ramp: straight between two limits.

use super::expansion::Expansion;

/// φ(u) = sup over low ≤ s ≤ high of s·u − width·s²/2, with u = m − y, or u = ym − 1 for labels −1 and +1.
///
/// The slope is u/width, cut at the limits, so that φ* is width·θ²/2 between them. Width 0 is a kink; a larger width smooths it
/// (Nesterov 2005), and dual points of the one are dual points of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClippedLinear {
    pub(super) of_classes: bool,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) width: f64,
}

impl ClippedLinear {
    /// du/dm, and u.
    #[inline(always)]
    pub(super) fn residual(self, y: f64, m: f64) -> (f64, f64) {
        if self.of_classes { (y, y * m - 1.0) } else { (1.0, m - y) }
    }

    #[inline(always)]
    fn derivative(self, u: f64) -> f64 {
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
    pub(super) fn expansion(self, y: f64, m: f64) -> Expansion {
        let (sign, u) = self.residual(y, m);
        let derivative = self.derivative(u);
        let inside = self.width > 0.0 && u >= self.low * self.width && u <= self.high * self.width;
        let curvature = if inside { 1.0 / self.width } else { 0.0 };
        Expansion { value: derivative * (u - 0.5 * self.width * derivative), derivative: sign * derivative, curvature }
    }

    /// The largest size of a slope at margins that are at most `error` away.
    #[inline(always)]
    pub(super) fn largest_derivative(self, y: f64, m: f64, error: f64) -> f64 {
        let u = self.residual(y, m).1;
        self.derivative(u - error).abs().max(self.derivative(u + error).abs())
    }

    #[inline(always)]
    pub(super) fn fenchel_young(self, y: f64, m: f64, dual: f64) -> f64 {
        let (sign, u) = self.residual(y, m);
        let derivative = self.derivative(u);
        let error = derivative - sign * dual;
        // What is beyond the ramp has the sign of the limit that it is cut at, and so has `error`: neither term is negative.
        error * (0.5 * self.width * error + (u - self.width * derivative))
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
