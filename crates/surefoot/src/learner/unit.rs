//! Units of single coordinates.

use crate::squares::binade;

/// Gradients up to this many units are taken as they are.
const LARGE: f64 = (1_u64 << 20) as f64;

/// The unit, a power of two, in which a coordinate should count a nonzero `gradient`: the one that it has, or a larger
/// one. `squares` is its sum of squares in the old unit.
///
/// Powers of two change no digits, so a coordinate behaves as if it had the range of `f64` squared.
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
