//! The sum that a margin is, in one fixed shape.
//!
//! A model's loss is printed before it could be saved, and must be that of the saved file to the last bit: both add
//! weights times values here. Four sums side by side, since one addition would have to wait for the other.

use super::f32x16::{F32x16, WIDTH};

/// Σ weight·value over the pairs of a row: pair k is added to sum k mod 4, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarginSum {
    sums: [f64; 4],
}

impl MarginSum {
    /// Adds the products of the next pairs: of dot products with the model's lanes, inverse units, a factor and values, which make
    /// weights times values as [`weight_of`](crate::online::coordinate::weight_of) says.
    #[inline(always)]
    pub(crate) fn add<W: F32x16>(&mut self, dots: W, inverses: &[f64; WIDTH], factor: f64, values: &[f64; WIDTH]) {
        dots.add_products(inverses, factor, values, &mut self.sums);
    }

    /// Adds the product of pair `k`.
    #[inline(always)]
    pub(crate) fn add_one(&mut self, k: usize, product: f64) {
        self.sums[k % 4] += product;
    }

    /// The margin: the intercept and all products.
    #[inline(always)]
    pub(crate) fn total(self, intercept: f64) -> f64 {
        let [a, b, c, d] = self.sums;
        intercept + ((a + b) + (c + d))
    }
}
