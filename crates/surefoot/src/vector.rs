//! Gradients, hints and data rows, seen through their nonzeros.

use num_traits::AsPrimitive;

use crate::Float;

/// A vector that can be walked through: a gradient, a hint or a row of data.
///
/// A slice is a dense vector, [`Sparse`] lists nonzeros, and [`times`](Vector::times) multiplies either by a number,
/// which is all that the gradient of a linear model is: a row times a slope, with no buffer of its own.
///
/// Each index comes at most once, in any order: conversions refuse a gradient or hint with one that comes twice, while inner
/// products and the sums of certificates add up both. A caller's own type needs only [`each`](Vector::each), which is to
/// visit the same entries whenever it is called.
///
/// ```
/// use surefoot::{Sparse, Vector};
///
/// fn norm1(v: &impl Vector<f64>) -> f64 {
///     let mut sum = 0.0;
///     v.each(|_, x| sum += x.abs());
///     sum
/// }
/// let row = Sparse::new(&[3_u32, 70], &[1.0, -2.0]);
/// assert_eq!(norm1(&row.times(0.5)), 1.5);
/// ```
pub trait Vector<F: Float> {
    /// Calls `visit(index, value)` for every entry that may differ from zero.
    fn each(&self, visit: impl FnMut(usize, F));

    /// This vector times `factor`, without a copy.
    fn times(&self, factor: f64) -> Times<'_, Self> {
        Times { factor, vector: self }
    }
}

impl<F: Float> Vector<F> for [F] {
    #[inline]
    fn each(&self, mut visit: impl FnMut(usize, F)) {
        for (i, &x) in self.iter().enumerate() {
            visit(i, x);
        }
    }
}

impl<F: Float, const N: usize> Vector<F> for [F; N] {
    #[inline]
    fn each(&self, visit: impl FnMut(usize, F)) {
        self.as_slice().each(visit);
    }
}

impl<F: Float> Vector<F> for Vec<F> {
    #[inline]
    fn each(&self, visit: impl FnMut(usize, F)) {
        self.as_slice().each(visit);
    }
}

impl<F: Float, V: Vector<F> + ?Sized> Vector<F> for &V {
    #[inline]
    fn each(&self, visit: impl FnMut(usize, F)) {
        (**self).each(visit);
    }
}

/// The nonzeros of a vector: indices (of any integer type) and values, side by side.
#[derive(Clone, Copy, Debug)]
pub struct Sparse<'a, F, I = u32> {
    indices: &'a [I],
    values: &'a [F],
}

impl<'a, F, I> Sparse<'a, F, I> {
    /// Borrows indices, each at most once and in any order, and their values.
    ///
    /// # Panics
    /// If there are not as many values as indices.
    pub fn new(indices: &'a [I], values: &'a [F]) -> Self {
        assert_eq!(indices.len(), values.len(), "as many values as indices");
        Self { indices, values }
    }
}

impl<F: Float, I: AsPrimitive<usize>> Vector<F> for Sparse<'_, F, I> {
    #[inline]
    fn each(&self, mut visit: impl FnMut(usize, F)) {
        for (&i, &x) in self.indices.iter().zip(self.values) {
            visit(i.as_(), x);
        }
    }
}

/// A vector times a number; see [`Vector::times`]. Each product is rounded once.
#[derive(Debug)]
pub struct Times<'a, V: ?Sized> {
    factor: f64,
    vector: &'a V,
}

impl<F: Float, V: Vector<F> + ?Sized> Vector<F> for Times<'_, V> {
    #[inline]
    fn each(&self, mut visit: impl FnMut(usize, F)) {
        self.vector.each(|i, x| visit(i, F::of(self.factor * x.wide())));
    }
}
