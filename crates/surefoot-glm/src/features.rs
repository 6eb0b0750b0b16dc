//! A map from feature ids of 64 bits to values that never move.
//!
//! Ids below 2³² are used raw, by page (see [`pages`](crate::pages)): indices of files, and hashes cut to `--bits`. Larger ones are
//! hashes of names, scattered over the whole range: they are numbered as they come, and the numbers are the ids of
//! pages of their own.

use crate::{
    pages::{ID_LIMIT, Pages, Slot},
    table::Table,
};
use bytemuck::Zeroable;

/// Values by feature id.
#[derive(Debug)]
pub(crate) struct Features<T> {
    raw: Pages<T>,
    numbers: Table,
    numbered: Pages<T>,
}

impl<T> Default for Features<T> {
    fn default() -> Self {
        Features { raw: Pages::default(), numbers: Table::default(), numbered: Pages::default() }
    }
}

impl<T: Copy + Zeroable> Features<T> {
    /// Where `id` is; a place is made if there is none. `None` where there is no memory for it.
    #[inline]
    pub(crate) fn touch(&mut self, id: u64) -> Option<Slot<T>> {
        if id < ID_LIMIT { self.raw.touch(id) } else { self.touch_numbered(id) }
    }

    /// Brings near what is needed to find these ids, where that takes a while.
    #[inline]
    pub(crate) fn fetch(&self, ids: &[u64]) {
        if self.numbers.len() > 0 {
            ids.iter().for_each(|&id| self.numbers.fetch(id));
        }
    }

    /// Where these ids are, up to the first without a place; how many were found.
    #[inline]
    pub(crate) fn find(&self, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        let found = self.raw.find_all(ids, slots);
        if ids.get(found).is_some_and(|&id| id >= ID_LIMIT) { self.find_some(found, ids, slots) } else { found }
    }

    /// The same, the first `found` of which are known.
    #[inline(never)]
    fn find_some(&self, mut found: usize, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        for (&id, slot) in ids.iter().zip(slots).skip(found) {
            let there = if id < ID_LIMIT { self.raw.find(id) } else { self.find_numbered(id) };
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
    fn touch_numbered(&mut self, id: u64) -> Option<Slot<T>> {
        match self.numbers.get(id) {
            Some(number) => self.numbered.touch(number.into()),
            None => {
                // A number without a place would have none later either.
                let next = self.numbers.len() as u64;
                self.numbered.touch(next).filter(|_| self.numbers.add(id).is_some())
            }
        }
    }

    /// The value of `id`, if there is a place for it.
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        if id < ID_LIMIT { self.raw.get(id) } else { self.numbered.get(self.numbers.get(id)?.into()) }
    }

    /// The value of `id`, whose place is made if there is none; `None` where there is no memory for it.
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        // SAFETY: the slot was found just now, and the map stays borrowed exclusively.
        self.touch(id).map(|slot| unsafe { slot.value_mut() })
    }

    /// All ids that have a place, and others of their pages, in ascending order with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let mut numbers: Vec<_> = self.numbers.iter().collect();
        numbers.sort_unstable();
        let numbered = numbers.into_iter().filter_map(|(id, number)| Some((id, self.numbered.get(number.into())?)));
        self.raw.iter().chain(numbered)
    }

    /// Applies `change` to all values, in no order that matters.
    pub(crate) fn each(&mut self, mut change: impl FnMut(&mut T)) {
        self.raw.each(&mut change);
        self.numbered.each(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_ids_live_side_by_side() {
        let ids: Vec<u64> = (0..3000_u64)
            .map(|i| if i % 3 == 0 { i } else { i.wrapping_mul(0xd134_2543_de82_ef95) | 1 << 63 })
            .chain([ID_LIMIT - 1, ID_LIMIT, u64::MAX])
            .collect();
        let mut features = Features::<u64>::default();
        let slots: Vec<_> = ids.iter().map(|&id| features.touch(id).unwrap()).collect();
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
}
