//! Parsing of numbers in text: a fast parser for plain `index:value` pairs, 16 bytes at a time, and a general one for any index or value.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;

/// The ASCII digit 0 in each of 16 bytes.
const ZEROS: u128 = u128::from_le_bytes([b'0'; 16]);

/// Returns the integer with the given 16 decimal digits. Each byte of `digits` holds the value of one digit, with the first digit in the
/// lowest byte.
#[inline(always)]
fn join(digits: u128) -> u64 {
    // Joins neighbouring digits to pairs, pairs to fours, and fours to eights.
    let eight = |digits: u64| {
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
        let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
        let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
        low.wrapping_add(high) >> 32
    };
    eight(digits as u64) * 100_000_000 + eight((digits >> 64) as u64)
}

/// Parses an `index:value` pair if it is plain: digits only, except for an optional minus sign and point in the value.
///
/// The pair must contain no delimiters (see `formats/svmlight/delimiters.rs`) except those after the index and the value. `None` means that
/// the pair must be parsed with [`index`] and [`value`]: it is malformed, or has more than 15 bytes on a side.
#[inline(always)]
pub(crate) fn pair(pair: &Pair<'_>) -> Option<(u64, f64)> {
    if pair.is_odd() {
        return None;
    }
    let index = last(pair.index, pair.index_length);
    let (digits, decimals) = over_point(pair.number, pair.number_length)?;
    let is_plain = (index | digits) & OTHERS == 0;
    is_plain.then(|| (join(index), decimal(join(digits), decimals, pair.sign)))
}

/// Parses the number from `start` to `end` of a text if it is plain: digits with an optional minus sign and point. Returns `None` for other
/// numbers.
#[inline(always)]
pub(crate) fn plain(text: &[u8], start: usize, end: usize) -> Option<f64> {
    let bytes = text.get(..end)?.last_chunk()?;
    let sign = usize::from(*text.get(start)? == b'-');
    let length = end.wrapping_sub(start + sign);
    if length.wrapping_sub(1) >= 15 {
        return None;
    }
    let (digits, decimals) = over_point(bytes, length)?;
    // The top bit of each byte that is larger than 9.
    let more = (((digits & !TOPS) + 0x7676_7676_7676_7676_7676_7676_7676_7676) | digits) & TOPS;
    if more == 0 { Some(decimal(join(digits), decimals, sign)) } else { None }
}

/// Mask of a bit in each of 16 bytes that is 0 in the value of a digit (the character XOR `0`), but 1 in that of a minus sign, a point or a
/// slash.
const OTHERS: u128 = 0x1010_1010_1010_1010_1010_1010_1010_1010;
/// Mask of the top bit of each of 16 bytes.
const TOPS: u128 = 0x8080_8080_8080_8080_8080_8080_8080_8080;

/// Returns the last `count` (1 to 16) of 16 characters as digit values, with zeros in the bytes before them.
#[inline(always)]
fn last(bytes: &[u8; 16], count: usize) -> u128 {
    (u128::from_le_bytes(*bytes) ^ ZEROS) & mask(count)
}

/// Returns a mask whose last `count` of 16 bytes have all bits set. Uses a table, because 128-bit shifts by a variable take several
/// instructions.
#[inline(always)]
fn mask(count: usize) -> u128 {
    LAST[count % 17..].first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes))
}

/// Bytes of which any 16 in sequence are a mask: bytes n to n + 15 are 16 − n bytes of zero bits followed by n bytes of one bits.
const LAST: [u8; 33] = {
    let mut bytes = [0; 33];
    let mut i = 16;
    while i < 33 {
        bytes[i] = 0xff;
        i += 1;
    }
    bytes
};

/// Returns the digits in the last `length` bytes without the point, and the number of digits after the point ([`NO_POINT`] without a
/// point). Returns `None` if another character precedes the point, or if there is a point but no digits.
#[inline(always)]
fn over_point(bytes: &[u8; 16], length: usize) -> Option<(u128, usize)> {
    let number = last(bytes, length);
    let point = (number & OTHERS).trailing_zeros() as usize / 8;
    if point == 16 {
        return Some((number, NO_POINT));
    }
    // Digits after the point stay in place; digits before it move up by one byte.
    let before = !mask(16 - point);
    let is_point = bytes[point] == b'.' && length > 1;
    if is_point { Some(((number & before) << 8 | number & !(before << 8 | 0xff), 15 - point)) } else { None }
}

/// Position of the index and the value of an `index:value` pair in a text.
pub(crate) struct Pair<'a> {
    /// The 16 bytes before the colon; the index is at their end.
    index: &'a [u8; 16],
    /// Length of the index in bytes.
    index_length: usize,
    /// The 16 bytes that end with the last byte of the value.
    number: &'a [u8; 16],
    /// Length of the value in bytes, not counting a minus sign.
    number_length: usize,
    /// Number of minus signs before the value: 0 or 1.
    sign: usize,
}

impl Pair<'_> {
    /// Locates the `index:value` pair that extends from `start` to `end` of a text and has its colon at `colon`.
    ///
    /// # Safety
    /// The caller must ensure `16 <= start <= colon < end < text.len()`.
    #[inline(always)]
    pub(crate) unsafe fn new(text: &[u8], start: usize, colon: usize, end: usize) -> Pair<'_> {
        debug_assert!(16 <= start && start <= colon && colon < end && end < text.len());
        // SAFETY: 16 bytes precede both positions, and a byte follows the colon, at the latest the one at `end`. Without the bounds checks
        // of these positions and of the delimiters the parser is a seventh faster (examples/throughput.rs).
        let (index, number, first) = unsafe {
            let text = text.as_ptr();
            (&*text.add(colon - 16).cast(), &*text.add(end - 16).cast(), *text.add(colon + 1))
        };
        let sign = usize::from(first == b'-');
        Pair { index, index_length: colon - start, number, number_length: end - colon - 1 - sign, sign }
    }

    /// Whether the index or the value is empty or too long (over 15 bytes) for the fast parser.
    #[inline(always)]
    fn is_odd(&self) -> bool {
        self.index_length.wrapping_sub(1) >= 15 || self.number_length.wrapping_sub(1) >= 15
    }
}

/// Whether this byte ends a number or another token.
#[inline(always)]
pub(crate) fn is_end(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'#')
}

/// Parses the unsigned integer at position `at`; returns it with the position of its end, or `None` if there are no digits or it exceeds 64
/// bits.
pub(crate) fn index(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut end = at;
    while let Some(digit @ b'0'..=b'9') = text.get(end) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        end += 1;
    }
    (end > at).then_some((value, end))
}

/// Returns `number` / 10^`decimals`, or `number` if `decimals` is [`NO_POINT`]; negated if `sign` is 1.
///
/// Both operands are integers of at most 10^15, hence exactly representable in f64, so that the single division is correctly rounded:
/// Clinger, "How to read floating point numbers accurately", 1990.
#[inline(always)]
fn decimal(number: u64, decimals: usize, sign: usize) -> f64 {
    // Converted from i64, for which a single instruction exists. The sign selects a table instead of a branch, because signs are
    // unpredictable.
    number as i64 as f64 / SCALES[sign][decimals]
}

/// Powers of ten from 10^0 to 10^15, followed by 1 for [`NO_POINT`] and for unused entries; the second array holds their negatives.
static SCALES: [[f64; 32]; 2] = {
    let mut scales = [[1.0; 32], [-1.0; 32]];
    let mut decimals = 1;
    let mut power = 1u64;
    while decimals < 16 {
        power *= 10;
        scales[0][decimals] = power as f64;
        scales[1][decimals] = -(power as f64);
        decimals += 1;
    }
    scales
};
/// Number of decimals that stands for a number without a point, as an index into [`SCALES`].
const NO_POINT: usize = 16;

/// Parses the number at position `at`; returns the nearest f64 with the position of its end, or `None` if there is no number. The result
/// may be infinite or NaN, as written or by overflow.
pub(crate) fn value(text: &[u8], at: usize) -> Option<(f64, usize)> {
    let (value, count) = fast_float2::parse_partial::<f64, _>(text.get(at..)?).ok()?;
    Some((value, at + count))
}

/// Parses a complete token as a finite number, or returns an error message that describes its fault.
pub(crate) fn finite(token: &[u8]) -> Result<f64, &'static str> {
    match value(token, 0) {
        Some((value, end)) if end == token.len() => match value {
            _ if value.is_finite() => Ok(value),
            _ if token.iter().any(u8::is_ascii_digit) => Err("is too large for a number of 64 bits"),
            _ => Err("is not a finite number"),
        },
        _ if token.is_empty() => Err("is missing"),
        _ => Err("is not a number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom number generator with a fixed sequence, for tests.
    struct Random(u64);

    impl Random {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((self.0 >> 33) as usize) % n
        }

        fn digits(&mut self, most: usize) -> Vec<u8> {
            (0..self.below(most + 1)).map(|_| b'0' + self.below(10) as u8).collect()
        }

        /// Returns text that resembles a number: mostly digits, with characters that occur in and around numbers.
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

    /// Parses a plain `index:value` pair with each implementation (portable, AVX2) that this processor supports.
    fn pairs(row: &[u8], start: usize, colon: usize, end: usize) -> Vec<Option<(u64, f64)>> {
        // SAFETY: the caller has put at least 16 bytes before the start and one after the end.
        let parts = unsafe { Pair::new(row, start, colon, end) };
        let found = vec![pair(&parts)];
        #[cfg(target_arch = "x86_64")]
        if avx2::is_supported() {
            // SAFETY: the processor supports the features of the function.
            return [found, vec![unsafe { avx2::pair(&parts) }]].concat();
        }
        found
    }

    #[test]
    fn plain_pairs_are_those_of_the_general_parser_to_the_bit() {
        let mut random = Random(1);
        let mut plain = 0;
        let is_mark = |byte: &u8| !(b'-'..=b'9').contains(byte);
        for _ in 0..2_000_000 {
            let most = [1, 5, 10, 20][random.below(4)];
            let number = [&random.digits(most), &b":"[..], &random.number(), b" "].concat();
            // Bytes before the pair must not matter.
            let before = [[b'.'; 16], [b'9'; 16], *b" 1.5 12:1.25 -1 ", [b'-'; 16]][random.below(4)];
            let row = [&before[..], &number].concat();
            let Some(colon) = row[16..].iter().position(is_mark).map(|at| at + 16) else { continue };
            let Some(end) = row[colon + 1..].iter().position(is_mark).map(|at| at + colon + 1) else { continue };
            if row[colon] != b':' {
                continue;
            }
            let index = index(&row, 16).filter(|index| index.1 == colon);
            let value = value(&row[..end], colon + 1).filter(|value| value.1 == end);
            let expected = index.zip(value).map(|(index, value)| (index.0, value.0.to_bits()));
            let all = pairs(&row, 16, colon, end);
            assert!(all.iter().all(|found| found.is_some() == all[0].is_some()), "{}", row.escape_ascii());
            for (index, value) in all.into_iter().flatten() {
                plain += 1;
                assert_eq!(Some((index, value.to_bits())), expected, "{}", row.escape_ascii());
            }
        }
        assert!((200_000..3_900_000).contains(&plain), "{plain} pairs were plain");
    }

    #[test]
    fn plain_numbers_are_those_of_the_general_parser_to_the_bit() {
        let mut random = Random(3);
        let mut count = 0;
        for _ in 0..50_000 {
            let mut number = random.number();
            if random.below(16) == 0 && !number.is_empty() {
                let at = random.below(number.len());
                number[at] = random.below(256) as u8;
            }
            // Bytes around the number must not matter.
            let before = [[b'.'; 16], [b'9'; 16], *b" 1.5 12:1.25 -1 ", [b'-'; 16]][random.below(4)];
            let text = [&before[..], &number, b"5"].concat();
            let end = 16 + number.len();
            if let Some(found) = plain(&text, 16, end) {
                count += 1;
                let expected = value(&text[..end], 16).filter(|value| value.1 == end);
                assert_eq!(expected.map(|value| value.0.to_bits()), Some(found.to_bits()), "{}", text.escape_ascii());
            }
        }
        assert!((10_000..45_000).contains(&count), "{count} numbers were plain");
        for text in ["7", "-7", "0.5", "-.5", "5.", "123456789012345", "-0.1234567890123", "00012.50"] {
            let padded = " ".repeat(16) + text;
            assert_eq!(plain(padded.as_bytes(), 16, padded.len()), text.parse().ok(), "{text}");
        }
        for (text, start, end) in [("12", 0, 2), ("", 0, 0), ("1", 5, 9), (&*" ".repeat(40), 30, 20)] {
            assert_eq!(plain(text.as_bytes(), start, end), None);
        }
    }

    #[test]
    fn what_most_programs_write_is_plain() {
        let texts =
            ["0:1", "1:-1", "7:0.5", "7:.5", "7:5.", "4294967295:-0.12345678901", "123456789012345:123456789012345"];
        for text in texts {
            let row = format!("{}{text} ", " ".repeat(16));
            let (index, value) = text.split_once(':').unwrap();
            for found in pairs(row.as_bytes(), 16, 16 + index.len(), row.len() - 1) {
                assert_eq!(found, Some((index.parse().unwrap(), value.parse().unwrap())), "{text}");
            }
        }
        for text in [":1", "1:", "1:.", "1:-", "1:-.", "1:1.2.3", "1:1-2", "1.0:1", "-1:1", "1:--1", "1:1/2", "1/2:1"] {
            let row = format!("{}{text} ", " ".repeat(16));
            for found in pairs(row.as_bytes(), 16, 16 + text.find(':').unwrap(), row.len() - 1) {
                assert_eq!(found, None, "{text}");
            }
        }
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
