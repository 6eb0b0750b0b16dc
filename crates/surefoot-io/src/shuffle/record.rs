//! Encoding of a row as bytes (a record) with its numbers, its place in the input, and optionally its text.
//!
//! An id takes 4 bytes if all ids of the row fit, else 8. Values take no bytes if all are 1, 4 bytes each if all are exactly representable
//! as f32, else 8. Weights of 1, offsets of 0 and other default values are left out. Hence a row of numbers takes 12 bytes per nonzero,
//! and a row of words 4 to 8.

use surefoot_glm::{Batch, Place};

/// Bits of the first byte of a record (an encoded row), which tell which parts the record has and how they are encoded.
mod part {
    /// Bit that is set if feature ids take 8 bytes each; otherwise they take 4.
    pub(super) const WIDE: u8 = 1;
    /// Bit that is set if feature values take 4 bytes each (f32).
    pub(super) const SINGLE: u8 = 2;
    /// Bit that is set if feature values take 8 bytes each. If neither this bit nor `SINGLE` is set, all values are 1 and take no bytes.
    pub(super) const DOUBLE: u8 = 4;
    /// Bit that is set if the record holds a weight; otherwise the weight is 1.
    pub(super) const WEIGHT: u8 = 8;
    /// Bit that is set if the record holds an offset; otherwise the offset is 0.
    pub(super) const OFFSET: u8 = 16;
    /// Bit that is set if the record holds feature group numbers; otherwise all are 0.
    pub(super) const GROUPS: u8 = 32;
    /// Bit that is set if the record holds the row's position in the data, which determines whether the row is held out; rows without
    /// weight or label have none.
    pub(super) const POSITION: u8 = 64;
    /// Bit that is set if the record ends with the text of the row.
    pub(super) const TEXT: u8 = 128;
}

/// Encodes row `r` of a batch as a record and appends it to `to`. `position` is the row's number in the data among rows with weight and
/// label, or 0 for other rows. The text of the row is included if `with_text`.
pub(super) fn encode(batch: &Batch, r: usize, position: u64, with_text: bool, to: &mut Vec<u8>) {
    let (row, place) = (batch.row(r), batch.place[r]);
    let text = if with_text { batch.text.get(place.text.0..place.text.1).unwrap_or_default() } else { &[] };
    let is_single = |x: &f64| f64::from(*x as f32).to_bits() == x.to_bits();
    let mut parts = 0;
    let mut mark = |has: bool, bit| parts |= if has { bit } else { 0 };
    mark(row.index.iter().any(|&id| id > u64::from(u32::MAX)), part::WIDE);
    if !row.value.iter().all(|x| *x == 1.0) {
        mark(true, if row.value.iter().all(is_single) { part::SINGLE } else { part::DOUBLE });
    }
    mark(row.weight != 1.0, part::WEIGHT);
    mark(row.offset != 0.0, part::OFFSET);
    mark(row.group.iter().any(|&group| group != 0), part::GROUPS);
    mark(position > 0, part::POSITION);
    mark(!text.is_empty(), part::TEXT);
    to.push(parts);
    to.extend(place.input.to_le_bytes());
    to.extend(place.line.to_le_bytes());
    to.extend(batch.label[r].to_le_bytes());
    to.extend((row.index.len() as u64).to_le_bytes());
    if parts & part::WEIGHT != 0 {
        to.extend(row.weight.to_le_bytes());
    }
    if parts & part::OFFSET != 0 {
        to.extend(row.offset.to_le_bytes());
    }
    if parts & part::POSITION != 0 {
        to.extend(position.to_le_bytes());
    }
    if parts & part::WIDE != 0 {
        put(row.index.iter().map(|id| id.to_le_bytes()), to);
    } else {
        put(row.index.iter().map(|&id| (id as u32).to_le_bytes()), to);
    }
    if parts & part::SINGLE != 0 {
        put(row.value.iter().map(|&x| (x as f32).to_le_bytes()), to);
    }
    if parts & part::DOUBLE != 0 {
        put(row.value.iter().map(|x| x.to_le_bytes()), to);
    }
    if parts & part::GROUPS != 0 {
        put(row.group.iter().map(|group| group.to_le_bytes()), to);
    }
    // The text extends to the end of the record.
    to.extend(text);
}

/// Appends numbers, each given as its bytes, to `to` with a single allocation.
fn put<const N: usize>(numbers: impl ExactSizeIterator<Item = [u8; N]>, to: &mut Vec<u8>) {
    let from = to.len();
    to.resize(from + N * numbers.len(), 0);
    to[from..].as_chunks_mut().0.iter_mut().zip(numbers).for_each(|(room, number)| *room = number);
}

/// Decodes a record (an encoded row) and appends the row to a batch.
pub(super) fn decode(record: &[u8], batch: &mut Batch) {
    let mut rest = RecordBytes(record);
    let [parts] = rest.take();
    let has = |bit| parts & bit != 0;
    let (input, line) = (u32::from_le_bytes(rest.take()), u64::from_le_bytes(rest.take()));
    let label = f64::from_le_bytes(rest.take());
    let pairs = u64::from_le_bytes(rest.take()) as usize;
    let weight = if has(part::WEIGHT) { f64::from_le_bytes(rest.take()) } else { 1.0 };
    let offset = if has(part::OFFSET) { f64::from_le_bytes(rest.take()) } else { 0.0 };
    let position = if has(part::POSITION) { u64::from_le_bytes(rest.take()) } else { 0 };
    if has(part::WIDE) {
        batch.index.extend(rest.numbers(pairs).map(u64::from_le_bytes));
    } else {
        batch.index.extend(rest.numbers(pairs).map(|bytes| u64::from(u32::from_le_bytes(bytes))));
    }
    if has(part::DOUBLE) {
        batch.value.extend(rest.numbers(pairs).map(f64::from_le_bytes));
    } else if has(part::SINGLE) {
        batch.value.extend(rest.numbers(pairs).map(|bytes| f64::from(f32::from_le_bytes(bytes))));
    } else {
        batch.value.resize(batch.index.len(), 1.0);
    }
    if has(part::GROUPS) || !batch.group.is_empty() {
        batch.group.resize(batch.index.len() - pairs, 0);
        if has(part::GROUPS) {
            batch.group.extend(rest.numbers(pairs).map(u32::from_le_bytes));
        }
        batch.group.resize(batch.index.len(), 0);
    }
    batch.push_offset(offset);
    batch.label.push(label);
    batch.weight.push(weight);
    batch.start.push(batch.index.len());
    batch.position.push(position);
    let from = batch.text.len();
    batch.text.extend(rest.0);
    batch.place.push(Place { input, line, text: (from, batch.text.len()), ..Place::default() });
}

/// Remaining bytes of a record (an encoded row) that is being decoded.
struct RecordBytes<'a>(&'a [u8]);

impl<'a> RecordBytes<'a> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect("a record is whole");
        self.0 = rest;
        *bytes
    }

    fn numbers<const N: usize>(&mut self, count: usize) -> impl Iterator<Item = [u8; N]> + use<'a, N> {
        let (bytes, rest) = self.0.split_at(count * N);
        self.0 = rest;
        bytes.as_chunks().0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use surefoot_glm::Row;

    /// Generates numbers that cover each of the ways in which values are encoded.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            Just(1.0),
            Just(-0.0),
            Just(0.1),
            Just(0.5),
            Just(1e-310),
            any::<f32>().prop_map(f64::from),
            any::<f64>()
        ]
        .prop_filter("finite", |x| x.is_finite())
    }

    proptest! {
        #[test]
        fn rows_come_back_bit_for_bit(
            rows in proptest::collection::vec((
                proptest::option::of(number()),
                prop_oneof![Just(1.0), Just(0.0), 0.0..9.0],
                prop_oneof![Just(0.0), number()],
                proptest::collection::vec((prop_oneof![0..9u64, any::<u64>()], prop_oneof![Just(1.0), number()], 0..2u32), 0..9),
                0..3u64,
                "[ -~]{0,9}",
            ), 1..9),
            with_text: bool,
        ) {
            let mut batch = Batch::default();
            batch.clear();
            for (line, (label, weight, offset, pairs, _, text)) in rows.iter().enumerate() {
                let index: Vec<_> = pairs.iter().map(|pair| pair.0).collect();
                let value: Vec<_> = pairs.iter().map(|pair| pair.1).collect();
                let group: Vec<_> = pairs.iter().map(|pair| pair.2).collect();
                let (label, weight, offset) = (*label, *weight, *offset);
                batch.append(&Row { label, weight, offset, index: &index, value: &value, group: &group, position: 0 });
                let from = batch.text.len();
                batch.text.extend(text.bytes());
                let place = Place { input: line as u32 % 3, line: line as u64, text: (from, batch.text.len()), ..Place::default() };
                *batch.place.last_mut().unwrap() = place;
            }
            let mut back = Batch::default();
            back.clear();
            for (r, row) in rows.iter().enumerate().rev() {
                let mut record = Vec::new();
                encode(&batch, r, row.4, with_text, &mut record);
                decode(&record, &mut back);
            }
            for (r, row) in rows.iter().enumerate() {
                let at = rows.len() - 1 - r;
                let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                let (old, new) = (batch.row(r), back.row(at));
                prop_assert_eq!(bits(&[batch.label[r], old.weight]), bits(&[back.label[at], new.weight]));
                prop_assert_eq!(old.offset, new.offset);
                prop_assert_eq!((old.index, bits(old.value)), (new.index, bits(new.value)));
                let groups = |row: &Row<'_>| (0..row.index.len()).map(|i| row.group.get(i).copied().unwrap_or(0)).collect::<Vec<_>>();
                prop_assert_eq!(groups(&old), groups(&new));
                prop_assert_eq!(new.position, row.4);
                let place = back.place[at];
                prop_assert_eq!((place.input, place.line), (batch.place[r].input, batch.place[r].line));
                prop_assert_eq!(&back.text[place.text.0..place.text.1], if with_text { row.5.as_bytes() } else { &[] });
            }
        }
    }
}
