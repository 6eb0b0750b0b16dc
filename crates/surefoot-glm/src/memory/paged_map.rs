//! Map from 32-bit ids to values, whose memory is allocated page by page on first use.
//!
//! Ids are array indices, so a single feature numbered 4·10⁹ must not cost memory for 4·10⁹ values. It costs one page,
//! and eight bytes in the directory for each page below it, which the operating system commits only when they are
//! written.
//!
//! Values never move, so each nonzero of a row is looked up once and its value then accessed three times by address.
//! This is the reason for the unsafe code in this file: it saves a third of the instructions of a step, compared with
//! checked indices.

#[cfg(target_arch = "x86_64")]
use crate::simd::f32x16::avx512;
use crate::simd::prefetch::prefetch;
use bytemuck::Zeroable;
use memmap2::{MmapMut, MmapRaw};
use std::{ptr::NonNull, sync::OnceLock};

/// Number of values in a page.
const PAGE: usize = 256;
/// Number of pages in a slab, the unit in which memory is mapped. A slab for coordinates has 4 MiB, which the
/// operating system commits when they are written.
const SLAB: usize = 256;

/// Number of 64-bit words in a cache line.
pub(crate) const LINE: usize = 8;
/// Number of nonzeros by which prefetching runs ahead in a batch. Batches are prefetched because another thread has
/// written them.
pub(crate) const AHEAD: usize = 256;

/// Ids in a [`PagedMap`] are below this limit.
pub(crate) const ID_LIMIT: u64 = 1 << 32;

/// Callbacks that count the bytes of mapped pages, which an allocator does not see; set by [`count_page_memory`].
static COUNTER: OnceLock<MemoryCounter> = OnceLock::new();

/// Callbacks that are told how many bytes of memory pages are allocated and freed.
#[derive(Debug)]
struct MemoryCounter {
    /// Callback after an allocation, with the number of bytes allocated.
    take: fn(usize),
    /// Callback after memory is freed, with the number of bytes freed.
    give: fn(usize),
}

/// Registers callbacks that count the memory of all pages of all maps: `take` is called when pages are allocated,
/// `give` when they are freed. Pages are memory-mapped, so an allocator does not see them. Only the first call in a
/// process has an effect.
pub fn count_page_memory(take: fn(usize), give: fn(usize)) {
    let _ = COUNTER.set(MemoryCounter { take, give });
}

/// Map from ids below 2³² to values, stored in pages of 256 values, which never move.
#[derive(Debug)]
pub(crate) struct PagedMap<T> {
    /// Address of each page, indexed by the high bits of ids; `None` for pages that are not allocated.
    directory: Vec<Option<NonNull<T>>>,
    /// Memory mappings of `SLAB * PAGE` values each, in which pages lie. Values are accessed by address only; memory
    /// is unmapped only when the map is dropped.
    slabs: Vec<MmapRaw>,
    /// Number of allocated pages.
    pages: usize,
}

/// Address of a value in a [`PagedMap`].
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct Slot<T>(NonNull<T>);

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slot<T> {}

impl<T> Slot<T> {
    /// Returns a slot with the address of a value that is not in a map; valid as long as that value is.
    pub(crate) fn at(place: NonNull<T>) -> Slot<T> {
        Slot(place)
    }

    /// Returns the slot of `id`, given the address of its page.
    #[inline(always)]
    fn within(page: NonNull<T>, id: u64) -> Slot<T> {
        // SAFETY: `page` is the start of PAGE values of a slab: it was made by `PagedMap::add`.
        Slot(unsafe { page.add(id as usize % PAGE) })
    }

    /// Returns a reference to the value at the slot's address.
    ///
    /// # Safety
    /// The caller must ensure that, for as long as the reference lives, the map that gave the slot (or the value from
    /// which the slot was made) is alive, and that the value is not borrowed exclusively elsewhere.
    #[inline(always)]
    pub(crate) unsafe fn value<'a>(self) -> &'a T {
        // SAFETY: the caller ensures that the map is alive. A slot of a map lies in one of its slabs, whose values
        // are zeroed or written.
        unsafe { self.0.as_ref() }
    }

    /// Returns a mutable reference to the value at the slot's address.
    ///
    /// # Safety
    /// The caller must ensure that, for as long as the reference lives, the map that gave the slot is alive and
    /// borrowed exclusively by the caller, and that no other reference to this value is in use.
    #[inline(always)]
    pub(crate) unsafe fn value_mut<'a>(mut self) -> &'a mut T {
        // SAFETY: as in `value`.
        unsafe { self.0.as_mut() }
    }

    /// Returns the slot's address as a pointer.
    pub(crate) fn as_ptr(self) -> *mut T {
        self.0.as_ptr()
    }

    /// Prefetches the value at the slot's address.
    #[inline(always)]
    pub(crate) fn prefetch(self) {
        prefetch(self.0.as_ptr());
    }
}

// SAFETY: the slabs belong to the map as the memory of a vector does, and are accessed through `&self` or `&mut self`
// only.
unsafe impl<T: Send> Send for PagedMap<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for PagedMap<T> {}
// SAFETY: a slot is an address; it becomes a reference only in `value` and `value_mut`, whose caller has the map.
unsafe impl<T: Send> Send for Slot<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Slot<T> {}

impl<T> Drop for PagedMap<T> {
    fn drop(&mut self) {
        if let Some(counter) = COUNTER.get() {
            (counter.give)(self.pages * PAGE * size_of::<T>());
        }
    }
}

impl<T> Default for PagedMap<T> {
    fn default() -> Self {
        PagedMap { directory: Vec::new(), slabs: Vec::new(), pages: 0 }
    }
}

impl<T: Copy + Zeroable> PagedMap<T> {
    /// Returns the slot of `id`; `None` if the page of `id` is not allocated.
    #[inline]
    pub(crate) fn find(&self, id: u64) -> Option<Slot<T>> {
        Some(Slot::within((*self.directory.get(id as usize / PAGE)?)?, id))
    }

    /// Looks up the slots of `ids` in order, and stops at the first id whose page is not allocated; returns the number
    /// of slots found.
    #[inline]
    pub(crate) fn find_all(&self, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        #[cfg(target_arch = "x86_64")]
        if avx512::is_supported() {
            // SAFETY: the processor supports AVX-512.
            return unsafe { self.find_eights(ids, slots) };
        }
        (0..ids.len()).step_by(LINE).for_each(|k| prefetch(ids.as_ptr().wrapping_add(AHEAD + k)));
        self.find_some(ids, slots)
    }

    /// Portable implementation of [`find_all`](PagedMap::find_all), which looks up one id at a time.
    #[inline]
    fn find_some(&self, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        let mut found = 0;
        for (&id, slot) in ids.iter().zip(slots) {
            let Some(there) = self.find(id) else { break };
            *slot = there;
            found += 1;
        }
        found
    }

    /// Implementation of [`find_all`](PagedMap::find_all) for AVX-512, which looks up eight ids at a time.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn find_eights(&self, ids: &[u64], slots: &mut [Slot<T>]) -> usize {
        assert_eq!(ids.len(), slots.len(), "a slot for each id");
        let (eights, last) = ids.as_chunks::<LINE>();
        let (rooms, room) = slots.as_chunks_mut::<LINE>();
        for (k, (ids, slots)) in eights.iter().zip(rooms).enumerate() {
            prefetch(ids.as_ptr().wrapping_add(AHEAD));
            let (there, found) = self.find_eight(ids);
            if found != 0xff {
                return LINE * k + self.find_some(ids, slots);
            }
            // SAFETY: eight addresses are stored in eight slots, at any alignment; none of them is 0. The addresses
            // are computed from those of pages, as in `Slot::within`, but by an instruction that does not know
            // pointers: of their origin, the compiler sees only the stores to the directory, as it would if each
            // address were read from there.
            unsafe { std::arch::x86_64::_mm512_storeu_si512(slots.as_mut_ptr().cast(), there) };
        }
        ids.len() - last.len() + self.find_some(last, room)
    }

    /// Returns the addresses of the values of eight ids, and a bit mask of the ids whose pages are allocated.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn find_eight(&self, ids: &[u64; LINE]) -> (std::arch::x86_64::__m512i, u8) {
        use std::arch::x86_64::*;
        const { assert!(PAGE.is_power_of_two() && size_of::<T>().is_power_of_two()) };
        // SAFETY: eight ids are loaded, at any alignment. Only entries below the directory's length are read from the
        // directory; an entry is an address or 0. An allocated page has PAGE values, so the computed address is that
        // of a value.
        unsafe {
            let ids = _mm512_loadu_si512(ids.as_ptr().cast());
            let high = _mm512_srl_epi64(ids, _mm_cvtsi32_si128(PAGE.ilog2() as i32));
            let below = _mm512_cmplt_epu64_mask(high, _mm512_set1_epi64(self.directory.len() as i64));
            let none = _mm512_setzero_si512();
            let page = _mm512_mask_i64gather_epi64::<8>(none, below, high, self.directory.as_ptr().cast());
            let low = _mm512_and_si512(ids, _mm512_set1_epi64(PAGE as i64 - 1));
            let within = _mm512_sll_epi64(low, _mm_cvtsi32_si128(size_of::<T>().ilog2() as i32));
            (_mm512_add_epi64(page, within), _mm512_test_epi64_mask(page, page))
        }
    }

    /// Returns the slot of `id`, and allocates the page of `id` if needed; `None` if memory runs out.
    #[inline]
    pub(crate) fn find_or_insert(&mut self, id: u64) -> Option<Slot<T>> {
        self.find(id).or_else(|| self.add(id))
    }

    #[cold]
    fn add(&mut self, id: u64) -> Option<Slot<T>> {
        let high = id as usize / PAGE;
        if self.directory.len() <= high {
            // The directory is a fresh zeroed vector, because `resize` would write to unused parts, which then cost
            // memory.
            let mut directory = bytemuck::try_zeroed_vec((high + 1).next_power_of_two()).ok()?;
            directory[..self.directory.len()].copy_from_slice(&self.directory);
            self.directory = directory;
        }
        if self.pages == self.slabs.len() * SLAB {
            // The first slab has no huge pages, because there may be one map per class, each with few features.
            self.slabs.push(slab(SLAB * PAGE * size_of::<T>(), !self.slabs.is_empty())?);
        }
        let page = start::<T>(&self.slabs[self.pages / SLAB]);
        // SAFETY: a slab has SLAB pages of PAGE values, so the page begins within it.
        let page = unsafe { page.add(self.pages % SLAB * PAGE) };
        self.pages += 1;
        if let Some(counter) = COUNTER.get() {
            (counter.take)(PAGE * size_of::<T>());
        }
        self.directory[high] = Some(page);
        Some(Slot::within(page, id))
    }

    /// Returns the value of `id`; `None` if the page of `id` is not allocated.
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        // SAFETY: the slot was found just now, and the map stays borrowed.
        self.find(id).map(|slot| unsafe { slot.value() })
    }

    /// Removes all pages from that of `id` on, where `id` is the first id of a page. Their memory is freed only with
    /// the map.
    #[cold]
    pub(crate) fn forget_from(&mut self, id: u64) {
        self.directory.truncate(id as usize / PAGE);
    }

    /// Returns the number of allocated pages of the map.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.pages
    }

    /// Returns all ids whose pages are allocated, with their values, by ascending id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let present = self.directory.iter().enumerate().filter_map(|(high, page)| Some((high, (*page)?)));
        present.flat_map(move |(high, page)| {
            let ids = (0..PAGE as u64).map(move |low| high as u64 * PAGE as u64 + low);
            // SAFETY: the page comes from the directory of this map, as in `find`.
            ids.map(move |id| (id, unsafe { Slot::within(page, id).value() }))
        })
    }

    /// Applies `change` to all values in allocated pages, in unspecified order.
    pub(crate) fn each(&mut self, mut change: impl FnMut(&mut T)) {
        let mut left = self.pages * PAGE;
        for slab in &self.slabs {
            let mut values = NonNull::slice_from_raw_parts(start::<T>(slab), left.min(SLAB * PAGE));
            left -= values.len();
            // SAFETY: the slab has that number of values, and the map is borrowed exclusively.
            unsafe { values.as_mut() }.iter_mut().for_each(&mut change);
        }
    }
}

/// Maps `bytes` bytes of zeroed memory; `large` requests huge pages of 2 MiB, which the operating system may refuse.
/// Returns `None` if memory runs out.
///
/// Coordinates are accessed in random order. With pages of 4 KiB nearly every access to a large model misses the TLB,
/// and page walks take more time than the coordinates themselves.
fn slab(bytes: usize, large: bool) -> Option<MmapRaw> {
    let slab = MmapMut::map_anon(bytes).ok()?;
    #[cfg(target_os = "linux")]
    if large {
        let _ = slab.advise(memmap2::Advice::HugePage);
    }
    Some(slab.into())
}

/// Returns the address of the first value of a slab. No reference to the slab is created, because other pointers to its
/// values are in use.
fn start<T: Zeroable>(slab: &MmapRaw) -> NonNull<T> {
    // Mappings are aligned to system pages.
    const { assert!(align_of::<T>() <= 4096) };
    NonNull::new(slab.as_mut_ptr().cast()).expect("mappings are not at 0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_where_they_are() {
        let mut pages = PagedMap::<u64>::default();
        let ids: Vec<u64> = (0..2000).map(|i| (i * 7_919_113) % (1 << 30)).chain([0, ID_LIMIT - 1]).collect();
        let slots: Vec<_> = ids.iter().map(|&id| pages.find_or_insert(id).unwrap()).collect();
        for (&id, &slot) in ids.iter().zip(&slots) {
            // SAFETY: found above.
            *unsafe { slot.value_mut() } = id + 1;
        }
        for (&id, &slot) in ids.iter().zip(&slots) {
            // SAFETY: found above.
            assert_eq!((pages.get(id), *unsafe { slot.value() }), (Some(&(id + 1)), id + 1));
        }
        pages.each(|value| *value *= u64::from(*value > 1));
        let mut left: Vec<u64> = pages.iter().filter(|(_, value)| **value > 0).map(|(id, _)| id).collect();
        let mut expected: Vec<u64> = ids.into_iter().filter(|&id| id > 0).collect();
        left.sort_unstable();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(left, expected);
        assert!(pages.get(1 << 31).is_none());
    }

    #[test]
    fn many_are_found_as_one_by_one_up_to_the_first_that_is_not_there() {
        let mut pages = PagedMap::<u64>::default();
        (0..40).for_each(|page| _ = pages.find_or_insert(page * 7 * PAGE as u64));
        for count in 0..40 {
            for absent in (0..count).map(Some).chain([None]) {
                let id = |k: u64| k * 7 * PAGE as u64 + k * 13 % PAGE as u64;
                let mut ids: Vec<u64> = (0..count).map(id).collect();
                for far in [PAGE as u64, 1 << 20, ID_LIMIT - 1, ID_LIMIT, u64::MAX] {
                    absent.iter().for_each(|&k| ids[k as usize] = far);
                    let (mut found, mut plain) = (0, 0);
                    let [many, one] = [true, false].map(|many| {
                        let mut slots = vec![Slot::at(NonNull::dangling()); ids.len()];
                        match many {
                            true => found = pages.find_all(&ids, &mut slots),
                            false => plain = pages.find_some(&ids, &mut slots),
                        }
                        slots.into_iter().map(Slot::as_ptr).collect::<Vec<_>>()
                    });
                    assert_eq!((found, &many[..found]), (plain, &one[..plain]), "{count} {absent:?} {far}");
                    assert_eq!(found as u64, absent.unwrap_or(count));
                }
            }
        }
    }
}
