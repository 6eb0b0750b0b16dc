//! Bounds on the rounding errors of the numbers that a certificate is computed from.
//!
//! A floating-point sum of n products has an error of at most n·u/(1 − n·u) times the sum of the absolute values of its
//! terms, with unit roundoff u = 2⁻⁵³ (Higham 2002, *Accuracy and Stability of Numerical Algorithms*, §3.1). The bounds
//! here count n·ε with ε = 2u: the factor of two covers the higher-order terms and the rounding of the bounds.

/// Unit ε = 2u in which rounding errors are counted: twice the unit roundoff u = 2⁻⁵³.
pub(super) const EPS: f64 = f64::EPSILON;

/// Number of roundings in the standardised value x/M and in its weight w·M together, where M is the scale of the
/// column.
const STANDARDISED: f64 = 2.0;

/// Bounds the relative difference between the values and weights as stored and those of the original data: 0 unless
/// columns were scaled.
pub(super) fn of_values(is_standardised: bool) -> f64 {
    if is_standardised { STANDARDISED * EPS } else { 0.0 }
}

/// Bounds the rounding error of a margin: a sum of `dense` products of dense columns and `sparse` products of sparse
/// columns, whose absolute values sum to `size`.
#[inline(always)]
pub(super) fn of_margin(dense: usize, sparse: usize, size: f64) -> f64 {
    // Sixteen and four parallel sums, their remainders, the trees that add them, the offset, and the entries
    // themselves.
    let terms = (dense / 16 + sparse / 4 + 24) as f64;
    terms * EPS * size + f64::MIN_POSITIVE
}

/// Sum of products in twice the working precision (Ogita, Rump and Oishi 2005, algorithm Dot2), with a bound on its
/// error.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CompensatedDot {
    sum: f64,
    rest: f64,
    size: f64,
    terms: f64,
}

impl CompensatedDot {
    /// Number of numbers that [`parts`](CompensatedDot::parts) returns.
    pub(super) const PARTS: usize = 4;

    /// Returns the numbers that this sum consists of, for [`join`](CompensatedDot::join).
    pub(super) fn parts(&self) -> [f64; CompensatedDot::PARTS] {
        [self.sum, self.rest, self.size, self.terms]
    }

    /// Adds to this sum all products that were added to the sum with these parts; counts as one more term.
    pub(super) fn join(&mut self, parts: &[f64]) {
        let [other, rest, size, terms] = *parts else { return };
        let sum = self.sum + other;
        let part = sum - self.sum;
        self.rest += rest + ((self.sum - (sum - part)) + (other - part));
        (self.sum, self.size, self.terms) = (sum, self.size + size, self.terms + terms + 1.0);
    }

    /// Adds the product a·b to the sum.
    pub(super) fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let lost = libm::fma(a, b, -product);
        let sum = self.sum + product;
        let part = sum - self.sum;
        self.rest += lost + ((self.sum - (sum - part)) + (product - part));
        (self.sum, self.size, self.terms) = (sum, self.size + product.abs(), self.terms + 1.0);
    }

    /// Returns the sum, rounded to working precision.
    pub(super) fn value(&self) -> f64 {
        self.sum + self.rest
    }

    /// Returns the sum of the absolute values of the products.
    pub(super) fn size(&self) -> f64 {
        self.size
    }

    /// Returns an upper bound on the absolute value of the exact sum.
    pub(super) fn magnitude_bound(&self) -> f64 {
        self.value().abs() * (1.0 + EPS) + self.terms * self.terms * EPS * EPS * self.size + f64::MIN_POSITIVE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancellation_loses_no_digits() {
        let mut dot_sum = CompensatedDot::default();
        // (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰, whose last term is below the precision of 1.
        let x = 1.0 + 2.0_f64.powi(-30);
        dot_sum.add(x, x);
        dot_sum.add(-1.0, 1.0 + 2.0_f64.powi(-29));
        assert_eq!(dot_sum.value(), 2.0_f64.powi(-60));
        assert!(dot_sum.magnitude_bound() >= dot_sum.value() && dot_sum.magnitude_bound() < 1.001 * dot_sum.value());
        dot_sum.add(1e200, 1e10);
        dot_sum.add(-1e10, 1e200);
        // Now the digits are lost, and the bound covers that.
        assert!(dot_sum.magnitude_bound() >= 2.0_f64.powi(-60));
    }
}
