//! Sums of squares that neither overflow nor underflow.

use crate::{Float, Memory, Vector};

/// Returns the largest power of two that does not exceed |x|, for a finite nonzero x; at least the smallest positive
/// normal number.
pub(crate) fn binade(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.to_bits() & EXPONENT).max(f64::MIN_POSITIVE)
}

/// A sum of squares Σ x² without overflow or underflow, stored as the square of a power of two times a number of
/// moderate size.
///
/// Terms of 1e-150 or 1e200 are handled as exactly as terms of 1. As all rescaling is by powers of two, multiplying all
/// terms by a power of two does not change the digits of the sum, which makes whole runs scale-free. The rounding
/// errors of the additions are accumulated too, so that a sum that has grown and shrunk again is still accurate.
///
/// ```
/// use surefoot::Squares;
/// let mut sum = Squares::default();
/// let huge = 2_f64.powi(1000);
/// sum.add(3.0 * huge);
/// sum.add(4.0 * huge);
/// assert_eq!(sum.root(), 5.0 * huge);
/// sum.change(4.0 * huge, 0.0);
/// assert_eq!(sum.root(), 3.0 * huge);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Squares {
    /// A power of two by which terms x are divided before they are squared, so that squares stay in range; 0 before the
    /// first nonzero term.
    unit: f64,
    /// The rounded sum of squares, divided by unit².
    sum: f64,
    /// Sum of the rounding errors of the additions, divided by unit².
    lost: f64,
}

impl Squares {
    /// Computes the sum of the squares of a vector's entries times `weight`, each product rounded to `F` as in
    /// learners.
    pub fn of<F: Float, V: Vector<F> + ?Sized>(weight: f64, vector: &V) -> Self {
        let mut squares = Self::default();
        vector.each(|_, x| squares.add(weigh(weight, x).wide()));
        squares
    }

    /// Adds the square x² to the sum.
    pub fn add(&mut self, x: f64) {
        self.change(0.0, x);
    }

    /// Replaces the term `old`² of the sum with `new`².
    pub fn change(&mut self, old: f64, new: f64) {
        self.fit(old.abs().max(new.abs()));
        if self.unit > 0.0 {
            let (old, new) = (old / self.unit, new / self.unit);
            self.push((new - old) * (new + old));
        }
    }

    /// Returns the square root of the sum of squares.
    pub fn root(&self) -> f64 {
        self.root_of(1.0)
    }

    /// Returns the square root of `factor` times the sum of squares, with a single rounding.
    pub fn root_of(&self, factor: f64) -> f64 {
        self.unit * (factor * (self.sum + self.lost).max(0.0)).sqrt()
    }

    /// Raises the scaling factor `unit`, if necessary, so that a term of size `x` is less than 2·`unit`, and rescales
    /// the sum.
    fn fit(&mut self, x: f64) {
        if x / 2.0 < self.unit || x == 0.0 {
            return;
        }
        let unit = binade(x);
        let ratio = self.unit / unit;
        self.sum *= ratio * ratio;
        self.lost *= ratio * ratio;
        self.unit = unit;
    }

    /// Adds `term` to the sum and its rounding error, which is computed exactly by Knuth's two-sum algorithm, to
    /// `lost`.
    fn push(&mut self, term: f64) {
        let sum = self.sum + term;
        let part = sum - self.sum;
        self.lost += (self.sum - (sum - part)) + (term - part);
        self.sum = sum;
    }
}

impl Memory for Squares {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        [&mut self.unit, &mut self.sum, &mut self.lost].into_iter().for_each(visit);
    }
}

/// Multiplies a coordinate of a gradient by the weight of its round, with one rounding. All code that weights gradients
/// calls this function.
#[inline]
pub(crate) fn weigh<F: Float>(weight: f64, x: F) -> F {
    F::of(weight * x.wide())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binades() {
        assert_eq!(binade(1.0), 1.0);
        assert_eq!(binade(-7.9), 4.0);
        assert_eq!(binade(f64::MAX), 2f64.powi(1023));
        assert_eq!(binade(1e-310), f64::MIN_POSITIVE);
    }

    #[test]
    fn a_sum_may_span_the_whole_range() {
        let mut sum = Squares::default();
        for x in [0.0, 5e-324, 1e-300, 1e-150, 1.0, 1e200] {
            sum.add(x);
            assert!((sum.root() - x).abs() <= 1e-15 * x, "{x:e} {:e}", sum.root());
        }
        sum.add(1e-200);
        assert_eq!(sum.root(), 1e200);
    }

    #[test]
    fn terms_can_be_taken_back() {
        let mut sum = Squares::default();
        let terms: Vec<f64> = (1..1000).map(|i| f64::from(i * i) * 0.37).collect();
        sum.add(0.5);
        terms.iter().for_each(|&x| sum.add(x));
        terms.iter().for_each(|&x| sum.change(x, 0.0));
        assert!((sum.root() - 0.5).abs() < 1e-12);
    }
}
