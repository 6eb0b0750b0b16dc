//! Numbers for features as they come, for learners whose coordinates are dense.

use super::feature_map::FeatureMap;
use crate::data::fault::{Fault, Part};

/// Features by the order in which they were met: 1, 2, 3 …; 0 is the intercept's.
#[derive(Debug, Default)]
pub(crate) struct FeatureIndex {
    numbers: FeatureMap<u32>,
    count: u32,
}

impl FeatureIndex {
    /// The number of a feature that was met.
    #[inline]
    pub(crate) fn of(&self, id: u64) -> Option<u32> {
        self.numbers.get(id).copied().filter(|&number| number > 0)
    }

    /// The number of a feature, pair `pair` of its row, which is met now if it was not before.
    ///
    /// # Errors
    /// Where there is no memory for it.
    pub(crate) fn find_or_insert(&mut self, id: u64, pair: usize) -> Result<u32, Fault> {
        let number = self.numbers.get_mut(id).ok_or_else(|| Fault::full(pair, id))?;
        if *number == 0 {
            self.count = self.count.checked_add(1).ok_or_else(|| Fault::full(pair, id))?;
            *number = self.count;
        }
        Ok(*number)
    }

    /// Checks that these are the numbers of as many features, each once.
    pub(crate) fn check(numbers: &[u32]) -> Result<(), String> {
        let mut seen = vec![false; numbers.len()];
        for &number in numbers {
            let at = (number as usize).checked_sub(1).and_then(|at| seen.get_mut(at)).filter(|seen| !**seen);
            *at.ok_or("the numbers of the state's features do not fit together")? = true;
        }
        Ok(())
    }

    /// Restores a numbering: the number of each feature.
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

    /// How many coordinates there are, the intercept's included.
    pub(crate) fn dim(&self) -> usize {
        self.count as usize + 1
    }

    /// The features that were met and their numbers, in ascending order of the features.
    pub(crate) fn features(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.numbers.iter().map(|(id, &number)| (id, number)).filter(|&(_, number)| number > 0)
    }
}

impl Fault {
    /// Where memory ends.
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
