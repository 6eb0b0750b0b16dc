//! Merging of nonzeros with equal ids in a row.

use surefoot_glm::IdHasher;

/// Merger of nonzeros with equal feature ids in a row: values are added at the first occurrence of the id, and the order is otherwise
/// kept.
///
/// A hash table with at least twice as many buckets as nonzeros gives the position of an id: O(n) expected, for any ids.
#[derive(Debug, Default)]
pub(crate) struct DuplicateMerger {
    /// Buckets of a hash table with linear probing from ids to positions (from 1) in the row: a position is stored in the first free
    /// bucket from the hash of its id on; 0 marks a free bucket.
    places: Vec<u32>,
    hasher: IdHasher,
    /// Total number of buckets inspected so far, which tests check.
    #[cfg(test)]
    looks: usize,
}

impl DuplicateMerger {
    /// Merges nonzeros with equal ids from position `first` on; there must be fewer than 2^31 of them.
    pub(crate) fn merge(&mut self, index: &mut Vec<u64>, value: &mut Vec<f64>, first: usize) {
        let (index_of_row, value_of_row) = (&mut index[first..], &mut value[first..]);
        let bits = (2 * index_of_row.len()).next_power_of_two().ilog2().max(1);
        self.places.clear();
        self.places.resize(1 << bits, 0);
        let mut kept = 0;
        for i in 0..index_of_row.len() {
            let (id, x) = (index_of_row[i], value_of_row[i]);
            let mut at = self.hasher.hash(id) as usize & (self.places.len() - 1);
            loop {
                #[cfg(test)]
                {
                    self.looks += 1;
                }
                match self.places[at] as usize {
                    0 => {
                        (index_of_row[kept], value_of_row[kept]) = (id, x);
                        kept += 1;
                        self.places[at] = kept as u32;
                        break;
                    }
                    place if index_of_row[place - 1] == id => {
                        value_of_row[place - 1] += x;
                        break;
                    }
                    _ => at = (at + 1) & (self.places.len() - 1),
                }
            }
        }
        index.truncate(first + kept);
        value.truncate(first + kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_id_is_left_once_where_it_was_met_first(
            pairs in proptest::collection::vec((prop_oneof![0..40u64, any::<u64>(), (0..40u64).prop_map(|id| id << 58)], -9..9i32), 0..200),
            first in 0..3usize,
        ) {
            let (mut index, mut value): (Vec<u64>, Vec<f64>) = pairs.iter().map(|&(id, x)| (id, f64::from(x))).unzip();
            let first = first.min(index.len());
            let (mut ids, mut sums) = (index[..first].to_vec(), value[..first].to_vec());
            for (&id, x) in index[first..].iter().zip(&value[first..]) {
                match ids[first..].iter().position(|known| *known == id) {
                    Some(known) => sums[first + known] += x,
                    None => {
                        ids.push(id);
                        sums.push(*x);
                    }
                }
            }
            let mut merger = DuplicateMerger { places: vec![7; 3], ..DuplicateMerger::default() };
            merger.merge(&mut index, &mut value, first);
            prop_assert_eq!((index, value), (ids, sums));
        }
    }

    #[test]
    fn no_ids_are_looked_for_longer_than_others() {
        for count in [20_000, 40_000] {
            for (k, ids) in surefoot_oracle::hostile_ids(count).into_iter().enumerate() {
                let (mut index, mut value) = (ids.clone(), vec![1.0; ids.len()]);
                let mut merger = DuplicateMerger::default();
                merger.merge(&mut index, &mut value, 0);
                assert_eq!(index, ids);
                // At most half of the buckets are taken.
                assert!(merger.looks <= 3 * ids.len(), "{count}, set {k}: {}", merger.looks);
            }
        }
    }
}
