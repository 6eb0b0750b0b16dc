//! Rows packed into bytes, so that a sample of many rows takes little memory: most rows of real data have ids close to
//! each other, and values that are 1 or short.

use super::sample::SampledRow;

/// Rows in the order in which they were added, packed into bytes.
///
/// A row is stored as a [`Head`], its numbers, its values (0, 4 or 8 bytes each), its first id, and the differences from
/// each id to the next (all 1, 2, 4 or 8 bytes).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PackedRows {
    bytes: Vec<u8>,
    rows: usize,
    nonzeros: usize,
}

/// One row, as it was before it was packed.
pub(super) struct UnpackedRow<'r> {
    /// Position of the row in the sequence of rows from which it was drawn.
    pub(super) number: u64,
    pub(super) facts: SampledRow,
    pub(super) index: &'r [u64],
    pub(super) value: &'r [f64],
}

/// First 18 bytes of a packed row.
struct Head {
    /// Number of bytes of the row, this head included.
    length: usize,
    number: u64,
    nonzeros: usize,
    /// Sum of [`ONES`], [`SHORT`] and [`UNWEIGHTED`], as far as they apply.
    kind: u8,
    /// Number of bytes of each difference of two ids.
    width: u8,
}

/// Bit of [`Head::kind`]: all values are 1 and not stored.
const ONES: u8 = 1;
/// Bit of [`Head::kind`]: all values are exactly representable as f32, and stored so.
const SHORT: u8 = 2;
/// Bit of [`Head::kind`]: both weights are 1 and the offset is 0, and none of the three is stored.
const UNWEIGHTED: u8 = 4;

/// Compares two numbers by their bits, so that −0 is told from 0.
fn is(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits()
}

impl PackedRows {
    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the total number of nonzeros of all rows.
    pub(super) fn nonzeros(&self) -> usize {
        self.nonzeros
    }

    /// Appends a row.
    pub(super) fn push(&mut self, row: &UnpackedRow<'_>) {
        let SampledRow { label, given, weight, offset, came } = row.facts;
        let unweighted = is(given, 1.0) && is(weight, 1.0) && is(offset, 0.0);
        let ones = row.value.iter().all(|&x| is(x, 1.0));
        let short = !ones && row.value.iter().all(|&x| is(f64::from(x as f32), x));
        let kind = u8::from(ones) * ONES + u8::from(short) * SHORT + u8::from(unweighted) * UNWEIGHTED;
        let gaps = row.index.windows(2).map(|ids| ids[1].wrapping_sub(ids[0]));
        let width = match gaps.clone().fold(0, |all, gap| all | gap) {
            0..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xffff_ffff => 4,
            _ => 8,
        };
        let start = self.bytes.len();
        self.bytes.extend([0; 4]);
        self.bytes.extend(row.number.to_le_bytes());
        self.bytes.extend((row.index.len() as u32).to_le_bytes());
        self.bytes.extend([kind, width]);
        self.put(&[label, came]);
        if !unweighted {
            self.put(&[given, weight, offset]);
        }
        if short {
            row.value.iter().for_each(|&x| self.bytes.extend((x as f32).to_le_bytes()));
        } else if !ones {
            self.put(row.value);
        }
        row.index.first().iter().for_each(|first| self.bytes.extend(first.to_le_bytes()));
        match width {
            1 => self.bytes.extend(gaps.map(|gap| gap as u8)),
            2 => gaps.for_each(|gap| self.bytes.extend((gap as u16).to_le_bytes())),
            4 => gaps.for_each(|gap| self.bytes.extend((gap as u32).to_le_bytes())),
            _ => gaps.for_each(|gap| self.bytes.extend(gap.to_le_bytes())),
        }
        let length = (self.bytes.len() - start) as u32;
        self.bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
        self.rows += 1;
        self.nonzeros += row.index.len();
    }

    fn put(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.bytes.extend(x.to_le_bytes()));
    }

    /// Removes the rows whose number does not satisfy `keep`.
    pub(super) fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        let (mut at, mut end) = (0, 0);
        (self.rows, self.nonzeros) = (0, 0);
        while let Some(head) = Head::read(&mut &self.bytes[at..]) {
            if keep(head.number) {
                self.bytes.copy_within(at..at + head.length, end);
                end += head.length;
                self.rows += 1;
                self.nonzeros += head.nonzeros;
            }
            at += head.length;
        }
        self.bytes.truncate(end);
    }

    /// Visits, in order, the rows whose number satisfies `wanted`. O(rows), and O(nonzeros) of the visited rows.
    pub(super) fn each(&self, wanted: impl Fn(u64) -> bool, mut visit: impl FnMut(UnpackedRow<'_>)) {
        let (mut index, mut value, mut left) = (Vec::new(), Vec::new(), &self.bytes[..]);
        while let Some(head) = Head::read(&mut &*left) {
            let (row, rest) = left.split_at(head.length);
            if wanted(head.number)
                && let Some((head, facts)) = unpack(row, &mut index, &mut value)
            {
                visit(UnpackedRow { number: head.number, facts, index: &index, value: &value });
            }
            left = rest;
        }
    }
}

impl Head {
    /// Reads a head from the start of `bytes`, and removes it; `None` if there are no bytes left.
    fn read(bytes: &mut &[u8]) -> Option<Head> {
        Some(Head {
            length: u32::from_le_bytes(take(bytes)?) as usize,
            number: u64::from_le_bytes(take(bytes)?),
            nonzeros: u32::from_le_bytes(take(bytes)?) as usize,
            kind: u8::from_le_bytes(take(bytes)?),
            width: u8::from_le_bytes(take(bytes)?),
        })
    }

    fn has(&self, bit: u8) -> bool {
        self.kind & bit != 0
    }
}

/// Unpacks the bytes of one row; replaces the contents of `index` and `value` by its nonzeros. Never returns `None` for
/// bytes written by [`PackedRows::push`].
fn unpack(mut row: &[u8], index: &mut Vec<u64>, value: &mut Vec<f64>) -> Option<(Head, SampledRow)> {
    let head = Head::read(&mut row)?;
    let row = &mut row;
    let (label, came) = (number(row)?, number(row)?);
    let [given, weight, offset] =
        if head.has(UNWEIGHTED) { [1.0, 1.0, 0.0] } else { [number(row)?, number(row)?, number(row)?] };
    index.clear();
    value.clear();
    for _ in 0..head.nonzeros {
        value.push(match head.kind & (ONES | SHORT) {
            ONES => 1.0,
            SHORT => f64::from(f32::from_le_bytes(take(row)?)),
            _ => number(row)?,
        });
    }
    for k in 0..head.nonzeros {
        let before = index.last().copied().unwrap_or_default();
        index.push(before.wrapping_add(match head.width {
            _ if k == 0 => u64::from_le_bytes(take(row)?),
            1 => u8::from_le_bytes(take(row)?).into(),
            2 => u16::from_le_bytes(take(row)?).into(),
            4 => u32::from_le_bytes(take(row)?).into(),
            _ => u64::from_le_bytes(take(row)?),
        }));
    }
    Some((head, SampledRow { label, given, weight, offset, came }))
}

/// Removes the first `N` bytes and returns them; `None` if there are fewer.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn number(bytes: &mut &[u8]) -> Option<f64> {
    take(bytes).map(f64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::{PackedRows, SampledRow, UnpackedRow};

    /// Rows with ids in any order and of any size, values of any kind, and weights that are 1 or not, come back to the
    /// bit; so do those that remain after others were removed.
    #[test]
    fn rows_come_back_to_the_bit() {
        let ids: [&[u64]; 7] = [
            &[],
            &[1 << 40],
            &[1, 2, 257, 300, 555, 556],
            &[3, 259, 65_794, 65_795],
            &[0, 65_536, 1 << 32],
            &[3, 7, 127, 128, 300, u64::MAX],
            &[u64::MAX, 0, 1 << 63, 5, 4, 9],
        ];
        let values = [[1.0; 6], [0.5, 1.0, -2.0, 0.0, -0.0, 3e30], [0.1, 1e300, -1e-300, 1.0, 5e-324, 7.0]];
        let facts = [
            SampledRow { label: -0.0, given: 1.0, weight: 1.0, offset: 0.0, came: 0.3 },
            SampledRow { label: 1e9, given: 2.0, weight: 0.1, offset: -1e-9, came: 0.0 },
            SampledRow { label: 3.0, given: 1.0, weight: 1.0, offset: -0.0, came: 1.0 },
        ];
        let (mut packed, mut all) = (PackedRows::default(), Vec::new());
        for index in ids {
            for value in &values {
                for facts in facts {
                    let number = 3 * all.len() as u64;
                    let value = &value[..index.len()];
                    packed.push(&UnpackedRow { number, facts, index, value });
                    all.push((number, facts, index.to_vec(), value.to_vec()));
                }
            }
        }
        let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let check = |packed: &PackedRows, keep: &dyn Fn(u64) -> bool| {
            let mut left = all.iter().filter(|row| keep(row.0));
            packed.each(keep, |row| {
                let (number, facts, index, value) = left.next().unwrap();
                assert_eq!((row.number, row.index, bits(row.value)), (*number, &index[..], bits(value)));
                assert_eq!(bits(&row.facts.numbers()), bits(&facts.numbers()));
            });
            assert!(left.next().is_none());
        };
        check(&packed, &|_| true);
        check(&packed, &|number| number % 2 == 0);
        packed.retain(|number| number % 4 != 0);
        check(&packed, &|number| number % 4 != 0);
        let kept = all.iter().filter(|row| row.0 % 4 != 0);
        let nonzeros = kept.clone().map(|row| row.2.len()).sum::<usize>();
        assert_eq!((packed.len(), packed.nonzeros()), (kept.count(), nonzeros));
    }
}
