//! Numbers in text: pairs as most programs write them, 16 bytes at a time, and any index and value.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;

/// A zero in each byte.
const ZEROS: u128 = u128::from_le_bytes([b'0'; 16]);

/// The number that 16 digits stand for, the first lowest, each as its value.
#[inline(always)]
fn join(digits: u128) -> u64 {
    // Join neighbours, pairs, fours.
    let eight = |digits: u64| {
        let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
        let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
        let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
        low.wrapping_add(high) >> 32
    };
    eight(digits as u64) * 100_000_000 + eight((digits >> 64) as u64)
}

/// The numbers of a pair `index:value` that begins at `start`, if it is plain: digits, in the value with a minus
/// and a point or without.
///
/// There must be no marks (see `svmlight/marks.rs`) but those at `colon` and `end`. `None` only says that this
/// pair is one for [`index`] and [`value`]: it is wrong, or has more than 15 bytes before or behind the colon,
/// or stands at the very start of the text.
#[inline(always)]
pub(crate) fn pair(text: &[u8], start: usize, colon: usize, end: usize) -> Option<(u64, f64)> {
    let shape = Shape::of(text, start, colon, end)?;
    // Numbers begin with zeros then, up to 16 digits.
    let last = |bytes: &[u8; 16], count: usize| (u128::from_le_bytes(*bytes) ^ ZEROS) & (!0 << (128 - 8 * count));
    let index = last(shape.index, shape.index_length);
    let number = last(shape.number, shape.number_length);
    // Digits do not have this bit, the minus, the point and the slash do.
    let others = 0x1010_1010_1010_1010_1010_1010_1010_1010;
    let point = (number & others).trailing_zeros() as usize / 8;
    let (digits, decimals) = if point == 16 {
        (number, NO_POINT)
    } else if (number >> (8 * point)) as u8 == b'.' ^ b'0' && shape.number_length > 1 {
        // The digits behind the point stay, those before it move up to them.
        let before = (1 << (8 * point)) - 1;
        ((number & before) << 8 | number & !(before << 8 | 0xff), 15 - point)
    } else {
        return None;
    };
    let is_plain = (index | digits) & others == 0;
    is_plain.then(|| (join(index), decimal(join(digits), decimals, shape.is_negative)))
}

/// Where the parts of a pair are.
struct Shape<'a> {
    /// The bytes before the colon.
    index: &'a [u8; 16],
    /// The digits of the index, 1 to 15.
    index_length: usize,
    /// The bytes before the end.
    number: &'a [u8; 16],
    /// The bytes of the value without the minus, 1 to 15.
    number_length: usize,
    is_negative: bool,
}

impl Shape<'_> {
    #[inline(always)]
    fn of(text: &[u8], start: usize, colon: usize, end: usize) -> Option<Shape<'_>> {
        let is_negative = *text.get(colon + 1)? == b'-';
        let shape = Shape {
            index: text.get(..colon)?.last_chunk()?,
            index_length: colon - start,
            number: text.get(..end)?.last_chunk()?,
            number_length: end - colon - 1 - usize::from(is_negative),
            is_negative,
        };
        ((1..=15).contains(&shape.index_length) && (1..=15).contains(&shape.number_length)).then_some(shape)
    }
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

/// `number` / 10^`decimals`, or `number` for [`NO_POINT`].
///
/// Both are whole and exact as f64 (below 10^15), so that one division rounds correctly: Clinger,
/// "How to read floating point numbers accurately", 1990.
#[inline(always)]
fn decimal(number: u64, decimals: usize, is_negative: bool) -> f64 {
    // By way of i64, for which there is one instruction. Without a branch: signs are as good as random.
    number as i64 as f64 / SCALES[usize::from(is_negative)][decimals]
}

/// 10^0 to 10^15, 1 for [`NO_POINT`], and unused ones; then the same negated.
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
/// The decimals of a number without a point.
const NO_POINT: usize = 16;

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
