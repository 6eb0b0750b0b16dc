//! Range checks of numbers.

/// Maximum of counters of rows and nonzeros: counters up to it are exactly representable in f64, and their sums do
/// not overflow u64.
pub(crate) const MOST_ROWS: u64 = 1 << 53;

/// Returns an error with the message `wrong` unless the condition `holds`.
pub(crate) fn need(holds: bool, wrong: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong.to_owned()) }
}

/// Whether all numbers are finite. The check runs in chunks, so that the loop is vectorised.
pub(crate) fn all_finite<T: Copy>(numbers: &[T], is_finite: impl Fn(T) -> bool) -> bool {
    all(numbers, |&x| is_finite(x))
}

/// Whether all numbers satisfy a predicate. The check runs in chunks without early exit, so that the loop is
/// vectorised.
pub(crate) fn all<T>(numbers: &[T], is_sound: impl Fn(&T) -> bool) -> bool {
    numbers.chunks(1 << 10).all(|piece| piece.iter().fold(true, |sound, x| sound & is_sound(x)))
}

/// Whether a number is a magnitude: finite and at least 0.
pub(crate) fn is_magnitude(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

/// Absolute value below which a feature value counts as 0, because division by it could overflow.
pub(crate) const NEGLIGIBLE: f64 = f64::MIN_POSITIVE / f64::EPSILON;
