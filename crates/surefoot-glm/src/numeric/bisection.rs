//! Bisection on the sign of a rising function, which ends for any numbers.

/// Number of halvings after which the ends of any interval of numbers are neighbours: the exponents of f64 span 2^1024
/// to 2^−1074.
const HALVINGS: usize = 2200;

/// Returns two neighbouring numbers between `low` and `high` where a function changes its sign, given whether it is
/// positive at a number. If it does not change its sign, they are at one end. An end that is not finite leaves the
/// interval as it is.
pub(crate) fn bisect(mut low: f64, mut high: f64, is_positive: impl Fn(f64) -> bool) -> [f64; 2] {
    for _ in 0..HALVINGS {
        let width = high - low;
        let middle = if width.is_finite() { low + 0.5 * width } else { 0.5 * low + 0.5 * high };
        // False for NaN too.
        if !(low < middle && middle < high) {
            break;
        }
        if is_positive(middle) { high = middle } else { low = middle }
    }
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_of_sign_lies_between_neighbours() {
        for root in [0.0, 1e-308, -1e-308, 1.5, -1e300, 1e308, f64::MAX] {
            for (low, high) in [(f64::MIN, f64::MAX), (-1e308, f64::MAX), (root, f64::MAX), (f64::MIN, root)] {
                let [below, above] = bisect(low, high, |x| x > root);
                let closest = below <= root && root <= above && above <= below.next_up();
                assert!(closest, "{root:e} from {low:e} to {high:e}: {below:e} and {above:e}");
            }
        }
    }

    #[test]
    fn it_ends_for_any_ends() {
        let ends = [f64::NEG_INFINITY, f64::MIN, -1.0, -0.0, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY, f64::NAN];
        for low in ends {
            for high in ends {
                bisect(low, high, |x| x > 0.3);
                bisect(low, high, |_| false);
            }
        }
    }
}
