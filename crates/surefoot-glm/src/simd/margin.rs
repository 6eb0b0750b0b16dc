//! Summation of margins (weight·value over the nonzeros of a row) in a fixed order.
//!
//! The reported loss of a model must equal the loss of the saved model to the last bit, so training and prediction
//! both sum margins here. There are four partial sums, so that additions do not wait for each other.

use super::f32x16::{F32x16, WIDTH};

/// Sum of the products weight·value over the nonzeros of a row, in four partial sums: the product of nonzero k is
/// added to sum k mod 4, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MarginSum {
    /// Four partial sums; the product of nonzero k is in sum k mod 4.
    sums: [f64; 4],
}

impl MarginSum {
    /// Adds the products weight·value of the next sixteen nonzeros, where each weight is the product of an entry of
    /// `dots`, an inverse scale and `factor`, as in [`raw_weight`](crate::online::coordinate::raw_weight).
    #[inline(always)]
    pub(crate) fn add<W: F32x16>(&mut self, dots: W, inverses: &[f64; WIDTH], factor: f64, values: &[f64; WIDTH]) {
        dots.add_products(inverses, factor, values, &mut self.sums);
    }

    /// Adds the product weight·value of nonzero number `k` of the row.
    #[inline(always)]
    pub(crate) fn add_one(&mut self, k: usize, product: f64) {
        self.sums[k % 4] += product;
    }

    /// Returns the margin: the intercept plus the products of all nonzeros.
    #[inline(always)]
    pub(crate) fn total(self, intercept: f64) -> f64 {
        let [a, b, c, d] = self.sums;
        intercept + ((a + b) + (c + d))
    }
}
