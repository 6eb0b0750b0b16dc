//! Complementarity conditions of one kink (point where a loss or penalty has no derivative) in the primal-dual
//! interior-point method, and Newton steps for them along the central path.

/// Minimum distance of an initial dual point from the limits of its interval, relative to half the width of the
/// interval.
const MIN_LIMIT_DISTANCE: f64 = 1e-9;

/// Dual variables of one kink, which lies at u = 0, where u is the signed distance of a margin or weight from it: a
/// dual point strictly between its limits `low` and `high`, and the multipliers `below` and `above` of the limits, with
/// u = above − below. For a kink smoothed by a linear derivative of slope 1/width, u − width·dual = above − below.
///
/// At the optimum (dual − low)·below = (high − dual)·above = 0 (complementary slackness). On the central path both
/// products equal one positive number, the same for all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Complementarity {
    pub(super) low: f64,
    pub(super) high: f64,
    width: f64,
    pub(super) dual: f64,
    below: f64,
    above: f64,
}

/// Newton step of the dual variables of a [`Complementarity`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    dual: f64,
    below: f64,
    above: f64,
}

impl Complementarity {
    /// Computes the dual variables on the central path at the signed distance `u` from the kink, where both
    /// complementarity products equal `product`. If there is no lower limit, `u` must be positive.
    pub(super) fn central(low: f64, high: f64, u: f64, product: f64) -> Complementarity {
        if low == f64::NEG_INFINITY {
            return Complementarity { low, high, width: 0.0, dual: high - product / u, below: 0.0, above: u };
        }
        // Halved first, as the sum of the largest numbers overflows.
        let (centre, half) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
        let dual = centre + u * half * half / (product + (product * product + u * u * half * half).sqrt());
        // Rounding may put it on a limit.
        let dual = dual.clamp(low + MIN_LIMIT_DISTANCE * half, high - MIN_LIMIT_DISTANCE * half);
        Complementarity { low, high, width: 0.0, dual, below: product / (dual - low), above: product / (high - dual) }
    }

    /// Computes the initial dual variables at the signed distance `u` from a kink that is smoothed by a linear
    /// derivative of slope 1/width. Without a lower limit they are on the central path. With two limits they are those
    /// of the unsmoothed kink, from which full Newton steps lead to the central path.
    pub(super) fn smoothed(low: f64, high: f64, u: f64, product: f64, width: f64) -> Complementarity {
        if low > f64::NEG_INFINITY || width == 0.0 {
            return Complementarity { width, ..Complementarity::central(low, high, u, product) };
        }
        // With s = high − dual > 0 and above = u − width·dual = product/s.
        let excess = u - width * high;
        let root = (excess * excess + 4.0 * width * product).sqrt();
        let short = if excess > 0.0 { 2.0 * product / (root + excess) } else { (root - excess) / (2.0 * width) };
        Complementarity { low, high, width, dual: high - short, below: 0.0, above: product / short }
    }

    pub(super) fn product(&self) -> f64 {
        let above = (self.high - self.dual) * self.above;
        if self.low == f64::NEG_INFINITY { above } else { 0.5 * ((self.dual - self.low) * self.below + above) }
    }

    /// Returns du/dθ ≥ 0, the rate of change of u (the signed distance from the kink) with the dual point θ in a Newton
    /// step. Its reciprocal serves as the curvature of the row.
    pub(super) fn stiffness(&self) -> f64 {
        self.below / (self.dual - self.low) + self.above / (self.high - self.dual) + self.width
    }

    /// Returns the dual point after one Newton step towards complementarity products of `product`, at the signed
    /// distance `u` from the kink. It serves as the derivative of the row's loss in the Newton step of the weights.
    pub(super) fn derivative(&self, u: f64, product: f64) -> f64 {
        self.dual - self.residual(u, product) / self.stiffness()
    }

    /// Computes the residual of the perturbed complementarity conditions, in which both products equal `product`, at
    /// the signed distance `u` from the kink.
    fn residual(&self, u: f64, product: f64) -> f64 {
        product / (self.high - self.dual) - product / (self.dual - self.low) + self.width * self.dual - u
    }

    /// Computes the Newton step of the dual point and of both multipliers towards complementarity products of
    /// `product`, when the signed distance `u` from the kink changes by `by`.
    pub(super) fn change(&self, u: f64, by: f64, product: f64) -> Change {
        let dual = (by - self.residual(u, product)) / self.stiffness();
        let below = (product - self.below * dual) / (self.dual - self.low) - self.below;
        let above = (product + self.above * dual) / (self.high - self.dual) - self.above;
        Change { dual, below, above }
    }

    /// Returns the largest step length, at most 1, that keeps the dual point within its limits and both multipliers
    /// nonnegative.
    pub(super) fn max_step(&self, change: &Change) -> f64 {
        let until = |room: f64, by: f64| if by < -room { room / -by } else { 1.0 };
        let sides = until(self.below, change.below).min(until(self.above, change.above));
        sides.min(until(self.dual - self.low, change.dual)).min(until(self.high - self.dual, -change.dual))
    }

    pub(super) fn shift(&mut self, part: f64, change: &Change) {
        self.dual += part * change.dual;
        self.below += part * change.below;
        self.above += part * change.above;
    }
}
