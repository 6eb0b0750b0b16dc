//! Ranges that numbers have to be in.

/// Rows and pairs are counted up to this: counters are exact as f64, and can be added to.
pub(crate) const MOST_ROWS: u64 = 1 << 53;

/// What is wrong, unless it `holds`.
pub(crate) fn need(holds: bool, wrong: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(wrong.to_owned()) }
}

/// Whether all numbers are finite. In pieces, so that it is done many at a time.
pub(crate) fn all_finite<T: Copy>(numbers: &[T], is_finite: impl Fn(T) -> bool) -> bool {
    all(numbers, |&x| is_finite(x))
}

/// Whether all of many numbers are sound. In pieces within which there is no early end, so that it is done many at a time.
pub(crate) fn all<T>(numbers: &[T], is_sound: impl Fn(&T) -> bool) -> bool {
    numbers.chunks(1 << 10).all(|piece| piece.iter().fold(true, |sound, x| sound & is_sound(x)))
}

/// Whether a number is a size: finite, and at least 0.
pub(crate) fn is_magnitude(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

/// Values below this count as zero: dividing by one could overflow.
pub(crate) const NEGLIGIBLE: f64 = f64::MIN_POSITIVE / f64::EPSILON;
