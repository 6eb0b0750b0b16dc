//! Numbers in text: pairs as most programs write them, 16 bytes at a time; any index and value, 8 at a time.

mod ends;

use ends::{WINDOW, ends};

const ZEROS: u64 = 0x3030_3030_3030_3030;

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

/// Marks, with the top bit, each byte that is above 9.
#[inline(always)]
fn no_digits(values: u64) -> u64 {
    ((values & 0x7f7f_7f7f_7f7f_7f7f) + 0x7676_7676_7676_7676 | values) & 0x8080_8080_8080_8080
}

/// The number that the first `count` bytes stand for, 1 to 8, each the value of a digit; the others are ignored.
#[inline(always)]
fn join(values: u64, count: u32) -> u64 {
    // Shift the digits to the end, as if leading zeros filled the word; then join neighbours, pairs, fours.
    let values = values << (64 - 8 * count);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    low.wrapping_add(high) >> 32
}

/// The number that the leading digits at `at` stand for, 8 at most, and how many there are.
#[inline(always)]
fn digits(text: &[u8], at: usize) -> (u64, usize) {
    let values = word(text, at) ^ ZEROS;
    let count = no_digits(values).trailing_zeros() / 8;
    if count == 0 { (0, 0) } else { (join(values, count), count as usize) }
}

/// A pair `index:value` at `at`, if it is short and plain: index, value, and its end.
///
/// It and the blank or `#` behind it fit into 16 bytes, with at most 8 for the index and 8 for the value. Where the
/// parts end is found at once, so that the next pair need not wait for the numbers of this one. `None` only says
/// that this pair is one for [`index`] and [`value`].
#[inline(always)]
pub(crate) fn pair(text: &[u8], at: usize) -> Option<(u64, f64, usize)> {
    // Some more bytes than are looked at, so that eight can be taken from anywhere.
    let window: &[u8; WINDOW + 8] = text.get(at..at + WINDOW + 8)?.first_chunk()?;
    let byte = |at: u32| window[at as usize % WINDOW];
    let values = |at: u32| {
        let bytes = window[at as usize % WINDOW..].first_chunk().expect("eight more bytes");
        u64::from_le_bytes(*bytes) ^ ZEROS
    };
    let ends = ends(window.first_chunk().expect("the window is shorter"));
    let colon = ends.trailing_zeros();
    let sign = u32::from(byte(colon + 1) == b'-');
    let ends = ends & ends.wrapping_sub(1);
    // A minus is the lowest mark now.
    let ends = ends & ends.wrapping_sub(sign);
    let start = colon + 1 + sign;
    let point = ends.trailing_zeros();
    let has_point = byte(point) == b'.';
    let end = if has_point { (ends & ends.wrapping_sub(1)).trailing_zeros() } else { point };
    let length = end.wrapping_sub(start);
    if byte(colon) != b':'
        || colon.wrapping_sub(1) >= 8
        || length.wrapping_sub(1) >= 8
        || end >= WINDOW as u32
        || !is_end(byte(end))
    {
        return None;
    }
    let index = join(values(0), colon);
    let number = values(start);
    let value = if has_point {
        if length == 1 {
            return None;
        }
        // The digits before the point stay, those behind it move up to them.
        let before = (1 << (8 * (point - start))) - 1;
        let digits = (number & before) | ((number >> 8) & !before);
        decimal(join(digits, length - 1), (end - point - 1) as usize, sign)
    } else {
        decimal(join(number, length), 0, sign)
    };
    Some((index, value, at + end as usize))
}

/// Whether a token ends before this byte.
#[inline(always)]
pub(crate) fn is_end(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'#')
}

/// The whole number at `at` and where it ends; `None` without digits or beyond 64 bits.
pub(crate) fn index(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut end = at;
    while let Some(digit @ b'0'..=b'9') = text.get(end) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        end += 1;
    }
    (end > at).then_some((value, end))
}

/// The number at `at` and where it ends: the f64 nearest to the decimal; `None` if there is no number.
/// The result may be infinite or NaN, as written or by overflow.
#[inline]
pub(crate) fn value(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let sign = *text.get(at)?;
    let start = at + usize::from(sign == b'-' || sign == b'+');
    let (mut number, places) = long_digits(text, start);
    let (mut end, mut decimals) = (start + places, 0);
    if text.get(end) == Some(&b'.') {
        let (fraction, count) = long_digits(text, end + 1);
        (end, decimals) = (end + 1 + count, count);
        if places + decimals <= LONG {
            number = number * TENS[decimals] + fraction;
        }
    }
    let is_plain = (1..=LONG).contains(&(places + decimals)) && number <= 1 << 53;
    if !is_plain || matches!(text.get(end), Some(b'e' | b'E')) {
        return any_value(text, at);
    }
    Some((decimal(number, decimals, u32::from(sign == b'-')), end))
}

/// Digits that certainly fit into 64 bits, with something to spare.
const LONG: usize = 16;

/// Like [`digits`], up to 16 of them; a count beyond that only says that there are more.
#[inline(always)]
fn long_digits(text: &[u8], at: usize) -> (u64, usize) {
    let (mut number, mut count) = digits(text, at);
    if count == 8 {
        let (low, more) = digits(text, at + 8);
        number = number * TENS[more] + low;
        count += more;
        if more == 8 && text.get(at + 16).is_some_and(u8::is_ascii_digit) {
            count += 1;
        }
    }
    (number, count)
}

/// `number` / 10^`decimals`, negative if `sign` is 1.
///
/// Both are whole and exact as f64 (at most 2^53 and 10^22), so that one division rounds correctly: Clinger,
/// "How to read floating point numbers accurately", 1990.
#[inline(always)]
fn decimal(number: u64, decimals: usize, sign: u32) -> f64 {
    // By way of i64, for which there is one instruction.
    let size = number as i64 as f64 / SCALES[decimals];
    // Without a branch: signs are as good as random.
    f64::from_bits(size.to_bits() | u64::from(sign) << 63)
}

const TENS: [u64; LONG + 1] = {
    let mut tens = [1; LONG + 1];
    let mut i = 1;
    while i < tens.len() {
        tens[i] = 10 * tens[i - 1];
        i += 1;
    }
    tens
};

const SCALES: [f64; LONG + 1] = {
    let mut scales = [1.0; LONG + 1];
    let mut i = 1;
    while i < scales.len() {
        scales[i] = TENS[i] as f64;
        i += 1;
    }
    scales
};

/// The general parser.
#[inline(never)]
pub(crate) fn any_value(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let (value, count) = fast_float2::parse_partial::<f64, _>(text.get(at..)?).ok()?;
    Some((value, at + count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator with a fixed sequence.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) as usize) % n
        }

        fn digits(&mut self, most: usize) -> Vec<u8> {
            (0..self.below(most + 1)).map(|_| b'0' + self.below(10) as u8).collect()
        }

        /// Something like a number: mostly digits, with what stands in and around numbers.
        fn number(&mut self) -> Vec<u8> {
            let sign = [&b""[..], b"", b"-"][self.below(3)];
            let most = [1, 4, 9, 20][self.below(4)];
            let whole = self.digits(most);
            let point = [&b""[..], b".", b".", b"."][self.below(4)];
            let most = [1, 6, 9, 20][self.below(4)];
            let decimals = self.digits(most);
            let mut text = [sign, &whole, point, &decimals].concat();
            if self.below(8) == 0 {
                text.extend_from_slice([&b"e"[..], b"e-", b"E+", b"e1"][self.below(4)]);
                text.extend(self.digits(2));
            }
            match self.below(16) {
                0 => text.push(b"+-:.\rex#\xff"[self.below(9)]),
                1 if !text.is_empty() => {
                    let at = self.below(text.len());
                    text[at] = b"+-:. 9\n"[self.below(7)];
                }
                _ => {}
            }
            text
        }
    }

    fn bits(read: Option<(f64, usize)>) -> Option<(u64, usize)> {
        read.map(|(value, end)| (value.to_bits(), end))
    }

    #[test]
    fn values_are_those_of_the_general_parser_to_the_bit() {
        let mut random = Random(1);
        let mut plain = 0;
        for _ in 0..2_000_000 {
            let mut text = random.number();
            let length = text.len();
            text.extend_from_slice(b" 7:12345678901234567890\n");
            let expected = any_value(&text, 0);
            assert_eq!(bits(value(&text, 0)), bits(expected), "{}", text.escape_ascii());
            // The same behind an index.
            let index = (0..random.below(10)).fold(0, |index, _| 10 * index + random.below(10) as u64);
            let row = [format!("{index}:").as_bytes(), &text].concat();
            let colon = row.len() - text.len();
            if let Some((found, value, end)) = pair(&row, 0) {
                plain += 1;
                assert_eq!(found, index);
                assert_eq!(bits(Some((value, end - colon))), bits(expected), "{}", row.escape_ascii());
                assert!(end <= colon + length.max(1), "{}", row.escape_ascii());
            }
        }
        assert!((200_000..1_900_000).contains(&plain), "{plain} pairs were plain");
    }

    #[test]
    fn std_agrees() {
        let mut random = Random(2);
        for _ in 0..500_000 {
            let text = random.number();
            let parsed = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<f64>().ok());
            if let (Some(parsed), Some((value, end))) = (parsed, value(&text, 0))
                && end == text.len()
            {
                assert_eq!(parsed.to_bits(), value.to_bits(), "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn indices_fit_or_do_not() {
        let cases: [(&[u8], Option<(u64, usize)>); 8] = [
            (b"0", Some((0, 1))),
            (b"007:1", Some((7, 3))),
            (b"12345678", Some((12345678, 8))),
            (b"123456789:", Some((123456789, 9))),
            (b"18446744073709551615", Some((u64::MAX, 20))),
            (b"18446744073709551616", None),
            (b"", None),
            (b"-1", None),
        ];
        for (text, expected) in cases {
            assert_eq!(index(text, 0), expected);
        }
    }
}
