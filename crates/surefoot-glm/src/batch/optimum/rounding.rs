//! How far rounding may have put off the numbers that a certificate is made of.
//!
//! A sum of n products is off by at most n·u/(1 − n·u) times the sum of the sizes of its terms, with u = 2⁻⁵³ (Higham 2002, *Accuracy and
//! Stability of Numerical Algorithms*, §3.1). Bounds here count n·ε with ε = 2u: the factor of two is for terms of higher order, and
//! for the rounding of the bounds themselves.

/// Twice the unit roundoff.
pub(super) const EPS: f64 = f64::EPSILON;

/// How many roundings an entry of a standardised column has beyond those of other columns, and its weight: x/M, and w·M.
const STANDARDISED: f64 = 2.0;

/// By how much, relatively, the values of a design and their weights may differ from those of the rows.
pub(super) fn of_values(is_standardised: bool) -> f64 {
    if is_standardised { STANDARDISED * EPS } else { 0.0 }
}

/// Bounds the rounding of a margin that is the sum of `dense` and `sparse` products, the sizes of whose terms sum to `size`.
#[inline(always)]
pub(super) fn of_margin(dense: usize, sparse: usize, size: f64) -> f64 {
    // Sixteen and four sums side by side, what is left over, the trees that add them, the offset, and the entries themselves.
    let terms = (dense / 16 + sparse / 4 + 24) as f64;
    terms * EPS * size + f64::MIN_POSITIVE
}

/// a·b + … in twice the working precision (Ogita, Rump and Oishi 2005, algorithm Dot2), with a bound on its error.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CompensatedDot {
    sum: f64,
    rest: f64,
    size: f64,
    terms: f64,
}

impl CompensatedDot {
    /// Adds a product.
    pub(super) fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let lost = libm::fma(a, b, -product);
        let sum = self.sum + product;
        let part = sum - self.sum;
        self.rest += lost + ((self.sum - (sum - part)) + (product - part));
        (self.sum, self.size, self.terms) = (sum, self.size + product.abs(), self.terms + 1.0);
    }

    /// The sum.
    pub(super) fn value(&self) -> f64 {
        self.sum + self.rest
    }

    /// The sum of the sizes of its terms.
    pub(super) fn size(&self) -> f64 {
        self.size
    }

    /// Bounds the size of what the sum is.
    pub(super) fn most(&self) -> f64 {
        self.value().abs() * (1.0 + EPS) + self.terms * self.terms * EPS * EPS * self.size + f64::MIN_POSITIVE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cancels_keeps_its_digits() {
        let mut dot_sum = CompensatedDot::default();
        // (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰, of which the last term does not fit behind 1.
        let x = 1.0 + 2.0_f64.powi(-30);
        dot_sum.add(x, x);
        dot_sum.add(-1.0, 1.0 + 2.0_f64.powi(-29));
        assert_eq!(dot_sum.value(), 2.0_f64.powi(-60));
        assert!(dot_sum.most() >= dot_sum.value() && dot_sum.most() < 1.001 * dot_sum.value());
        dot_sum.add(1e200, 1e10);
        dot_sum.add(-1e10, 1e200);
        // Now they do not: the bound says so.
        assert!(dot_sum.most() >= 2.0_f64.powi(-60));
    }
}
