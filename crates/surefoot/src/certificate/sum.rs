//! Compensated summation of floating-point numbers.

use crate::Memory;

/// A floating-point sum that also accumulates the rounding errors of its additions (Neumaier's algorithm).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    /// The rounded sum of the terms.
    sum: f64,
    /// Sum of the rounding errors of all additions, to be added to `sum`.
    lost: f64,
}

impl Sum {
    pub(super) fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let small = if self.sum.abs() >= term.abs() { (self.sum - sum) + term } else { (term - sum) + self.sum };
        self.lost += small;
        self.sum = sum;
    }

    pub(super) fn value(&self) -> f64 {
        self.sum + self.lost
    }
}

impl Memory for Sum {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        [&mut self.sum, &mut self.lost].into_iter().for_each(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn small_terms_survive_large_ones() {
        let mut sum = Sum::default();
        [1.0, 1e100, 1.0, -1e100].into_iter().for_each(|x| sum.add(x));
        assert_eq!(sum.value(), 2.0);
    }
}
