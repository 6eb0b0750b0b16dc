//! Lookup of feature ids among the sorted ids of a model, for many lookups in a model that needs no hash table.

/// Base-2 logarithm of the maximum number of buckets, so that the table fits into the caches.
const MOST_BUCKETS: u32 = 18;

/// Table of the positions of feature ids in an ascending list of distinct ids. Ids with equal leading bits are in one
/// bucket, in which a binary search finds the id. Ids that are consecutive or hashed are spread evenly, and most
/// lookups cost O(1); at worst a lookup costs O(log features).
pub(crate) struct IdPositions<'a> {
    ids: &'a [u64],
    /// Number of low bits by which an id is shifted to give its bucket.
    shift: u32,
    /// Position of the first id of each bucket, followed by the number of ids.
    starts: Vec<usize>,
}

impl<'a> IdPositions<'a> {
    /// Builds the table for ids in ascending order. O(features).
    pub(crate) fn new(ids: &'a [u64]) -> IdPositions<'a> {
        let bits = ids.last().map_or(0, |last| u64::BITS - last.leading_zeros());
        let shift = bits.saturating_sub(ids.len().max(1).ilog2().min(MOST_BUCKETS));
        let bucket = |id: u64| id.unbounded_shr(shift) as usize;
        let mut starts = Vec::with_capacity(ids.last().map_or(0, |&last| bucket(last) + 2));
        for (at, &id) in ids.iter().enumerate() {
            starts.resize(starts.len().max(bucket(id) + 1), at);
        }
        starts.push(ids.len());
        IdPositions { ids, shift, starts }
    }

    /// Returns the position of an id in the list; `None` if the list does not contain it.
    pub(crate) fn of(&self, id: u64) -> Option<usize> {
        let bucket = usize::try_from(id.unbounded_shr(self.shift)).ok()?;
        let &[from, to] = self.starts.get(bucket..bucket.checked_add(2)?)? else { return None };
        Some(from + self.ids[from..to].binary_search(&id).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::IdPositions;

    /// Every id of a list is found at its position, and no other id is found, for lists that are empty, consecutive,
    /// spread over all 64 bits, or crowded at either end.
    #[test]
    fn positions_are_those_of_a_binary_search() {
        let spread = |n: u64| (0..n).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect::<Vec<_>>();
        let mut lists = vec![vec![], vec![0], vec![u64::MAX], vec![0, u64::MAX], (0..1000).collect(), spread(5000)];
        lists.push((0..500).chain((0..500).map(|k| u64::MAX - 7 * k)).collect());
        lists.push((1 << 20..(1 << 20) + 40).chain([1 << 50]).collect());
        for mut ids in lists {
            ids.sort_unstable();
            let positions = IdPositions::new(&ids);
            let near = ids.iter().flat_map(|&id| [id.wrapping_sub(1), id, id.wrapping_add(1), id ^ 1 << 40]);
            for id in near.chain([0, 1, 12_345, 1 << 63, u64::MAX]) {
                assert_eq!(positions.of(id), ids.binary_search(&id).ok(), "{id} of {} ids", ids.len());
            }
        }
    }
}
