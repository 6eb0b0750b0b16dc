//! Partial result of some shards, which can be joined with that of others.

/// Partial result of the rows of some shards: numbers of four kinds, by how those of two groups of shards are joined.
/// An empty list joined with another is the other.
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
}

impl Partial {
    /// Joins this partial result with that of the shards to the right. O(numbers).
    ///
    /// Lists of different lengths are joined as far as the shorter one goes, and the rest of the longer one is kept.
    pub fn join(&mut self, right: &Partial) {
        join_with(&mut self.sums, &right.sums, |a, b| a + b);
        join_with(&mut self.maxima, &right.maxima, |a, b| if a > b || a.is_nan() { a } else { b });
        join_compensated(&mut self.compensated, &right.compensated);
        self.list.extend(&right.list);
    }

    /// Returns the compensated sums: each sum plus its rounding error.
    #[must_use]
    pub fn compensated_sums(&self) -> Vec<f64> {
        let (sums, errors) = self.compensated.split_at(self.compensated.len() / 2);
        sums.iter().zip(errors).map(|(sum, error)| sum + error).collect()
    }

    /// Returns the partial result as bytes: the lengths of the four lists as u64, then their numbers, all little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let lists = [&self.sums, &self.compensated, &self.maxima, &self.list];
        let mut bytes = Vec::with_capacity(32 + 8 * lists.iter().map(|list| list.len()).sum::<usize>());
        lists.iter().for_each(|list| bytes.extend((list.len() as u64).to_le_bytes()));
        lists.iter().for_each(|list| bytes.extend(list.iter().flat_map(|x| x.to_le_bytes())));
        bytes
    }

    /// Reads what [`to_bytes`](Partial::to_bytes) returned; `None` if the bytes are damaged.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Partial> {
        let (lengths, numbers) = bytes.split_at_checked(32)?;
        let mut words = numbers.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().expect("eight bytes")));
        let lengths: Vec<u64> =
            lengths.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect();
        let total = lengths.iter().try_fold(0_u64, |sum, len| sum.checked_add(*len))?;
        if total.checked_mul(8) != Some(numbers.len() as u64) {
            return None;
        }
        let mut take = |k: usize| -> Vec<f64> { words.by_ref().take(lengths[k] as usize).collect() };
        let (sums, compensated, maxima, list) = (take(0), take(1), take(2), take(3));
        compensated.len().is_multiple_of(2).then_some(Partial { sums, compensated, maxima, list })
    }
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
        let mut left = Partial { sums: vec![1.0], compensated: vec![1e16, 0.0], maxima: vec![-1.0], list: vec![1.0] };
        let right = Partial { sums: vec![2.0], compensated: vec![1.0, 0.5], maxima: vec![-2.0], list: vec![2.0, 3.0] };
        left.join(&right);
        left.join(&Partial { compensated: vec![-1e16, 0.0], ..Partial::default() });
        assert_eq!((left.sums[0], left.maxima[0], left.compensated_sums()[0]), (3.0, -1.0, 1.5));
        assert_eq!(left.list, [1.0, 2.0, 3.0]);
        left.join(&Partial { maxima: vec![f64::NAN], ..Partial::default() });
        left.join(&right);
        assert!(left.maxima[0].is_nan());
    }

    #[test]
    fn bytes_are_read_back_or_refused() {
        let partial =
            Partial { sums: vec![1.0, -0.0], compensated: vec![], maxima: vec![f64::NEG_INFINITY], list: vec![5.0] };
        let bytes = partial.to_bytes();
        assert_eq!(Partial::from_bytes(&bytes).as_ref(), Some(&partial));
        for end in 0..bytes.len() {
            assert_eq!(Partial::from_bytes(&bytes[..end]), None);
        }
        for at in 0..32 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x81;
            assert_eq!(Partial::from_bytes(&bytes), None);
        }
    }
}
