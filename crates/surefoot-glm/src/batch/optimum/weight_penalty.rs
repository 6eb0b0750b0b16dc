//! Penalty of one weight (elastic net with bounds), with its convex conjugate and Fenchel–Young gap.

use super::{Goal, design::Design, rounding::EPS};

/// Penalty of one weight: ω(w) = l1·|w| + (l2/2)·w² for low ≤ w ≤ high, else ∞; low ≤ 0 ≤ high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WeightPenalty {
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl WeightPenalty {
    /// Penalty of a weight that is neither penalised nor bounded, such as the intercept.
    pub(super) const NONE: WeightPenalty =
        WeightPenalty { l1: 0.0, l2: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Builds the penalties of all coordinates of a point, for the columns of a design matrix.
    pub(super) fn all(goal: &Goal, design: &Design) -> Vec<WeightPenalty> {
        let mut penalties = vec![WeightPenalty::NONE; design.dim()];
        for (at, column) in design.map() {
            let rule = goal.rule(column);
            let (low, high) = (rule.bounds.low(), rule.bounds.high());
            // Products that overflow are set to the largest number.
            let times = |strength: f64| (strength * rule.factor).min(f64::MAX);
            penalties[at] = WeightPenalty { l1: times(goal.l1), l2: times(goal.l2), low, high };
        }
        penalties
    }

    /// Computes the penalty ω(w) of a weight w within its bounds.
    pub(super) fn value(&self, w: f64) -> f64 {
        self.l1 * w.abs() + 0.5 * self.l2 * w * w
    }

    pub(super) fn clamp(&self, w: f64) -> f64 {
        w.clamp(self.low, self.high)
    }

    /// Returns the weight w reached by a step from `before`, clipped to the bounds, and set exactly to a bound if only
    /// rounding separates them.
    pub(super) fn snapped(&self, before: f64, w: f64) -> f64 {
        for bound in [self.low, self.high] {
            if bound.is_finite() && bound != 0.0 && (w - bound).abs() <= f64::EPSILON * (before.abs() + bound.abs()) {
                return bound;
            }
        }
        self.clamp(w)
    }

    pub(super) fn has_kink(&self) -> bool {
        self.l1 > 0.0 || self.is_bounded()
    }

    pub(super) fn is_bounded(&self) -> bool {
        self.low > f64::NEG_INFINITY || self.high < f64::INFINITY
    }

    /// Whether the penalty is differentiable at w, that is, w is neither at a kink nor at a bound.
    pub(super) fn is_smooth(&self, w: f64) -> bool {
        (w != 0.0 || self.l1 == 0.0) && w > self.low && w < self.high
    }

    /// Returns the derivative of l1·|w| for w ≠ 0; 0 if there is no L1 penalty.
    pub(super) fn l1_derivative(&self, w: f64) -> f64 {
        if self.l1 > 0.0 { self.l1.copysign(w) } else { 0.0 }
    }

    /// Returns the mean z that the weight `w` requires of the dual points, less l2·w: the z at which the Fenchel–Young
    /// gap ω(w) + ω*(z) − w·z is 0. Where the penalty ω is differentiable, this is the derivative of l1·|w|. For a
    /// weight of 0 it is the limit ±l1, if the current mean `z` is near it. Returns `None` for other weights at kinks
    /// and bounds, which require no single z.
    pub(super) fn required_mean(&self, w: f64, z: f64) -> Option<f64> {
        if self.is_smooth(w) {
            return Some(self.l1_derivative(w));
        }
        let is_unbounded_for = w == 0.0 && self.is_open(z) && z.abs() >= self.l1 * (1.0 - 1e-6);
        is_unbounded_for.then(|| self.l1.copysign(z))
    }

    /// Returns the first kink or bound from w in the direction of `by`; ±∞ if there is none.
    pub(super) fn next_kink(&self, w: f64, by: f64) -> f64 {
        let bound = if by > 0.0 { self.high } else { self.low };
        if self.l1 > 0.0 && w * by < 0.0 { 0.0 } else { bound }
    }

    /// Returns the fraction of a change of w by `by` at which w reaches the next kink or bound; ∞ if it reaches none.
    pub(super) fn part_to_kink(&self, w: f64, by: f64) -> f64 {
        if by == 0.0 { f64::INFINITY } else { (self.next_kink(w, by) - w) / by }
    }

    /// Whether the weight may diverge in at least one direction without any penalty or bound.
    pub(super) fn is_unpenalised(&self) -> bool {
        self.l1 == 0.0 && self.l2 == 0.0 && (self.low == f64::NEG_INFINITY || self.high == f64::INFINITY)
    }

    /// Whether the weight has no bound in the direction of the sign of z (upper bound for z > 0, lower bound
    /// otherwise).
    fn is_open(&self, z: f64) -> bool {
        if z > 0.0 { self.high == f64::INFINITY } else { self.low == f64::NEG_INFINITY }
    }

    /// Whether the conjugate ω*(z) of the penalty is ∞ for every z of this sign, because neither a penalty nor a bound
    /// limits the weight in that direction; false for z = 0.
    pub(super) fn is_unbounded_for(&self, z: f64) -> bool {
        z != 0.0 && self.l1 == 0.0 && self.l2 == 0.0 && self.is_open(z)
    }

    /// Returns the excess of |z| over l1; 0 if |z| ≤ l1 up to rounding.
    fn excess(&self, z: f64) -> f64 {
        let excess = z.abs() - self.l1;
        if excess > 4.0 * f64::EPSILON * self.l1 { excess } else { 0.0 }
    }

    /// Returns the largest factor in (0, 1], up to rounding, by which z can be multiplied so that the conjugate ω* is
    /// finite on the interval of radius `error` around it. The factor is 1 unless there is an L1 penalty without an L2
    /// penalty.
    pub(super) fn feasible_scale(&self, z: f64, error: f64) -> f64 {
        let open = |z: f64| if self.is_open(z) { z.abs() } else { 0.0 };
        let most = open(z + error).max(open(z - error));
        let takes = self.l1 > 0.0 && self.l2 == 0.0 && most > self.l1;
        if takes { self.l1 / most * (1.0 - 4.0 * EPS) } else { 1.0 }
    }

    /// Computes the Fenchel–Young gap ω(w) + ω*(z) − w·z ≥ 0 of the penalty ω, where ω*(z) = sup over u of z·u − ω(u).
    ///
    /// With a = |z| − l1 > 0 and s the sign of z, the supremum is at u = s·a/l2, or at a bound before that. The gap is
    /// then l1·(|w| − s·w) + (l2·w − s·a)²/(2·l2), or l1·(|w| − s·w) + (w − u)·(l2·(w + u)/2 − s·a) at a bound. Neither
    /// formula loses digits near 0.
    pub(super) fn fenchel_young(&self, w: f64, z: f64) -> f64 {
        let WeightPenalty { l1, l2, low, high } = *self;
        let (excess, sign) = (self.excess(z), z.signum());
        if excess == 0.0 {
            return (l1 * w.abs() - w * z).max(0.0) + l2 / 2.0 * w * w;
        }
        let (drive, bound) = (excess.copysign(z), if z > 0.0 { high } else { low });
        let quadratic = if (l2 * bound).abs() > excess {
            let residual = l2 * w - drive;
            residual * (residual / (2.0 * l2))
        } else {
            (w - bound) * (0.5 * l2 * (w + bound) - drive)
        };
        // The product of an infinite bound and l2 = 0 is NaN.
        if quadratic.is_nan() { f64::INFINITY } else { l1 * (w.abs() - w * sign) + quadratic }
    }

    /// Returns the steepest rate of decrease of the objective when the weight moves from w, where g is the derivative
    /// of the smooth part of the objective.
    pub(super) fn descent_rate(&self, w: f64, g: f64) -> f64 {
        let up = if w < self.high { -g - if w >= 0.0 { self.l1 } else { -self.l1 } } else { 0.0 };
        let down = if w > self.low { g - if w <= 0.0 { self.l1 } else { -self.l1 } } else { 0.0 };
        up.max(down).max(0.0)
    }
}

/// Returns the largest L2 strength of all penalties; 0 if there is none.
pub(super) fn largest_l2(penalties: &[WeightPenalty]) -> f64 {
    penalties.iter().fold(0.0, |a: f64, penalty| a.max(penalty.l2))
}

/// Computes Σ g²·(largest l2 / l2_j) over coordinates with an L2 penalty. A gradient g adds this sum, divided by twice
/// the largest l2, to the duality gap. Without any L2 penalty, computes Σ g² over coordinates with an L1 penalty.
pub(super) fn squares(gradient: &[f64], penalties: &[WeightPenalty]) -> f64 {
    let unit = largest_l2(penalties);
    let of = |(g, penalty): (&f64, &WeightPenalty)| match penalty.l2 > 0.0 {
        true => g * g * (unit / penalty.l2),
        false if unit == 0.0 && penalty.l1 > 0.0 => g * g,
        false => 0.0,
    };
    gradient.iter().zip(penalties).map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFINITY: f64 = f64::INFINITY;

    fn penalties() -> impl Iterator<Item = WeightPenalty> {
        let bounds =
            [(-INFINITY, INFINITY), (0.0, INFINITY), (-0.3, INFINITY), (-INFINITY, 0.4), (-0.3, 0.4), (-1.0, 0.0)];
        let strengths = [(0.0, 0.0), (0.2, 0.0), (0.0, 0.5), (0.2, 0.5), (0.2, 1e-9)];
        let penalty = |(l1, l2), (low, high)| WeightPenalty { l1, l2, low, high };
        strengths.into_iter().flat_map(move |strength| bounds.into_iter().map(move |bounds| penalty(strength, bounds)))
    }

    /// Checks that the closed forms of the Fenchel–Young gap agree with the definition of the conjugate: the supremum
    /// over a fine grid of weights, which is wide where there is no bound.
    #[test]
    fn fenchel_young_gaps_are_those_of_the_conjugate_by_its_definition() {
        for penalty in penalties() {
            let (low, high) = (penalty.low.max(-50.0), penalty.high.min(50.0));
            let net: Vec<f64> = (0..=200_000).map(|k| low + (high - low) * f64::from(k) / 200_000.0).collect();
            for z in [-3.0, -0.21, -0.2, -0.1, 0.0, 0.05, 0.2, 0.3, 2.0] {
                let conjugate = net.iter().map(|u| z * u - penalty.value(*u)).fold(0.0, f64::max);
                let infinite = penalty.l2 < 1e-3 && z.abs() > penalty.l1 && penalty.is_open(z);
                for w in [-0.9, -0.3, -0.1, 0.0, 0.2, 0.4, 5.0].map(|w| penalty.clamp(w)) {
                    let (fenchel_young, expected) = (penalty.fenchel_young(w, z), penalty.value(w) + conjugate - w * z);
                    let case = format!("{penalty:?} {w} {z}: {fenchel_young} is not {expected}");
                    if infinite {
                        assert!(fenchel_young > 1e3, "{case}");
                    } else {
                        assert!((fenchel_young - expected).abs() < 1e-6 && fenchel_young >= 0.0, "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn scaled_to_feasibility_the_conjugate_is_finite() {
        for penalty in penalties() {
            for z in [-3.0, -0.2, -0.1, 0.0, 0.3] {
                let finite = penalty.fenchel_young(0.0, penalty.feasible_scale(z, 0.0) * z).is_finite();
                assert_eq!(finite, !penalty.is_unbounded_for(z), "{penalty:?} {z}");
            }
        }
    }

    #[test]
    fn the_descent_rate_is_zero_only_at_the_minimum_of_a_coordinate() {
        for penalty in penalties() {
            // ½(w − c)² plus the penalty: soft-thresholded by l1, divided by 1 + l2, and clipped to the bounds.
            for c in [-2.0_f64, -0.1, 0.0, 0.15, 0.3, 2.0] {
                let best = penalty.clamp((c.abs() - penalty.l1).max(0.0).copysign(c) / (1.0 + penalty.l2));
                let descent_rate = |w: f64| penalty.descent_rate(w, w - c + penalty.l2 * w);
                assert!(descent_rate(best) < 1e-15, "{penalty:?} {c}");
                for w in [best - 0.05, best + 0.05].map(|w| penalty.clamp(w)) {
                    assert!(w == best || descent_rate(w) > 0.04, "{penalty:?} {c} {w}");
                }
            }
        }
    }

    #[test]
    fn a_step_to_a_bound_ends_on_it_exactly() {
        let penalty = WeightPenalty { low: -0.1, high: 0.7, ..WeightPenalty::NONE };
        for before in [0.0, 0.3, -0.05, 0.123_456_789, 0.699_999_999_9] {
            for bound in [penalty.low, penalty.high] {
                let step = bound - before;
                assert_eq!(penalty.snapped(before, before + step), bound);
            }
            assert_eq!(penalty.snapped(before, before), before);
            assert_eq!(penalty.snapped(before, before + 9.0), 0.7);
        }
    }
}
