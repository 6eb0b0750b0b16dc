//! Range checks of numbers, and the limits that these use.

/// Maximum for counters of rows and of nonzeros. Counters up to it are exactly representable in f64, and sums of them
/// do not overflow u64.
pub(crate) const MOST_ROWS: u64 = 1 << 53;

/// Returns an error with the message `wrong` if the condition `holds` is false.
pub(crate) fn need(holds: bool, wrong: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong.to_owned()) }
}

/// Whether all numbers are finite. Numbers are checked in chunks, so that the compiler vectorises the loop.
pub(crate) fn all_finite<T: Copy>(numbers: &[T], is_finite: impl Fn(T) -> bool) -> bool {
    all(numbers, |&x| is_finite(x))
}

/// Whether all numbers satisfy the predicate. Numbers are checked in chunks without early exit, so that the compiler
/// vectorises the loop.
pub(crate) fn all<T>(numbers: &[T], is_sound: impl Fn(&T) -> bool) -> bool {
    numbers.chunks(1 << 10).all(|piece| piece.iter().fold(true, |sound, x| sound & is_sound(x)))
}

/// Whether a number is finite and at least 0.
pub(crate) fn is_magnitude(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

/// Absolute value below which feature values count as 0, because division by such a value could overflow.
pub(crate) const NEGLIGIBLE: f64 = f64::MIN_POSITIVE / f64::EPSILON;
