//! Map from 64-bit feature ids to values, which can be accessed by address (slot).
//!
//! Ids below a limit index memory pages directly (see [`pages`](crate::memory::paged_map)), which is fastest, and
//! suits feature numbers in files and hashes of few bits. Larger ids (hashes of names, ids of a database) may be
//! scattered over the whole range: they are numbered by first occurrence, and the numbers index other pages. The limit
//! grows with the number of features, so memory is proportional to it whatever the ids are; pages of scattered ids
//! would be mostly empty.

use super::{
    id_table::IdTable,
    paged_map::{ID_LIMIT, PagedMap, Slot},
};
use bytemuck::Zeroable;

/// Map from 64-bit feature ids to values of type `T`; slots are addresses of values.
#[derive(Debug)]
pub(crate) struct FeatureMap<T> {
    /// Values of ids below `limit`, in pages indexed by the ids themselves.
    raw: PagedMap<T>,
    /// Limit below which ids index pages directly, a power of two.
    limit: u64,
    /// Lower bound on the number of features in the map, which determines `limit`: one per page of `raw`, plus one per
    /// id that was ever put into `numbers`.
    known: u64,
    /// Table that numbers the ids at or above `limit` as 0, 1, 2, …, in the order of their first occurrence.
    numbers: IdTable,
    /// Values of the ids at or above `limit`, indexed by the numbers in `numbers`.
    numbered: PagedMap<T>,
}

/// Minimum of the limit below which ids index pages directly.
const LEAST_LIMIT: u64 = 1 << 12;
/// Largest ratio of the limit to the number of features (before rounding up to a power of two), so that at least about
/// one in eight ids below the limit has a feature.
const SPARSEST: u64 = 8;

/// Returns the limit below which ids index pages directly: a power of two, in proportion to the number `known` of
/// features in the map.
fn limit(known: u64) -> u64 {
    known.saturating_mul(SPARSEST).clamp(LEAST_LIMIT, ID_LIMIT).next_power_of_two()
}

impl<T> Default for FeatureMap<T> {
    fn default() -> Self {
        FeatureMap::for_at_least(0)
    }
}

impl<T> FeatureMap<T> {
    /// Returns an empty map that is prepared for `count` or more features: the limit below which ids index pages
    /// directly is chosen for this number.
    pub(crate) fn for_at_least(count: usize) -> FeatureMap<T> {
        let known = count as u64;
        let (raw, numbers, numbered) = (PagedMap::default(), IdTable::default(), PagedMap::default());
        FeatureMap { raw, limit: limit(known), known, numbers, numbered }
    }
}

impl<T: Copy + Zeroable> FeatureMap<T> {
    /// Returns the slot (address of the value) of `id`, with a zeroed value if `id` is new; `None` if memory runs out.
    #[inline]
    pub(crate) fn find_or_insert(&mut self, id: u64) -> Option<Slot<T>> {
        if id >= self.limit {
            return self.find_or_insert_numbered(id);
        }
        self.raw.find(id).or_else(|| {
            self.known += 1;
            self.raw.find_or_insert(id)
        })
    }

    /// Raises the limit below which ids index pages directly, if the map now has enough features for a higher one. This
    /// moves values, so all slots (addresses of values) become invalid.
    #[inline]
    pub(crate) fn raise_limit_if_due(&mut self) {
        if limit(self.known) > self.limit {
            self.raise_limit();
        }
    }

    /// Raises the limit below which ids index pages directly, and moves the values concerned; if memory runs out, the
    /// map stays unchanged.
    #[cold]
    fn raise_limit(&mut self) {
        let limit = limit(self.known);
        let (mut moving, mut staying): (Vec<_>, Vec<_>) = self.numbers.iter().partition(|(id, _)| *id < limit);
        if !moving.is_empty() {
            moving.sort_unstable();
            // Values that stay are inserted in the order of their numbers.
            staying.sort_unstable_by_key(|&(_, number)| number);
            let (mut numbers, mut numbered) = (IdTable::default(), PagedMap::default());
            let moved = moving.iter().try_for_each(|&(id, number)| {
                let value = self.numbered.get(number.into())?;
                self.raw.find_or_insert(id).map(|slot| {
                    // SAFETY: the slot was found just now, in pages that stay borrowed exclusively; the value lies in
                    // other pages.
                    *unsafe { slot.value_mut() } = *value;
                })
            });
            let stayed = staying.iter().try_for_each(|&(id, number)| {
                let value = self.numbered.get(number.into())?;
                let slot = numbered.find_or_insert(numbers.add(id)?.into())?;
                // SAFETY: the slot was found just now, in pages that stay borrowed exclusively; the value lies in
                // other pages.
                *unsafe { slot.value_mut() } = *value;
                Some(())
            });
            if moved.and(stayed).is_none() {
                self.raw.forget_from(self.limit);
                return;
            }
            (self.numbers, self.numbered) = (numbers, numbered);
        }
        self.limit = limit;
    }

    /// Prefetches the hash-table entries of the given ids; does nothing as long as all ids index pages directly.
    #[inline]
    pub(crate) fn prefetch(&self, ids: &[u64]) {
        if self.numbers.len() > 0 {
            ids.iter().for_each(|&id| self.numbers.prefetch(id));
        }
    }

    /// Looks up the slots of `ids` in order, and stops at the first id that has none; returns the number of slots
    /// found.
    #[inline]
    pub(crate) fn find(&self, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        let found = self.raw.find_all(ids, slots);
        if ids.get(found).is_some_and(|&id| id >= self.limit) { self.find_some(found, ids, slots) } else { found }
    }

    /// Continues [`find`](FeatureMap::find) from position `found` in `ids`, looking up one id at a time.
    #[inline(never)]
    fn find_some(&self, mut found: usize, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        for (&id, slot) in ids.iter().zip(slots).skip(found) {
            let there = if id < self.limit { self.raw.find(id) } else { self.find_numbered(id) };
            let Some(there) = there else { break };
            *slot = there;
            found += 1;
        }
        found
    }

    #[inline]
    fn find_numbered(&self, id: u64) -> Option<Slot<T>> {
        self.numbered.find(self.numbers.get(id)?.into())
    }

    #[inline(never)]
    fn find_or_insert_numbered(&mut self, id: u64) -> Option<Slot<T>> {
        match self.numbers.get(id) {
            Some(number) => self.numbered.find_or_insert(number.into()),
            None => {
                // The slot is allocated first, because a number without a slot could never get one.
                let next = self.numbers.len() as u64;
                let slot = self.numbered.find_or_insert(next).filter(|_| self.numbers.add(id).is_some())?;
                self.known += 1;
                Some(slot)
            }
        }
    }

    /// Returns the value of `id`; `None` if the map has no slot for it.
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        if id < self.limit { self.raw.get(id) } else { self.numbered.get(self.numbers.get(id)?.into()) }
    }

    /// Returns a mutable reference to the value of `id`, which is zeroed if `id` is new; `None` if memory runs out.
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        self.raise_limit_if_due();
        // SAFETY: the slot was found just now, and the map stays borrowed exclusively.
        self.find_or_insert(id).map(|slot| unsafe { slot.value_mut() })
    }

    /// Prefetches the value of `id`, if the map has one.
    #[inline]
    pub(crate) fn prefetch_value(&self, id: u64) {
        if let Some(slot) = if id < self.limit { self.raw.find(id) } else { self.find_numbered(id) } {
            slot.prefetch();
        }
    }

    /// Applies `change` to the values of different ids, each with its datum; values of new ids are zeroed before. Values are
    /// prefetched some ids ahead, since those of scattered ids are not in the cache. Returns `None` if memory runs out, after
    /// part of the changes.
    pub(crate) fn change_each<D>(
        &mut self,
        data: impl Iterator<Item = (u64, D)>,
        mut change: impl FnMut(&mut T, D),
    ) -> Option<()> {
        /// Number of values that are prefetched while others are changed.
        const MANY: usize = 16;
        self.raise_limit_if_due();
        let mut waiting = std::collections::VecDeque::with_capacity(MANY);
        for (id, datum) in data {
            if waiting.len() == MANY {
                let (slot, datum): (Slot<T>, D) = waiting.pop_front()?;
                // SAFETY: the slot was found by this call, in pages that stay borrowed exclusively and do not move.
                change(unsafe { slot.value_mut() }, datum);
            }
            let slot = self.find_or_insert(id)?;
            slot.prefetch();
            waiting.push_back((slot, datum));
        }
        for (slot, datum) in waiting {
            // SAFETY: as above.
            change(unsafe { slot.value_mut() }, datum);
        }
        Some(())
    }

    /// Returns ids and values by ascending id. Ids without a feature are included if they share a page with an id that
    /// has one; their values are zeroed.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let mut numbers: Vec<_> = self.numbers.iter().collect();
        numbers.sort_unstable();
        let numbered = numbers.into_iter().filter_map(|(id, number)| Some((id, self.numbered.get(number.into())?)));
        self.raw.iter().chain(numbered)
    }

    /// Applies `change` to all values of the map, in unspecified order.
    pub(crate) fn each(&mut self, mut change: impl FnMut(&mut T)) {
        self.raw.each(&mut change);
        self.numbered.each(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn small_and_large_ids_live_side_by_side() {
        let ids: Vec<u64> = (0..3000_u64)
            .map(|i| if i % 3 == 0 { i } else { i.wrapping_mul(0xd134_2543_de82_ef95) | 1 << 63 })
            .chain([ID_LIMIT - 1, ID_LIMIT, u64::MAX])
            .collect();
        let mut features = FeatureMap::<u64>::default();
        let slots: Vec<_> = ids.iter().map(|&id| features.find_or_insert(id).unwrap()).collect();
        for (&id, &slot) in ids.iter().zip(&slots) {
            // SAFETY: found above.
            *unsafe { slot.value_mut() } = id ^ 7;
        }
        for (&id, &slot) in ids.iter().zip(&slots) {
            // SAFETY: found above.
            assert_eq!((features.get(id), *unsafe { slot.value() }), (Some(&(id ^ 7)), id ^ 7));
        }
        assert_eq!(features.get(12_345_678_901_234), None);
        let mut expected: Vec<u64> = ids.iter().copied().filter(|id| id ^ 7 != 0).collect();
        expected.sort_unstable();
        let listed: Vec<u64> = features.iter().filter(|(_, value)| **value != 0).map(|(id, _)| id).collect();
        assert_eq!(listed, expected);
        let mut count = 0;
        features.each(|value| count += u64::from(*value != 0));
        assert_eq!(count, expected.len() as u64);
    }

    #[test]
    fn values_are_the_same_wherever_they_move() {
        // Dense, in no order; scattered below 2³² and above; all in turns.
        for way in 0..4 {
            let id = |n: u64| match (way, n % 3) {
                (0, _) | (3, 0) => n * 7919 % 100_003,
                (1, _) | (3, 1) => (n * 65_536) % (1 << 32) + n / 65_536,
                _ => n.wrapping_mul(0xd134_2543_de82_ef95),
            };
            let (mut features, mut twin) = (FeatureMap::<u64>::default(), BTreeMap::new());
            for n in 0..50_000 {
                *features.get_mut(id(n)).unwrap() += n + 1;
                *twin.entry(id(n)).or_insert(0) += n + 1;
                if n % 777 == 0 {
                    assert_eq!(features.get(id(n / 2)), twin.get(&id(n / 2)), "{way}, {n}");
                }
            }
            let listed: Vec<_> = features.iter().filter(|(_, value)| **value > 0).map(|(id, x)| (id, *x)).collect();
            assert_eq!(listed, twin.into_iter().collect::<Vec<_>>(), "{way}");
        }
    }

    #[test]
    fn each_value_is_changed_with_its_datum() {
        let (mut features, mut twin) = (FeatureMap::<u64>::default(), BTreeMap::new());
        for round in 1..40_u64 {
            let ids: Vec<u64> =
                (0..round * 7).map(|n| (n * n * round).wrapping_mul(0xd134_2543_de82_ef95) >> round).collect();
            let ids: std::collections::BTreeSet<u64> = ids.into_iter().collect();
            features.change_each(ids.iter().map(|&id| (id, id ^ round)), |value, datum| *value += datum).unwrap();
            ids.iter().for_each(|&id| *twin.entry(id).or_insert(0) += id ^ round);
            ids.iter().for_each(|&id| features.prefetch_value(id));
            assert!(twin.iter().all(|(&id, value)| features.get(id) == Some(value)), "{round}");
        }
    }

    #[test]
    fn memory_follows_features_whatever_their_ids() {
        for shift in 0..40 {
            let mut features = FeatureMap::<u64>::default();
            for n in 0..20_000_u64 {
                *features.get_mut(n << shift).unwrap() = 1;
            }
            let pages = features.raw.len() + features.numbered.len();
            assert!(pages * 256 <= 16 * 20_000, "{shift}: {pages} pages of 256");
            // Ids that lie side by side are found without a table.
            assert!(shift > 0 || features.numbers.len() * 100 <= 20_000, "{}", features.numbers.len());
        }
    }
}
