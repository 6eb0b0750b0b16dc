//! Hash table that numbers 64-bit ids consecutively, with prefetching of lookups.

use super::id_hash::IdHasher;
use crate::simd::prefetch::prefetch;

/// Hash table from 64-bit ids to numbers 0, 1, 2, …, with open addressing and linear probing. A bucket has 16 bytes,
/// so that a lookup usually costs one memory access, which [`prefetch`](IdTable::prefetch) can start early.
///
/// The table takes 22 to 43 bytes of memory per id.
#[derive(Debug, Default)]
pub(crate) struct IdTable {
    /// Buckets; each id is in the first bucket that was free when it was added, searching upwards from its hash. The
    /// number of buckets is a power of two, or 0 for an empty table.
    buckets: Vec<Bucket>,
    len: usize,
    hasher: IdHasher,
}

/// Bucket that holds one id, and in `above` the number of the id plus 1; the bucket is free if `above` is 0.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
struct Bucket {
    id: u64,
    above: u32,
}

impl IdTable {
    /// Returns the number of ids in the table.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Prefetches the bucket at which the search for `id` starts.
    #[inline(always)]
    pub(crate) fn prefetch(&self, id: u64) {
        prefetch(self.buckets.as_ptr().wrapping_add(self.first(id)));
    }

    /// Returns the number of an id; `None` if the id is not in the table.
    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<u32> {
        let mut at = self.first(id);
        while let Some(bucket) = self.buckets.get(at) {
            match bucket.above {
                0 => break,
                above if bucket.id == id => return Some(above - 1),
                _ => at = (at + 1) & (self.buckets.len() - 1),
            }
        }
        None
    }

    /// Adds an id that is not in the table, and returns its number, the next free one; `None` if memory or numbers run
    /// out.
    #[cold]
    pub(crate) fn add(&mut self, id: u64) -> Option<u32> {
        let number = u32::try_from(self.len).ok().filter(|&number| number < u32::MAX)?;
        if 4 * self.len >= 3 * self.buckets.len() {
            self.grow()?;
        }
        self.put(Bucket { id, above: number + 1 });
        self.len += 1;
        Some(number)
    }

    /// Returns all ids with their numbers, in unspecified order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.buckets.iter().filter(|bucket| bucket.above > 0).map(|bucket| (bucket.id, bucket.above - 1))
    }

    fn grow(&mut self) -> Option<()> {
        let (count, mut more) = ((2 * self.buckets.len()).max(16), Vec::new());
        more.try_reserve_exact(count).ok()?;
        more.resize(count, Bucket::default());
        for bucket in std::mem::replace(&mut self.buckets, more) {
            if bucket.above > 0 {
                self.put(bucket);
            }
        }
        Some(())
    }

    fn put(&mut self, bucket: Bucket) {
        let mut at = self.first(bucket.id);
        while self.buckets[at].above > 0 {
            at = (at + 1) & (self.buckets.len() - 1);
        }
        self.buckets[at] = bucket;
    }

    /// Returns the index of the bucket at which the linear probing for `id` starts.
    #[inline(always)]
    fn first(&self, id: u64) -> usize {
        self.hasher.hash(id) as usize & self.buckets.len().wrapping_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn ids_are_numbered_as_they_come() {
        let (mut table, mut twin) = (IdTable::default(), HashMap::new());
        let mut id = 1u64;
        for n in 0..30_000u64 {
            id = id.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            // The ids are repeated ids, ids of few bits, ids that agree in their first bits, and the largest ids.
            let id = [id, id >> 50, id >> 50 << 50, u64::MAX - (id >> 52), 1 + n / 3][n as usize % 5];
            table.prefetch(id);
            assert_eq!(table.get(id), twin.get(&id).copied());
            if table.get(id).is_none() {
                assert_eq!(table.add(id), Some(twin.len() as u32));
                twin.insert(id, twin.len() as u32);
            }
            assert_eq!(table.get(id), twin.get(&id).copied());
        }
        assert_eq!((table.len(), table.iter().collect::<HashMap<_, _>>()), (twin.len(), twin));
        assert!(table.buckets.len() * 3 <= table.len() * 8);
    }

    #[test]
    fn no_ids_are_looked_for_longer_than_others() {
        // Returns the total number of buckets between the start of the search for each id and its bucket.
        fn passed(table: &IdTable) -> usize {
            let mask = table.buckets.len() - 1;
            let taken = table.buckets.iter().enumerate().filter(|(_, bucket)| bucket.above > 0);
            taken.map(|(at, bucket)| at.wrapping_sub(table.first(bucket.id)) & mask).sum()
        }
        for count in [20_000, 40_000] {
            for (k, ids) in surefoot_oracle::hostile_ids(count).into_iter().enumerate() {
                let mut table = IdTable::default();
                ids.iter().for_each(|&id| _ = table.add(id));
                // At most three quarters of the buckets are taken, for which a search skips 1.5 buckets on average
                // (Knuth 6.4).
                assert!(passed(&table) <= 4 * ids.len(), "{count}, set {k}: {}", passed(&table));
            }
        }
    }
}
