//! Read-only views of a point that is never written out unless asked for.

use crate::{Float, Vector};

/// A point that is read one coordinate at a time, so that asking costs as much as the row that asks.
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
    /// The number of coordinates.
    fn dim(&self) -> usize;

    /// Coordinate `i`, in O(1).
    ///
    /// # Panics
    /// If there is no such coordinate, as slices do.
    fn at(&self, i: usize) -> F;

    /// The inner product with a row, summed in `f64`: one [`at`](Point::at) a nonzero. An index that comes twice counts
    /// twice, and one outside of the dimension counts nothing, as if the point were 0 there.
    fn dot<V: Vector<F> + ?Sized>(&self, row: &V) -> f64 {
        let (dim, mut sum) = (self.dim(), 0.0);
        row.each(|i, x| {
            if i < dim {
                sum += self.at(i).wide() * x.wide();
            }
        });
        sum
    }

    /// Writes out all coordinates, in O(d).
    ///
    /// # Panics
    /// If `out` is not as long as the point.
    fn write(&self, out: &mut [F]) {
        assert_eq!(out.len(), self.dim(), "a slice as long as the point");
        for (i, x) in out.iter_mut().enumerate() {
            *x = self.at(i);
        }
    }
}

/// A point given by a function of the coordinate's number.
#[derive(Clone, Copy, Debug)]
pub struct View<C> {
    dim: usize,
    at: C,
}

impl<C> View<C> {
    /// The point whose coordinate `i` is `at(i)`.
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
