//! A sharper measure of noise in several dimensions.

use super::eigen::largest;
use crate::squares::binade;
use crate::{Float, Squares, Vector};

/// The most coordinates for which a matrix is kept: two of them take 4 MB.
const MOST: usize = 500;

/// The noise of a run as a matrix, for [`Stream`](super::Stream): it knows that noise in all directions cannot point at
/// the comparator all the time.
///
/// *Guarantee*: for every u within r of the centre, Σ((α/b)⟨g_i, w_t − u⟩)² is at most (√Σ((α/b)⟨g_i, w_t − centre⟩)² +
/// r·√λ_max)², λ_max the largest eigenvalue of M = Σ(α/b)²g_i g_iᵀ. In d dimensions with noise alike in all of them
/// that is up to d times less than the sum of ‖g_i‖².
///
/// *Cost*: O(nnz²) an example, two d × d matrices of `f64`; a deviation costs some ten decompositions of d³/6
/// multiplications, and is exact to 1 part in 1000, on the safe side. For more than 500 coordinates there is
/// [`Sketch`](super::Sketch).
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
    /// If `dim` is above 500, for which there is [`Sketch`](super::Sketch).
    pub fn new(dim: usize) -> Self {
        assert!(dim <= MOST, "at most 500 coordinates; a Sketch takes more");
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
        let most = largest(&self.matrix, &mut self.scratch, self.dim);
        self.along.root() + reach * (self.unit * most.sqrt())
    }
}
