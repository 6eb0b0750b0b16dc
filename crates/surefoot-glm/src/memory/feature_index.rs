//! Numbering of feature ids as 1, 2, 3, …, for learners whose coordinates are in flat arrays.

use super::feature_map::FeatureMap;
use crate::data::fault::{Fault, Part};

/// Numbering of features in the order of their first occurrence: 1, 2, 3, …; number 0 stands for the intercept.
#[derive(Debug, Default)]
pub(crate) struct FeatureIndex {
    /// Number of each feature by id; 0 for unseen ids.
    numbers: FeatureMap<u32>,
    /// Number of features seen, which equals the largest assigned number.
    count: u32,
}

impl FeatureIndex {
    /// Returns the number of the feature `id`; `None` if the feature is unseen.
    #[inline]
    pub(crate) fn of(&self, id: u64) -> Option<u32> {
        self.numbers.get(id).copied().filter(|&number| number > 0)
    }

    /// Returns the number of the feature `id`, which is the next free number if the feature is unseen; `pair` is the
    /// position of the feature in its row, to report in a fault.
    ///
    /// # Errors
    /// Returns a fault at `pair` if memory or numbers run out.
    pub(crate) fn find_or_insert(&mut self, id: u64, pair: usize) -> Result<u32, Fault> {
        let number = self.numbers.get_mut(id).ok_or_else(|| Fault::full(pair, id))?;
        if *number == 0 {
            self.count = self.count.checked_add(1).ok_or_else(|| Fault::full(pair, id))?;
            *number = self.count;
        }
        Ok(*number)
    }

    /// Checks that feature numbers read from a file are a permutation of 1, 2, …, n.
    pub(crate) fn check(numbers: &[u32]) -> Result<(), String> {
        let mut seen = vec![false; numbers.len()];
        for &number in numbers {
            let at = (number as usize).checked_sub(1).and_then(|at| seen.get_mut(at)).filter(|seen| !**seen);
            *at.ok_or("the numbers of the state's features do not fit together")? = true;
        }
        Ok(())
    }

    /// Builds a feature index from pairs of feature id and number, read from a file.
    pub(crate) fn restore(pairs: impl Iterator<Item = (u64, u32)>) -> Result<FeatureIndex, String> {
        let (mut feature_index, mut numbers) = (FeatureIndex::default(), Vec::new());
        for (id, number) in pairs {
            *feature_index.numbers.get_mut(id).ok_or("no memory is left for the model")? = number;
            feature_index.count += 1;
            numbers.push(number);
        }
        FeatureIndex::check(&numbers)?;
        Ok(feature_index)
    }

    /// Returns the number of coordinates: the features seen, and the intercept.
    pub(crate) fn dim(&self) -> usize {
        self.count as usize + 1
    }

    /// Returns the ids and numbers of all features, by ascending id.
    pub(crate) fn features(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.numbers.iter().map(|(id, &number)| (id, number)).filter(|&(_, number)| number > 0)
    }
}

impl Fault {
    /// Returns the fault to report if memory or numbers run out at nonzero `pair` of a row, whose feature is `id`.
    pub(crate) fn full(pair: usize, id: u64) -> Fault {
        let message = format!("no memory is left for index {id}: hash indices to fewer bits with --bits");
        Fault::new(Part::Pair(pair), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_numbered_as_they_come_and_come_back() {
        let mut feature_index = FeatureIndex::default();
        let ids = [7, u64::MAX, 0, 7, 1 << 40, 0];
        let numbers: Vec<u32> = ids.iter().map(|&id| feature_index.find_or_insert(id, 0).unwrap()).collect();
        assert_eq!((numbers, feature_index.dim(), feature_index.of(8)), (vec![1, 2, 3, 1, 4, 3], 5, None));
        let back = FeatureIndex::restore(feature_index.features()).unwrap();
        assert!(ids.iter().all(|&id| back.of(id) == feature_index.of(id)));
        for bad in [[(1, 1), (2, 1)], [(1, 0), (2, 1)], [(1, 1), (2, 3)]] {
            assert!(FeatureIndex::restore(bad.into_iter()).is_err(), "{bad:?}");
        }
    }
}
