//! Read-only access to points whose coordinates are computed on demand.

use crate::{Float, Vector};

/// A point that is read one coordinate at a time, so that an inner product with a sparse row costs time proportional to
/// the number of its nonzeros.
///
/// ```
/// use surefoot::{Point, Sparse, View};
///
/// let point = View::new(4, |i| i as f64);
/// assert_eq!(point.at(3), 3.0);
/// assert_eq!(point.dot(&Sparse::new(&[1_u32, 3], &[10.0, 1.0])), 13.0);
/// let mut all = [0.0; 4];
/// point.write(&mut all);
/// assert_eq!(all, [0.0, 1.0, 2.0, 3.0]);
/// ```
pub trait Point<F: Float> {
    /// Returns the number of coordinates of the point.
    fn dim(&self) -> usize;

    /// Returns coordinate `i` of the point, in O(1).
    ///
    /// # Panics
    /// If `i` is not below the dimension.
    fn at(&self, i: usize) -> F;

    /// Returns the inner product of the point and `row`, summed in `f64`, with one call of [`at`](Point::at) per
    /// nonzero. An index that occurs twice counts twice, and an index outside of the dimension is ignored, as if the
    /// point were 0 there.
    fn dot<V: Vector<F> + ?Sized>(&self, row: &V) -> f64 {
        let (dim, mut sum) = (self.dim(), 0.0);
        row.each(|i, x| {
            if i < dim {
                sum += self.at(i).wide() * x.wide();
            }
        });
        sum
    }

    /// Copies all coordinates to `out`, in O(d).
    ///
    /// # Panics
    /// If the length of `out` differs from the number of coordinates.
    fn write(&self, out: &mut [F]) {
        assert_eq!(out.len(), self.dim(), "a slice as long as the point");
        for (i, x) in out.iter_mut().enumerate() {
            *x = self.at(i);
        }
    }
}

/// A point whose coordinates are computed on demand by a function of the index.
#[derive(Clone, Copy, Debug)]
pub struct View<C> {
    /// Number of coordinates of the point.
    dim: usize,
    /// The function that returns the coordinate with the given index.
    at: C,
}

impl<C> View<C> {
    /// Creates the point whose coordinate `i` is `at(i)`.
    pub fn new(dim: usize, at: C) -> Self {
        Self { dim, at }
    }
}

impl<F: Float, C: Fn(usize) -> F> Point<F> for View<C> {
    fn dim(&self) -> usize {
        self.dim
    }

    #[inline]
    fn at(&self, i: usize) -> F {
        (self.at)(i)
    }
}
