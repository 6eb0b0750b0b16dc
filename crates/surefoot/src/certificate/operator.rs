//! A sharper bound on gradient noise in several dimensions, from the largest eigenvalue of its second-moment matrix.

use super::eigen::largest;
use crate::squares::binade;
use crate::{Float, Squares, Vector};

/// Largest number of coordinates of an [`Operator`], whose two d × d matrices then take 4 MB.
const MOST: usize = 500;

/// The second-moment matrix of a run's gradient noise, which sharpens the bound of [`Stream`](super::Stream): noise
/// that is spread over many directions is small in the direction of any single comparator.
///
/// *Guarantee*: for gradients g_i of examples, α/b the weight of the round per example, and every u within r of the
/// centre of the domain, Σ((α/b)⟨g_i, w_t − u⟩)² is at most (√Σ((α/b)⟨g_i, w_t − centre⟩)² + r·√λ_max)², where λ_max is
/// the largest eigenvalue of M = Σ(α/b)²g_i g_iᵀ. For isotropic noise in d dimensions it is up to d times less than the
/// sum of ‖g_i‖² gives.
///
/// *Cost*: O(nnz²) per example and two d × d matrices of `f64`. A call of `deviation` costs about ten factorisations of
/// d³/6 multiplications each; its eigenvalue is at most 1 part in 1000 too large, never too small. For more than 500
/// coordinates there is [`Sketch`](super::Sketch).
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
    /// Number of coordinates of gradients.
    dim: usize,
    /// Sum over examples of the squared inner products of the gradient g_i with the iterate w_t minus the centre of the
    /// domain, each times the round's weight per example α/b: Σ((α/b)⟨g_i, w_t − centre⟩)².
    along: Squares,
    /// Scaling factor of gradients, a power of two: `matrix` holds M/unit², so that tiny or huge gradients neither
    /// underflow nor overflow. 0 before the first nonzero gradient.
    unit: f64,
    /// The second-moment matrix M = Σ(α/b)²g_i g_iᵀ, divided by unit², row by row.
    matrix: Vec<f64>,
    /// Scratch space for factorisations, as large as `matrix`.
    scratch: Vec<f64>,
}

impl Operator {
    /// Creates a matrix of zeros for gradients of `dim` coordinates. No later call allocates.
    ///
    /// # Panics
    /// If `dim` is above 500; [`Sketch`](super::Sketch) has no such limit.
    pub fn new(dim: usize) -> Self {
        assert!(dim <= MOST, "at most 500 coordinates; a Sketch takes more");
        let matrix = vec![0.0; dim * dim];
        Self { dim, along: Squares::default(), unit: 0.0, scratch: matrix.clone(), matrix }
    }

    /// Adds an example to the matrix: `share` is the weight of its round divided by the number of examples in the
    /// round, and `away` is the iterate minus the centre of the domain, by coordinate. O(nnz²).
    ///
    /// # Panics
    /// If the share is negative or not finite, or an index of the gradient is outside of `0..dim`.
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

    /// Raises the scaling factor `unit` to the largest power of two not above `size`, if it is below `size`, and
    /// rescales the matrix.
    fn fit(&mut self, size: f64) {
        if size > self.unit {
            let ratio = self.unit / binade(size);
            self.matrix.iter_mut().for_each(|m| *m *= ratio * ratio);
            self.unit = binade(size);
        }
    }

    /// Returns an upper bound on √V, the square root of the summed squared noise, for comparators within `reach` of the
    /// centre of the domain. [`Stream::certificate`](super::Stream::certificate) accepts it as `deviation`.
    pub fn deviation(&mut self, reach: f64) -> f64 {
        let most = largest(&self.matrix, &mut self.scratch, self.dim);
        self.along.root() + reach * (self.unit * most.sqrt())
    }
}
