//! Scales of single coordinates, as powers of two.

use crate::squares::binade;

/// Largest gradient, in units, that does not change the unit of its coordinate.
const LARGE: f64 = (1_u64 << 20) as f64;

/// Returns the unit, a power of two, for counting a nonzero `gradient` of a coordinate: the old `unit` or a larger one.
/// `squares` is the sum of squared gradients in the old unit.
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
