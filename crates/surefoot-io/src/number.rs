//! Numbers in text: indices and values, eight bytes at a time.

/// Eight bytes at `at`, the first one lowest; zeros stand for what is beyond the end.
#[inline(always)]
fn word(text: &[u8], at: usize) -> u64 {
    match text.get(at..at + 8) {
        Some(bytes) => u64::from_le_bytes(bytes.try_into().expect("eight bytes")),
        None => last_word(text, at),
    }
}

#[cold]
fn last_word(text: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    let rest = text.get(at..).unwrap_or_default();
    bytes[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(bytes)
}

/// The number that the leading digits of `word` stand for, and how many there are.
#[inline(always)]
fn digits(word: u64) -> (u64, usize) {
    // A digit becomes its value; anything else becomes at least 10 or has its top bit set. The sum may carry
    // into later bytes, never into earlier ones, so the first mark is always right.
    let values = word ^ 0x3030_3030_3030_3030;
    let marks = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let count = (marks.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    // Shift the digits to the end, as if leading zeros filled the word; then join neighbours, pairs, fours.
    let values = values << (64 - 8 * count);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, count)
}

/// The whole number at `at` and where it ends; `None` without digits or beyond 64 bits.
#[inline(always)]
pub(crate) fn index(text: &[u8], at: usize) -> Option<(u64, usize)> {
    match digits(word(text, at)) {
        (_, 0) => None,
        (_, 8) => long_index(text, at),
        (value, count) => Some((value, at + count)),
    }
}

fn long_index(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut end = at;
    while let Some(digit @ b'0'..=b'9') = text.get(end) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        end += 1;
    }
    Some((value, end))
}

const TENS: [u64; 8] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The number at `at` and where it ends: the f64 nearest to the decimal; `None` if there is no number.
///
/// Plain decimals of few digits are a whole number below 2^53 over a power of ten up to 10^22: both are exact,
/// so that one division rounds correctly (Clinger, "How to read floating point numbers accurately", 1990).
/// The result may be infinite or NaN, written or by overflow.
#[inline(always)]
pub(crate) fn value(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let sign = *text.get(at)?;
    let start = at + usize::from(sign == b'-' || sign == b'+');
    let (whole, places) = digits(word(text, start));
    let point = start + places;
    let (mut number, mut scale, mut end) = (whole, 1, point);
    if text.get(point) == Some(&b'.') {
        let (fraction, decimals) = digits(word(text, point + 1));
        if decimals == 8 {
            return any_value(text, at);
        }
        end = point + 1 + decimals;
        scale = TENS[decimals];
        number = whole * scale + fraction;
        if places + decimals == 0 {
            return any_value(text, at);
        }
    } else if places == 0 {
        return any_value(text, at);
    }
    // Up to 7 + 7 digits; an exponent is for the general parser.
    if places == 8 || matches!(text.get(end), Some(b'e' | b'E')) {
        return any_value(text, at);
    }
    let size = number as f64 / scale as f64;
    // The sign without a branch: it is as good as random.
    Some((f64::from_bits(size.to_bits() | u64::from(sign == b'-') << 63), end))
}

/// The general parser.
#[inline(never)]
pub(crate) fn any_value(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let (value, count) = fast_float2::parse_partial::<f64, _>(text.get(at..)?).ok()?;
    Some((value, at + count))
}
