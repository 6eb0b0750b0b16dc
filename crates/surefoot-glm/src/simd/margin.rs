//! Summation of margins in a fixed order.
//!
//! The printed loss of a model must equal that of the saved file to the last bit, so training and prediction both sum
//! here. Four partial sums, so that additions do not wait for each other.

use super::f32x16::{F32x16, WIDTH};

/// Σ weight·value over the nonzeros of a row: nonzero k is added to sum k mod 4, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarginSum {
    sums: [f64; 4],
}

impl MarginSum {
    /// Adds the next sixteen nonzeros: products of dot products with the mixture, inverse scales, a factor and values, which equal
    /// weights times values by [`raw_weight`](crate::online::coordinate::raw_weight).
    #[inline(always)]
    pub(crate) fn add<W: F32x16>(&mut self, dots: W, inverses: &[f64; WIDTH], factor: f64, values: &[f64; WIDTH]) {
        dots.add_products(inverses, factor, values, &mut self.sums);
    }

    /// Adds the product of nonzero `k`.
    #[inline(always)]
    pub(crate) fn add_one(&mut self, k: usize, product: f64) {
        self.sums[k % 4] += product;
    }

    /// The margin: intercept plus all products.
    #[inline(always)]
    pub(crate) fn total(self, intercept: f64) -> f64 {
        let [a, b, c, d] = self.sums;
        intercept + ((a + b) + (c + d))
    }
}
