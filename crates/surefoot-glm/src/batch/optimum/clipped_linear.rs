//! Losses whose derivative is clipped linear: linear between two limits and constant beyond them (squared, Huber,
//! absolute, quantile, hinges).

use super::expansion::Expansion;

/// Loss φ(u) = sup over low ≤ s ≤ high of s·u − width·s²/2, where u = m − y for regression, or u = ym − 1 for labels y
/// of −1 and +1, at margin m.
///
/// The derivative is u/width clipped to the limits, and the convex conjugate is φ*(θ) = width·θ²/2 between the limits.
/// Width 0 is a kink at u = 0; a positive width smooths the kink (Nesterov 2005, Smooth minimization of non-smooth
/// functions). Both have the same feasible dual points θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ClippedLinear {
    pub(super) of_classes: bool,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) width: f64,
}

impl ClippedLinear {
    /// Returns du/dm and u, where u is the residual m − y of a regression or ym − 1 for labels −1 and +1.
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

    /// Returns the largest |φ'|, the absolute derivative of the loss, over margins at most `error` away from `m`.
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
        // The excess u − width·φ' has the sign of the limit that clips it, and so has `error`: neither term is
        // negative.
        error * (0.5 * self.width * error + (u - self.width * derivative))
    }

    #[inline(always)]
    pub(super) fn clip(self, y: f64, dual: f64) -> f64 {
        let sign = if self.of_classes { y } else { 1.0 };
        sign * (sign * dual).clamp(self.low, self.high)
    }

    /// Whether every number is a feasible dual point, because the derivative of the loss has no limits.
    pub(super) fn is_unbounded(self) -> bool {
        self.low == f64::NEG_INFINITY && self.high == f64::INFINITY
    }
}
