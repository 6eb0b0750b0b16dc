//! A power-of-two scale (unit) for the gradients of one coordinate, which keeps sums of their squares in range.

use crate::squares::binade;

/// Ratio of a gradient to its coordinate's unit (the power of two by which gradients are divided) up to which the unit
/// need not grow: 2^20.
const LARGE: f64 = (1_u64 << 20) as f64;

/// Returns the power of two by which one coordinate's gradients are to be divided from now on: the old `unit`, or a
/// larger one if the nonzero `gradient` or the sum of squares requires it. `squares` is the sum of the squared
/// gradients so far, divided by `unit`². The initial `unit` is 0.
///
/// Scaling by powers of two is exact, so squares of gradients neither over- nor underflow.
pub(super) fn fit(unit: f64, squares: f64, gradient: f64) -> f64 {
    let size = gradient.abs();
    if size <= unit * LARGE && squares <= LARGE.powi(8) {
        return unit;
    }
    binade(size.max(unit * squares.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn the_first_gradient_sets_the_unit() {
        assert_eq!(fit(0.0, 0.0, -5e-150), super::binade(5e-150));
        assert_eq!(fit(0.0, 0.0, 3.0), 2.0);
    }

    #[test]
    fn a_unit_grows_only_when_it_must() {
        assert_eq!(fit(1.0, 1.0, 1e6), 1.0);
        assert_eq!(fit(1.0, 1.0, 1e200), super::binade(1e200));
        assert_eq!(fit(1.0, 2f64.powi(162), 1.0), 2f64.powi(81));
    }
}
