//! A map from feature ids of 64 bits to values that never move.
//!
//! Ids below 2³² are used raw, by page (see [`pages`](crate::pages)): indices of files, and hashes cut to `--bits`. Larger ones are
//! hashes of names, scattered over the whole range: they are numbered as they come, and the numbers are the ids of
//! pages of their own.

use crate::pages::{ID_LIMIT, Pages, Slot};
use bytemuck::Zeroable;
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// Values by feature id.
#[derive(Debug)]
pub(crate) struct Features<T> {
    raw: Pages<T>,
    numbers: HashMap<u64, u32, BuildHasherDefault<Mix>>,
    numbered: Pages<T>,
}

impl<T> Default for Features<T> {
    fn default() -> Self {
        Features { raw: Pages::default(), numbers: HashMap::default(), numbered: Pages::default() }
    }
}

impl<T: Copy + Zeroable> Features<T> {
    /// Where `id` is; a place is made if there is none. `None` where there is no memory for it.
    #[inline]
    pub(crate) fn touch(&mut self, id: u64) -> Option<Slot<T>> {
        if id < ID_LIMIT { self.raw.touch(id) } else { self.touch_numbered(id) }
    }

    /// Where these ids are, up to the first without a place, or that is numbered; how many were found.
    #[inline]
    pub(crate) fn find(&self, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        self.raw.find_all(ids, slots)
    }

    #[inline(never)]
    fn touch_numbered(&mut self, id: u64) -> Option<Slot<T>> {
        if let Some(&number) = self.numbers.get(&id) {
            return self.numbered.touch(number.into());
        }
        let number = u32::try_from(self.numbers.len()).ok()?;
        self.numbers.try_reserve(1).ok()?;
        let slot = self.numbered.touch(number.into())?;
        self.numbers.insert(id, number);
        Some(slot)
    }

    /// The value of `id`, if there is a place for it.
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        if id < ID_LIMIT { self.raw.get(id) } else { self.numbered.get((*self.numbers.get(&id)?).into()) }
    }

    /// The value of `id`, whose place is made if there is none; `None` where there is no memory for it.
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        // SAFETY: the slot was found just now, and the map stays borrowed exclusively.
        self.touch(id).map(|slot| unsafe { slot.value_mut() })
    }

    /// All ids that have a place, and others of their pages, in ascending order with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let mut numbers: Vec<_> = self.numbers.iter().map(|(&id, &number)| (id, number)).collect();
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

/// Spreads ids, hashes themselves, over the bits that a table looks at.
#[derive(Clone, Copy, Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, id: u64) {
        // The odd number nearest to 2⁶⁴/φ (Knuth's multiplicative hashing).
        let product = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
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
