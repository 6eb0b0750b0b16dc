//! A weighted sum of gradients, with a bound on its rounding error.

use super::{Penalty, Uncertified};
use crate::memory::lengthen;
use crate::{Float, Grow};

/// The weighted sum of gradients Z = Σ α_t g_t, by coordinate, with the numbers that bound its rounding error.
///
/// *Rounding*, to first order, where ε is the machine epsilon of `f64` and ε_F that of the arrays: a weighted gradient
/// was rounded once, so its error is at most ε_F/2 of its size, and an addition has an error of ε/2 of the sum that it
/// produces. So Z_j has an error e_j with Σ|e_j| ≤ ε_F·`mass` + ε·`drift`. Ω* is a supremum of linear functions, and
/// between the computed Z and the true one no coordinate of its maximiser is larger than [`Penalty::farthest`] for a
/// slack of at least every |e_j|/A. So the error of A·Ω*(−Z/A) is at most [`Penalty::farthest`] times Σ|e_j|. The
/// conjugate itself is a sum of d terms, each at most farthest·|Z_j|, whose error is d·ε/2 of the sum of their sizes.
#[derive(Clone, Debug)]
pub(super) struct Slopes {
    /// The weighted sum of gradients Z = Σ α_t g_t, one number per coordinate.
    pub(super) sum: Vec<f64>,
    /// Sum of |α_t g_tj| over rounds t and coordinates j, for the bound on rounding errors.
    pub(super) mass: f64,
    /// Sum over all additions to a coordinate Z_j of |Z_j| after the addition, for the bound on rounding errors.
    pub(super) drift: f64,
    /// Machine epsilon of the least precise type so far: that of `f64`, or that of `f32` once an `f32` array was used.
    pub(super) epsilon: f64,
}

impl Slopes {
    pub(super) fn new(dim: usize) -> Self {
        Self { sum: vec![0.0; dim], mass: 0.0, drift: 0.0, epsilon: f64::EPSILON }
    }

    /// Begins a round: checks its `weight`, and raises `epsilon`, the precision assumed in bounds on rounding errors,
    /// to the machine epsilon of `F`, the float type of its gradient.
    ///
    /// # Panics
    /// If the weight is negative or not finite.
    pub(super) fn open<F: Float>(&mut self, weight: f64) {
        assert!(weight >= 0.0 && weight.is_finite(), "a weight that is finite and not negative");
        self.epsilon = self.epsilon.max(F::epsilon().wide());
    }

    /// Adds `slope`, coordinate `i` of a weighted gradient, to the sum Z.
    ///
    /// # Panics
    /// If `i` is not below the dimension.
    pub(super) fn add(&mut self, i: usize, slope: f64) {
        assert!(i < self.sum.len(), "a gradient within the dimension");
        self.sum[i] += slope;
        self.mass += slope.abs();
        self.drift += self.sum[i].abs();
    }

    /// Returns A·Ω*(−Z/A), with A = `total`, Z the sum and Ω* the conjugate of `penalty`, and a bound on how much
    /// rounding may have reduced it.
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
