//! Hash maps and sets keyed by feature ids, with a fast hasher because ids are hashes already.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};

use surefoot_glm::IdHasher;

/// Hash map keyed by feature ids.
pub(crate) type IdMap<V> = HashMap<u64, V, IdHashBuilder>;

/// Hasher factory of [`IdMap`]; all hashers that it builds share one random seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdHashBuilder(IdHasher);

impl BuildHasher for IdHashBuilder {
    type Hasher = HashedId;

    fn build_hasher(&self) -> HashedId {
        HashedId { hasher: self.0, hash: 0 }
    }
}

/// Hasher for keys that are a single feature id; ids are hashes already, so that little work is needed.
#[derive(Debug)]
pub(crate) struct HashedId {
    hasher: IdHasher,
    hash: u64,
}

impl Hasher for HashedId {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write_u64(&mut self, id: u64) {
        self.hash = self.hasher.hash(id);
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only ids are hashed")
    }
}

/// Set of feature ids for membership tests. If most tested ids are members and the set exceeds the CPU cache, a test takes one memory
/// access, where [`HashSet`](std::collections::HashSet) takes two.
///
/// Takes 16 to 32 bytes per id.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdSet {
    /// Buckets of a hash table with linear probing: an id is stored in the first free bucket from its hash on; 0 marks a free bucket. The
    /// number of buckets is a power of two, or 0.
    places: Vec<u64>,
    len: usize,
    hasher: IdHasher,
}

impl IdSet {
    /// Returns the number of ids in the set.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether the set contains an id.
    #[inline]
    pub(crate) fn contains(&self, id: u64) -> bool {
        // Since 0 marks free buckets, the id 0 is treated as 1.
        let id = id.max(1);
        let mask = self.places.len().wrapping_sub(1);
        let mut at = self.hasher.hash(id) as usize;
        while let Some(&there) = self.places.get(at & mask) {
            match there {
                0 => break,
                there if there == id => return true,
                _ => at += 1,
            }
        }
        false
    }

    /// Inserts an id; returns `false` if the set already contained it.
    #[inline]
    pub(crate) fn insert(&mut self, id: u64) -> bool {
        let is_new = !self.contains(id);
        if is_new {
            self.put(id.max(1));
        }
        is_new
    }

    #[cold]
    fn put(&mut self, id: u64) {
        if 2 * self.len >= self.places.len() {
            let more = vec![0; (2 * self.places.len()).max(16)];
            let old = std::mem::replace(self, IdSet { places: more, ..IdSet::default() });
            old.iter().for_each(|id| self.put(id));
        }
        let mask = self.places.len() - 1;
        let mut at = self.hasher.hash(id) as usize & mask;
        while self.places[at] != 0 {
            at = (at + 1) & mask;
        }
        self.places[at] = id;
        self.len += 1;
    }

    /// Returns all ids, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.places.iter().copied().filter(|&id| id != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn sets_hold_what_was_put_in() {
        let (mut set, mut twin) = (IdSet::default(), HashSet::new());
        let mut id = 1u64;
        for n in 0..30_000u64 {
            id = id.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // Repeated ids, ids of few bits, and the largest ids.
            let id = [id, id >> 52, u64::MAX - (id >> 50), 1 + n / 3][n as usize % 4].max(1);
            assert_eq!(set.contains(id), twin.contains(&id));
            assert_eq!(set.insert(id), twin.insert(id));
            assert_eq!(set.len(), twin.len());
        }
        assert_eq!(set.iter().collect::<HashSet<_>>(), twin);
        assert!(set.places.len() <= 4 * set.len());
        let mut zero = IdSet::default();
        assert_eq!([zero.insert(0), zero.insert(0)], [true, false]);
    }

    #[test]
    fn no_ids_are_looked_for_longer_than_others() {
        // Returns the number of buckets between the hash of each id and its bucket, summed over all ids.
        fn passed(set: &IdSet) -> usize {
            let mask = set.places.len() - 1;
            let taken = set.places.iter().enumerate().filter(|(_, id)| **id > 0);
            taken.map(|(at, &id)| at.wrapping_sub(set.hasher.hash(id) as usize) & mask).sum()
        }
        for count in [20_000, 40_000] {
            for (k, ids) in surefoot_oracle::hostile_ids(count).into_iter().enumerate() {
                let mut set = IdSet::default();
                ids.iter().for_each(|&id| _ = set.insert(id));
                // At most half of the buckets are taken, for which 0.5 are skipped on average (Knuth 6.4).
                assert!(passed(&set) <= 2 * ids.len(), "{count}, set {k}: {}", passed(&set));
            }
        }
    }
}
