//! Numbers in text: pairs as most programs write them, 16 bytes at a time, and any index and value.

mod ends;

use ends::{WINDOW, ends};

const ZEROS: u64 = 0x3030_3030_3030_3030;

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

/// A pair `index:value` at `at`, if it is short and plain: index, value, and its end.
///
/// It and the byte behind it fit into 16 bytes, with at most 8 for the index and 8 for the value. Where the parts
/// end is found at once, so that the next pair need not wait for the numbers of this one. `None` only says that
/// this pair is one for [`index`] and [`value`], as is one that ends before anything but a blank, a line break or
/// a comment.
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
    // No end within the window makes this length too large as well.
    if byte(colon) != b':' || colon.wrapping_sub(1) >= 8 || length.wrapping_sub(1) >= 8 {
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

/// `number` / 10^`decimals`, negative if `sign` is 1.
///
/// Both are whole and exact as f64 (below 10^8), so that one division rounds correctly: Clinger,
/// "How to read floating point numbers accurately", 1990.
#[inline(always)]
fn decimal(number: u64, decimals: usize, sign: u32) -> f64 {
    // By way of i64, for which there is one instruction.
    let size = number as i64 as f64 / SCALES[decimals];
    // Without a branch: signs are as good as random.
    f64::from_bits(size.to_bits() | u64::from(sign) << 63)
}

const SCALES: [f64; 8] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7];

/// The number at `at` and where it ends: the f64 nearest to the decimal; `None` if there is no number.
/// The result may be infinite or NaN, as written or by overflow.
pub(crate) fn value(text: &[u8], at: usize) -> Option<(f64, usize)> {
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
    fn plain_pairs_are_those_of_the_general_parser_to_the_bit() {
        let mut random = Random(1);
        let mut plain = 0;
        for _ in 0..2_000_000 {
            let mut text = random.number();
            let length = text.len();
            text.extend_from_slice(b" 7:12345678901234567890\n");
            let expected = value(&text, 0);
            let index = (0..random.below(10)).fold(0, |index, _| 10 * index + random.below(10) as u64);
            let row = [format!("{index}:").as_bytes(), &text].concat();
            let colon = row.len() - text.len();
            if let Some((found, number, end)) = pair(&row, 0) {
                if !is_end(row[end]) {
                    continue;
                }
                plain += 1;
                assert_eq!(found, index);
                assert_eq!(bits(Some((number, end - colon))), bits(expected), "{}", row.escape_ascii());
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
        let cases = [
            (&b"0"[..], Some((0, 1))),
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
