//! Memory that is allocated page by page when a coordinate is first touched.
//!
//! Ids are used raw, so one feature numbered 4·10⁹ must not cost 4·10⁹ coordinates: it costs one page, and four
//! bytes of directory for each page below it, which the system gives only when they are written.

use bytemuck::Zeroable;

/// Coordinates in a page.
const PAGE: usize = 256;
/// Pages in a slab, the unit in which memory is asked for: 8 MiB of coordinates, of which the system gives what is
/// written.
const SLAB: usize = 256;
/// Directory entry of a page that is not there.
const ABSENT: u32 = 0;

/// Ids must be below this.
pub(crate) const ID_LIMIT: u64 = 1 << 32;

/// A map from ids below 2³² to values, in pages. Values never move, so a slot found once stays good.
#[derive(Clone, Debug)]
pub(crate) struct Pages<T> {
    /// Page number + 1 by the high bits of the id; 0 where there is none.
    directory: Vec<u32>,
    slabs: Vec<Box<[T]>>,
    pages: usize,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages { directory: Vec::new(), slabs: Vec::new(), pages: 0 }
    }
}

impl<T: Copy + Zeroable> Pages<T> {
    /// The slot of `id`, if its page exists.
    #[inline]
    pub(crate) fn find(&self, id: u64) -> Option<u32> {
        let page = *self.directory.get(id as usize / PAGE)?;
        (page != ABSENT).then(|| slot(page, id))
    }

    /// The slot of `id`, whose page is made if it does not exist; `None` where there is no memory for it.
    #[inline]
    pub(crate) fn touch(&mut self, id: u64) -> Option<u32> {
        self.find(id).or_else(|| self.add(id))
    }

    #[cold]
    fn add(&mut self, id: u64) -> Option<u32> {
        let high = id as usize / PAGE;
        if self.directory.len() <= high {
            // A fresh zeroed vector, not `resize`, so that untouched parts cost no memory.
            let mut directory = bytemuck::try_zeroed_vec((high + 1).next_power_of_two()).ok()?;
            directory[..self.directory.len()].copy_from_slice(&self.directory);
            self.directory = directory;
        }
        if self.pages.is_multiple_of(SLAB) {
            self.slabs.push(bytemuck::try_zeroed_slice_box(SLAB * PAGE).ok()?);
        }
        self.pages += 1;
        self.directory[high] = self.pages as u32;
        Some(slot(self.directory[high], id))
    }

    /// The value in a slot that `find` or `touch` gave.
    #[inline(always)]
    pub(crate) fn at(&self, slot: u32) -> &T {
        &self.slabs[slot as usize / (SLAB * PAGE)][slot as usize % (SLAB * PAGE)]
    }

    /// The same, to be changed.
    #[inline(always)]
    pub(crate) fn at_mut(&mut self, slot: u32) -> &mut T {
        &mut self.slabs[slot as usize / (SLAB * PAGE)][slot as usize % (SLAB * PAGE)]
    }

    /// All ids of existing pages in ascending order with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let present = self.directory.iter().enumerate().filter(|&(_, &page)| page != ABSENT);
        present.flat_map(move |(high, &page)| {
            (0..PAGE as u64).map(move |low| (high as u64 * PAGE as u64 + low, self.at(slot(page, low))))
        })
    }

    /// All values, in no order that matters.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slabs.iter_mut().flat_map(|slab| slab.iter_mut()).take(self.pages * PAGE)
    }
}

/// The slot of `id` in the page of this directory entry.
#[inline(always)]
fn slot(page: u32, id: u64) -> u32 {
    (page - 1) * PAGE as u32 + (id as usize % PAGE) as u32
}
