//! Units of single coordinates.

use crate::Float;
use crate::squares::binade;

/// Gradients up to this many units are taken as they are.
const LARGE: f64 = (1_u64 << 20) as f64;

/// The unit, a power of two, in which a coordinate should count a nonzero `gradient`: the one that it has, or a larger
/// one. `squares` is its sum of squares in the old unit.
///
/// Powers of two change no digits, so a coordinate behaves as if it had the range of `f64` squared.
pub(super) fn fit<F: Float>(unit: F, squares: F, gradient: F) -> F {
    let size = gradient.abs();
    if size <= unit * F::of(LARGE) && squares <= F::of(LARGE * LARGE * LARGE) {
        return unit;
    }
    let root = unit.wide() * squares.wide().sqrt();
    F::of(binade(size.wide().max(root)))
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn the_first_gradient_sets_the_unit() {
        assert_eq!(fit(0.0_f64, 0.0, -5e-150), super::binade(5e-150));
        assert_eq!(fit(0.0_f32, 0.0, 3.0), 2.0);
    }

    #[test]
    fn a_unit_grows_only_when_it_must() {
        assert_eq!(fit(1.0_f64, 1.0, 1e6), 1.0);
        assert_eq!(fit(1.0_f64, 1.0, 1e200), super::binade(1e200));
        assert_eq!(fit(1.0_f32, 2f32.powi(62), 1.0), 2f32.powi(31));
    }
}
