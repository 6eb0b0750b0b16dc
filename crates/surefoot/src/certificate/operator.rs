//! A sharper measure of noise in several dimensions.

use crate::squares::binade;
use crate::{Float, Squares, Vector};

/// The most coordinates for which a matrix is kept.
const MOST: usize = 500;

/// The noise of a run as a matrix, for [`Stream`](super::Stream): it knows that noise in all directions cannot point at
/// the comparator all the time.
///
/// *Guarantee*: for every u within r of the centre, Σ((α/b)⟨g_i, w_t − u⟩)² is at most (√Σ((α/b)⟨g_i, w_t − centre⟩)² +
/// r·√λ_max)², λ_max the largest eigenvalue of M = Σ(α/b)²g_i g_iᵀ. In d dimensions with noise alike in all of them
/// that is up to d times less than the sum of ‖g_i‖².
///
/// *Cost*: O(nnz²) an example, two d × d matrices of `f64`; a deviation costs some ten decompositions of d³/6
/// multiplications, and is exact to 1 part in 1000, on the safe side.
///
/// ```
/// use surefoot::certificate::Operator;
/// let mut noise = Operator::new(2);
/// for _ in 0..4 {
///     noise.record(0.5, &[1.0, 0.0], |_| 0.0);
///     noise.record(0.5, &[0.0, 1.0], |_| 0.0);
/// }
/// let deviation = noise.deviation(3.0); // M is the unit matrix
/// assert!((3.0..3.003).contains(&deviation));
/// ```
#[derive(Clone, Debug)]
pub struct Operator {
    dim: usize,
    along: Squares,
    /// M in units of a power of two, squared: entries of 1e-170 or 1e200 are as good as 1.
    unit: f64,
    matrix: Vec<f64>,
    scratch: Vec<f64>,
}

impl Operator {
    /// No noise yet. The only allocation.
    ///
    /// # Panics
    /// If `dim` is above 500.
    pub fn new(dim: usize) -> Self {
        assert!(dim <= MOST, "at most 500 coordinates");
        let matrix = vec![0.0; dim * dim];
        Self { dim, along: Squares::default(), unit: 0.0, scratch: matrix.clone(), matrix }
    }

    /// Records an example with `share` = α_t/b, its gradient, and w_t − centre by coordinate. O(nnz²).
    ///
    /// # Panics
    /// If the share is negative or not finite, or the gradient has a coordinate outside of the dimension.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(&mut self, share: f64, gradient: &V, away: impl Fn(usize) -> f64) {
        assert!(share >= 0.0 && share.is_finite(), "a weight that is finite and not negative");
        let (mut inner, mut largest) = (0.0, 0.0_f64);
        gradient.each(|i, g| {
            assert!(i < self.dim, "a gradient within the dimension");
            inner += share * g.wide() * away(i);
            largest = largest.max((share * g.wide()).abs());
        });
        self.along.add(inner);
        self.fit(largest);
        if self.unit == 0.0 {
            return;
        }
        let in_units = |g: F| share * g.wide() / self.unit;
        gradient.each(|i, g| {
            let row = &mut self.matrix[i * self.dim..(i + 1) * self.dim];
            gradient.each(|j, h| row[j] += in_units(g) * in_units(h));
        });
    }

    /// Makes the unit at least half of `size`.
    fn fit(&mut self, size: f64) {
        if size > self.unit {
            let ratio = self.unit / binade(size);
            self.matrix.iter_mut().for_each(|m| *m *= ratio * ratio);
            self.unit = binade(size);
        }
    }

    /// A root of V for comparators within `reach` of the centre.
    pub fn deviation(&mut self, reach: f64) -> f64 {
        self.along.root() + reach * (self.unit * self.largest().sqrt())
    }

    /// λ_max in those units, from above: λ·I − M has positive pivots just if λ > λ_max, so bisection ends with a proof in its hands.
    fn largest(&mut self) -> f64 {
        let diagonal = |i: usize| self.matrix[i * self.dim + i];
        let trace: f64 = (0..self.dim).map(diagonal).sum();
        let mut low = (0..self.dim).map(diagonal).fold(trace / self.dim as f64, f64::max);
        let mut high = trace;
        while high > low * 1.001 && low > 0.0 && high.is_finite() {
            // Root by root: the product may leave the range of numbers.
            let middle = low.sqrt() * high.sqrt();
            if self.dominates(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high * (1.0 + 4.0 * self.dim as f64 * f64::EPSILON)
    }

    /// Whether all pivots of λ·I − M are positive.
    fn dominates(&mut self, lambda: f64) -> bool {
        let (d, a) = (self.dim, &mut self.scratch);
        a.iter_mut().zip(&self.matrix).for_each(|(a, m)| *a = -m);
        for k in 0..d {
            a[k * d + k] += lambda;
            let pivot = a[k * d + k];
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            // Symmetric, so the upper triangle will do.
            for i in k + 1..d {
                let (above, below) = a.split_at_mut(i * d);
                let (row, under) = (&above[k * d + i..(k + 1) * d], &mut below[i..d]);
                let factor = row[0] / pivot;
                under.iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            }
        }
        true
    }
}
