//! Partial result of some shards, which can be joined with that of others.

use super::{join::Join, keyed::Keyed};
use std::collections::BTreeSet;

/// Partial result of the rows of some shards: parts of several kinds, by how those of two groups of shards are joined.
/// An empty part joined with another is the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partial {
    /// Numbers that are added.
    pub sums: Vec<f64>,
    /// Numbers that are added with compensation: first the sums, then as many numbers with the rounding errors so far.
    pub compensated: Vec<f64>,
    /// Numbers of which the larger one is kept; NaN is larger than any other.
    pub maxima: Vec<f64>,
    /// Numbers that are put one after the other, in the order of the shards.
    pub list: Vec<f64>,
    /// Numbers by feature.
    pub keyed: Keyed,
    /// Texts, of which each is kept once.
    pub texts: BTreeSet<String>,
}

/// Number of lists of eight-byte words, with the length of the texts in bytes last.
const LISTS: usize = 8;

impl Partial {
    /// Returns the compensated sums: each sum plus its rounding error.
    #[must_use]
    pub fn compensated_sums(&self) -> Vec<f64> {
        let (sums, errors) = self.compensated.split_at(self.compensated.len() / 2);
        sums.iter().zip(errors).map(|(sum, error)| sum + error).collect()
    }

    /// Returns the partial result as bytes: the lengths of all parts, then the parts, as little-endian numbers; a text
    /// follows its length in bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Partial { sums, compensated, maxima, list, keyed, texts } = self;
        let lists = [sums, compensated, maxima, list, &keyed.sums, &keyed.maxima];
        let text_bytes: usize = texts.iter().map(|text| 8 + text.len()).sum();
        let words = keyed.ids.len() + lists.iter().map(|list| list.len()).sum::<usize>();
        let mut bytes = Vec::with_capacity(8 * (LISTS + words) + text_bytes);
        let lengths = [keyed.ids.len()].into_iter().chain(lists.iter().map(|list| list.len())).chain([text_bytes]);
        lengths.for_each(|len| bytes.extend((len as u64).to_le_bytes()));
        keyed.ids.iter().for_each(|id| bytes.extend(id.to_le_bytes()));
        lists.iter().for_each(|list| bytes.extend(list.iter().flat_map(|x| x.to_le_bytes())));
        for text in texts {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    /// Reads what [`to_bytes`](Partial::to_bytes) returned; `None` if the bytes are damaged.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Partial> {
        let (lengths, rest) = bytes.split_at_checked(8 * LISTS)?;
        let lengths: Vec<usize> = words(lengths).map(usize::try_from).collect::<Result<_, _>>().ok()?;
        let (text_bytes, lists) = lengths.split_last()?;
        let count = lists.iter().try_fold(0_usize, |sum, len| sum.checked_add(*len))?;
        let (numbers, texts) = rest.split_at_checked(count.checked_mul(8)?)?;
        if texts.len() != *text_bytes {
            return None;
        }
        let mut words = words(numbers);
        let ids: Vec<u64> = words.by_ref().take(lists[0]).collect();
        let mut take = |k: usize| -> Vec<f64> { words.by_ref().take(lists[k]).map(f64::from_bits).collect() };
        let (sums, compensated, maxima, list) = (take(1), take(2), take(3), take(4));
        let keyed = Keyed { ids, sums: take(5), maxima: take(6) };
        let is_sound = compensated.len().is_multiple_of(2) && keyed.is_sound();
        is_sound.then_some(Partial { sums, compensated, maxima, list, keyed, texts: read_texts(texts)? })
    }
}

impl Join for Partial {
    /// Joins this partial result with that of the shards to the right. O(numbers).
    ///
    /// Lists of different lengths are joined as far as the shorter one goes, and the rest of the longer one is kept.
    fn join(&mut self, right: &Partial) {
        join_with(&mut self.sums, &right.sums, |a, b| a + b);
        join_with(&mut self.maxima, &right.maxima, larger);
        join_compensated(&mut self.compensated, &right.compensated);
        self.list.extend(&right.list);
        self.keyed.join(&right.keyed);
        self.texts.extend(right.texts.iter().cloned());
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
}

fn read_texts(mut bytes: &[u8]) -> Option<BTreeSet<String>> {
    let mut texts = BTreeSet::new();
    while !bytes.is_empty() {
        let (len, rest) = bytes.split_first_chunk::<8>()?;
        let (text, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        texts.insert(std::str::from_utf8(text).ok()?.to_owned());
        bytes = rest;
    }
    Some(texts)
}

/// Returns the larger number; NaN if one of them is.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}

fn join_with(left: &mut Vec<f64>, right: &[f64], join: impl Fn(f64, f64) -> f64) {
    left.iter_mut().zip(right).for_each(|(a, b)| *a = join(*a, *b));
    left.extend(right.get(left.len()..).unwrap_or_default());
}

fn join_compensated(left: &mut Vec<f64>, right: &[f64]) {
    if left.is_empty() {
        left.extend(right);
        return;
    }
    let half = left.len() / 2;
    let (sums, errors) = left.split_at_mut(half);
    let (others, lost) = right.split_at(right.len() / 2);
    for ((sum, error), (x, lost)) in sums.iter_mut().zip(errors).zip(others.iter().zip(lost)) {
        // Knuth's TwoSum: the rounding error of the addition, exactly.
        let total = *sum + x;
        let part = total - *sum;
        *error += (*sum - (total - part)) + (x - part) + lost;
        *sum = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_joined_in_its_way() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<BTreeSet<_>>();
        let mut left = Partial {
            sums: vec![1.0],
            compensated: vec![1e16, 0.0],
            maxima: vec![-1.0],
            list: vec![1.0],
            texts: texts(&["b", "a"]),
            ..Partial::default()
        };
        let right = Partial {
            sums: vec![2.0],
            compensated: vec![1.0, 0.5],
            maxima: vec![-2.0],
            list: vec![2.0, 3.0],
            texts: texts(&["b", "c"]),
            ..Partial::default()
        };
        left.join(&right);
        left.join(&Partial { compensated: vec![-1e16, 0.0], ..Partial::default() });
        assert_eq!((left.sums[0], left.maxima[0], left.compensated_sums()[0]), (3.0, -1.0, 1.5));
        assert_eq!((left.list.as_slice(), &left.texts), (&[1.0, 2.0, 3.0][..], &texts(&["a", "b", "c"])));
        left.join(&Partial { maxima: vec![f64::NAN], ..Partial::default() });
        left.join(&right);
        assert!(left.maxima[0].is_nan());
    }

    #[test]
    fn bytes_are_read_back_or_refused() {
        let partial = Partial {
            sums: vec![1.0, -0.0],
            maxima: vec![f64::NEG_INFINITY],
            list: vec![5.0],
            keyed: Keyed { ids: vec![3, u64::MAX], sums: vec![1.0, 2.0, 3.0, 4.0], maxima: vec![0.5, 0.25] },
            texts: ["".to_owned(), "näh\n".to_owned()].into(),
            ..Partial::default()
        };
        let bytes = partial.to_bytes();
        assert_eq!(Partial::from_bytes(&bytes).as_ref(), Some(&partial));
        for end in 0..bytes.len() {
            assert_eq!(Partial::from_bytes(&bytes[..end]), None);
        }
        for at in 0..8 * LISTS {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x81;
            assert_eq!(Partial::from_bytes(&bytes), None);
        }
    }
}
