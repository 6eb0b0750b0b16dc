//! Sparse and dense vectors (gradients, hints and data rows), accessed through their nonzeros.

use num_traits::AsPrimitive;

use crate::Float;

/// A vector whose entries can be visited: a gradient, a hint or a row of data.
///
/// A slice is a dense vector, [`Sparse`] lists nonzeros, and [`times`](Vector::times) multiplies either by a number.
/// The gradient of a linear model is the product of a row and a derivative, so it needs no buffer.
///
/// Each index occurs at most once, in any order: conversions refuse a gradient or hint with a repeated index, while
/// inner products and the sums of certificates add up repeated entries. A custom type needs only
/// [`each`](Vector::each), which must visit the same entries in every call.
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

    /// Returns the product of this vector and `factor`, as a view that copies nothing.
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

/// A sparse vector: the indices (of any integer type) and the values of its nonzeros, in two slices of equal length.
#[derive(Clone, Copy, Debug)]
pub struct Sparse<'a, F, I = u32> {
    /// Indices of the nonzeros, each at most once and in any order.
    indices: &'a [I],
    /// Values of the nonzeros, in the order of `indices`.
    values: &'a [F],
}

impl<'a, F, I> Sparse<'a, F, I> {
    /// Creates a sparse vector from borrowed indices, each at most once and in any order, and their values.
    ///
    /// # Panics
    /// If the slices have different lengths.
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

/// The product of a number and a vector; see [`Vector::times`]. Each entry is rounded once.
#[derive(Debug)]
pub struct Times<'a, V: ?Sized> {
    /// The factor by which every entry of the vector is multiplied.
    factor: f64,
    /// The vector whose entries are multiplied by `factor`.
    vector: &'a V,
}

impl<F: Float, V: Vector<F> + ?Sized> Vector<F> for Times<'_, V> {
    #[inline]
    fn each(&self, mut visit: impl FnMut(usize, F)) {
        self.vector.each(|i, x| visit(i, F::of(self.factor * x.wide())));
    }
}
