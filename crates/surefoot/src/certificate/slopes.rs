//! A sum of gradients, and how far rounding may have put it off.

use super::{Penalty, Uncertified};
use crate::memory::lengthen;
use crate::{Float, Grow};

/// Z = Σ α_t g_t by coordinate.
///
/// *Rounding*, to first order, ε the spacing of `f64` at 1 and ε_F that of the arrays: a weighted gradient was rounded
/// once, so it is off by at most ε_F/2 of its size, and an addition by ε/2 of the sum that it leaves. So Z_j is off by an
/// e_j with Σ|e_j| ≤ ε_F·`mass` + ε·`drift`. Ω* is a supremum of linear functions, and at no point on the way from the
/// Z that was summed to the true one is a coordinate of its maximiser larger than [`Penalty::farthest`], asked for a
/// slack that no e_j/A exceeds. So A·Ω*(−Z/A) is off by at most that times Σ|e_j|. Its own sum of d terms, none above
/// farthest·|Z_j|, is off by d·ε/2 of the sum of their sizes.
#[derive(Clone, Debug)]
pub(super) struct Slopes {
    pub(super) sum: Vec<f64>,
    /// Σ|α_t g_t| over coordinates and rounds, and the sizes that sums went through.
    pub(super) mass: f64,
    pub(super) drift: f64,
    pub(super) epsilon: f64,
}

impl Slopes {
    pub(super) fn new(dim: usize) -> Self {
        Self { sum: vec![0.0; dim], mass: 0.0, drift: 0.0, epsilon: f64::EPSILON }
    }

    /// A round with arrays of this type and this weight begins.
    ///
    /// # Panics
    /// If the weight is negative or not finite.
    pub(super) fn open<F: Float>(&mut self, weight: f64) {
        assert!(weight >= 0.0 && weight.is_finite(), "a weight that is finite and not negative");
        self.epsilon = self.epsilon.max(F::epsilon().wide());
    }

    /// Adds a weighted gradient's coordinate.
    ///
    /// # Panics
    /// If there is no such coordinate.
    pub(super) fn add(&mut self, i: usize, slope: f64) {
        assert!(i < self.sum.len(), "a gradient within the dimension");
        self.sum[i] += slope;
        self.mass += slope.abs();
        self.drift += self.sum[i].abs();
    }

    /// A·Ω*(−Z/A) and by how much it may be too small.
    pub(super) fn conjugate(&self, total: f64, penalty: &impl Penalty) -> Result<(f64, f64), Uncertified> {
        let (dim, minus_mean) = (self.sum.len(), |i: usize| -self.sum[i] / total);
        let conjugate = total * penalty.conjugate(dim, minus_mean);
        let lost = self.epsilon * self.mass + f64::EPSILON * self.drift;
        let farthest = penalty.farthest(dim, minus_mean, lost / total);
        if conjugate == f64::INFINITY || farthest == f64::INFINITY {
            return Err(Uncertified::Unbounded);
        }
        let size: f64 = self.sum.iter().map(|z| z.abs()).sum();
        let terms = (4.0 + dim as f64) * f64::EPSILON * size;
        Ok((conjugate, farthest * (lost + terms) + 4.0 * f64::EPSILON * conjugate.abs()))
    }

    pub(super) fn clear(&mut self) {
        self.sum.fill(0.0);
        (self.mass, self.drift) = (0.0, 0.0);
    }
}

impl Grow for Slopes {
    fn grow(&mut self, dim: usize) {
        lengthen(&mut self.sum, dim);
    }
}
