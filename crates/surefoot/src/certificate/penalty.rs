//! Penalties and domains as convex terms of an objective that keep its minimiser bounded.

use std::marker::PhantomData;

use super::Comparator;
use crate::{Domain, Float};

/// A convex term Ω of the objective that is known in closed form, with its conjugate Ω*(z) = sup over u of ⟨z, u⟩ −
/// Ω(u). A domain is the special case with Ω = 0 inside and Ω = ∞ outside: [`Inside`].
///
/// Methods receive a point as a function from the index to the coordinate, in `dim` dimensions. All methods cost O(d).
pub trait Penalty {
    /// Returns the penalty Ω(x) at a point x.
    fn value(&self, dim: usize, x: impl Fn(usize) -> f64) -> f64;

    /// Returns the convex conjugate Ω*(z) = sup over u of ⟨z, u⟩ − Ω(u), or ∞ if the supremum is not finite.
    fn conjugate(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64;

    /// Returns a bound on |u_j| over all coordinates j and all maximisers u of ⟨z, u⟩ − Ω(u) at `z`, or at any vector
    /// whose coordinates differ from `z` by at most `slack`; ∞ if there is no bound. The bound is used in allowances
    /// for rounding.
    fn farthest(&self, dim: usize, z: impl Fn(usize) -> f64, slack: f64) -> f64;

    /// Returns the comparator of certificates with this penalty: the minimiser over the whole space, or over the domain
    /// if the penalty is a domain.
    fn comparator(&self) -> Comparator;

    /// Returns the largest factor s ≤ 1 such that the conjugate Ω* is finite at s·z and at every vector whose
    /// coordinates differ from s·z by at most `slack`; a number ≤ 0 if there is no positive one.
    fn shrink(&self, dim: usize, z: impl Fn(usize) -> f64, slack: f64) -> f64 {
        let _ = (dim, z, slack);
        1.0
    }

    /// Computes the Fenchel–Young gap Ω(x) + Ω*(z) − ⟨x, z⟩ ≥ 0. The default implementation loses digits near 0, so a
    /// closed form is better where one is known.
    fn gap(&self, dim: usize, x: impl Fn(usize) -> f64, z: impl Fn(usize) -> f64) -> f64 {
        let inner: f64 = (0..dim).map(|i| x(i) * z(i)).sum();
        (self.value(dim, x) + self.conjugate(dim, z) - inner).max(0.0)
    }
}

/// The elastic net penalty Ω(x) = l1·‖x‖_1 + (l2/2)·‖x‖².
///
/// ```
/// use surefoot::certificate::{ElasticNet, Penalty};
/// let net = ElasticNet::new(1.0, 2.0);
/// assert_eq!(net.value(2, |i| [3.0, -1.0][i]), 14.0);
/// assert_eq!(net.conjugate(2, |i| [3.0, -0.5][i]), 1.0); // (3 − 1)²/(2·2) + 0
/// assert_eq!(ElasticNet::new(1.0, 0.0).shrink(2, |i| [3.0, -4.0][i], 0.0), 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticNet {
    /// Factor of the L1 norm ‖x‖_1 in the penalty.
    pub(crate) l1: f64,
    /// Factor of the squared norm ‖x‖²/2 in the penalty.
    pub(crate) l2: f64,
}

impl ElasticNet {
    /// Creates the penalty with factors `l1` and `l2`, either of which may be 0.
    ///
    /// # Panics
    /// If a factor is negative or not finite.
    pub fn new(l1: f64, l2: f64) -> Self {
        assert!(l1 >= 0.0 && l1.is_finite() && l2 >= 0.0 && l2.is_finite(), "factors that are finite and not negative");
        Self { l1, l2 }
    }

    /// Returns max(|z| − l1, 0), the part of |z| above the factor l1, where a difference within rounding counts as 0.
    fn beyond(&self, z: f64) -> f64 {
        let beyond = z.abs() - self.l1;
        if beyond > 4.0 * f64::EPSILON * self.l1 { beyond } else { 0.0 }
    }
}

impl Penalty for ElasticNet {
    fn value(&self, dim: usize, x: impl Fn(usize) -> f64) -> f64 {
        (0..dim).map(|i| self.l1 * x(i).abs() + self.l2 / 2.0 * x(i) * x(i)).sum()
    }

    fn conjugate(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        let one = |beyond: f64| if beyond == 0.0 { 0.0 } else { beyond * (beyond / (2.0 * self.l2)) };
        (0..dim).map(|i| one(self.beyond(z(i)))).sum()
    }

    fn farthest(&self, dim: usize, z: impl Fn(usize) -> f64, slack: f64) -> f64 {
        let beyond = (0..dim).map(|i| z(i).abs() + slack - self.l1).fold(0.0, f64::max);
        if beyond == 0.0 { 0.0 } else { beyond / self.l2 }
    }

    fn comparator(&self) -> Comparator {
        Comparator::Space
    }

    fn shrink(&self, dim: usize, z: impl Fn(usize) -> f64, slack: f64) -> f64 {
        let largest = (0..dim).map(|i| z(i).abs()).fold(0.0, f64::max);
        if self.l2 == 0.0 && largest + slack > self.l1 { (self.l1 - slack) / largest } else { 1.0 }
    }

    /// Computes the gap in closed form as a sum over coordinates: with a = |z| − l1 > 0 and s the sign of z, a
    /// coordinate contributes l1·(|x| − s·x) + (l2·x − s·a)²/(2·l2).
    fn gap(&self, dim: usize, x: impl Fn(usize) -> f64, z: impl Fn(usize) -> f64) -> f64 {
        let one = |x: f64, z: f64| {
            let beyond = self.beyond(z);
            if beyond == 0.0 {
                return (self.l1 * x.abs() - x * z).max(0.0) + self.l2 / 2.0 * x * x;
            }
            let miss = self.l2 * x - beyond.copysign(z);
            self.l1 * (x.abs() - x * z.signum()) + miss * (miss / (2.0 * self.l2))
        };
        (0..dim).map(|i| one(x(i), z(i))).sum()
    }
}

/// The penalty that represents a domain: 0 inside, ∞ outside. Its conjugate is the support function of the domain.
///
/// ```
/// use surefoot::Ball;
/// use surefoot::certificate::{Inside, Penalty};
/// let ball = Ball::<f64>::new(2.0);
/// assert_eq!(Inside::new(&ball).conjugate(2, |i| [3.0, 4.0][i]), 10.0);
/// assert_eq!(Inside::new(&ball).value(2, |_| 2.0), f64::INFINITY);
/// ```
#[derive(Debug)]
pub struct Inside<'a, F, D> {
    domain: &'a D,
    arrays: PhantomData<F>,
}

impl<'a, F: Float, D: Domain<F>> Inside<'a, F, D> {
    /// Creates the penalty that is 0 inside the borrowed `domain` and ∞ outside.
    pub fn new(domain: &'a D) -> Self {
        Self { domain, arrays: PhantomData }
    }
}

impl<F: Float, D: Domain<F>> Penalty for Inside<'_, F, D> {
    fn value(&self, dim: usize, x: impl Fn(usize) -> f64) -> f64 {
        if self.domain.contains(dim, x) { 0.0 } else { f64::INFINITY }
    }

    fn conjugate(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        self.domain.support(dim, z)
    }

    fn farthest(&self, dim: usize, _: impl Fn(usize) -> f64, _: f64) -> f64 {
        let reach = if self.domain.bounded() { self.domain.reach() } else { f64::INFINITY };
        reach + (0..dim).map(|i| self.domain.centre(i).wide().abs()).fold(0.0, f64::max)
    }

    fn comparator(&self) -> Comparator {
        Comparator::Domain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the closed form of the elastic net's gap equals its definition Ω(x) + Ω*(z) − x·z, on both sides of
    /// every kink.
    #[test]
    fn gaps_in_closed_form() {
        let points = [-3.0, -1.0, -0.2, 0.0, 0.5, 1.0, 2.5];
        for (l1, l2) in [(1.0, 2.0), (0.0, 0.5), (0.7, 0.1)] {
            let net = ElasticNet::new(l1, l2);
            for (x, z) in points.iter().flat_map(|&x| points.iter().map(move |&z| (x, z))) {
                let plain = net.value(1, |_| x) + net.conjugate(1, |_| z) - x * z;
                let gap = net.gap(1, |_| x, |_| z);
                assert!((gap - plain).abs() <= 1e-13 && gap >= 0.0, "{l1} {l2} {x} {z}: {gap} {plain}");
            }
        }
    }

    #[test]
    fn a_lasso_has_a_conjugate_within_its_bound_only() {
        let lasso = ElasticNet::new(0.5, 0.0);
        assert_eq!(lasso.conjugate(2, |i| [0.5, -0.3][i]), 0.0);
        assert_eq!(lasso.conjugate(2, |i| [0.6, -0.3][i]), f64::INFINITY);
        let factor = lasso.shrink(2, |i| [0.6, -0.3][i], 0.0);
        assert_eq!(lasso.conjugate(2, |i| factor * [0.6, -0.3][i]), 0.0);
        assert_eq!(lasso.gap(1, |_| 2.0, |_| 0.5), 0.0);
    }
}
