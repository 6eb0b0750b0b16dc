//! One kink on the central path.

/// How near a limit a dual point may begin, as a part of half the way between both.
const NEAREST: f64 = 1e-9;

/// A dual point strictly between its limits, and how far its margin is beyond the kink on either side: u = above − below. A kink
/// smoothed by a ramp is one of u − width·dual.
///
/// At the optimum (dual − low)·below = (high − dual)·above = 0. On the central path both are the same for all rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Complementarity {
    pub(super) low: f64,
    pub(super) high: f64,
    width: f64,
    pub(super) dual: f64,
    below: f64,
    above: f64,
}

/// How a [`Complementarity`] is to change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    dual: f64,
    below: f64,
    above: f64,
}

impl Complementarity {
    /// On the central path, where both products are `product`. Without a lower limit u has to be above 0.
    pub(super) fn central(low: f64, high: f64, u: f64, product: f64) -> Complementarity {
        if low == f64::NEG_INFINITY {
            return Complementarity { low, high, width: 0.0, dual: high - product / u, below: 0.0, above: u };
        }
        // Halves first: the largest numbers have no sum.
        let (centre, half) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
        let dual = centre + u * half * half / (product + (product * product + u * u * half * half).sqrt());
        // Rounding may leave it on a limit.
        let dual = dual.clamp(low + NEAREST * half, high - NEAREST * half);
        Complementarity { low, high, width: 0.0, dual, below: product / (dual - low), above: product / (high - dual) }
    }

    /// That of a kink smoothed by a ramp: off the central path at first, to which whole steps lead. One without a lower limit is on it.
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

    /// One over the curvature of the row: dual points change by that of u over it.
    pub(super) fn stiffness(&self) -> f64 {
        self.below / (self.dual - self.low) + self.above / (self.high - self.dual) + self.width
    }

    /// What the dual point would be with both products `product`, by Newton's method: the slope that the row has for the weights.
    pub(super) fn derivative(&self, u: f64, product: f64) -> f64 {
        self.dual - self.short(u, product) / self.stiffness()
    }

    /// How far u is from where both products are `product`.
    fn short(&self, u: f64, product: f64) -> f64 {
        product / (self.high - self.dual) - product / (self.dual - self.low) + self.width * self.dual - u
    }

    /// What Newton's method makes of both products and u = above − below + width·dual, when u is to be u + `by`.
    pub(super) fn change(&self, u: f64, by: f64, product: f64) -> Change {
        let dual = (by - self.short(u, product)) / self.stiffness();
        let below = (product - self.below * dual) / (self.dual - self.low) - self.below;
        let above = (product + self.above * dual) / (self.high - self.dual) - self.above;
        Change { dual, below, above }
    }

    /// The largest part of a change, up to 1, that leaves everything inside.
    pub(super) fn room(&self, change: &Change) -> f64 {
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
