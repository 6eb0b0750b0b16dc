//! Memory that is allocated page by page when a coordinate is first touched.
//!
//! Ids are used raw, so one feature numbered 4·10⁹ must not cost 4·10⁹ coordinates: it costs one page and
//! four bytes of directory for each page below it, which the system gives only when they are written.

/// Coordinates in a page.
const PAGE: usize = 256;
/// Directory entry of a page that is not there.
const ABSENT: u32 = 0;

/// A map from ids below 2³² to values, in pages.
#[derive(Clone, Debug)]
pub(crate) struct Pages<T> {
    /// Page number + 1 by the high bits of the id; 0 where there is none.
    directory: Vec<u32>,
    pages: Vec<Box<[T]>>,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Pages { directory: Vec::new(), pages: Vec::new() }
    }
}

impl<T: Clone + Default> Pages<T> {
    /// The value of `id`, if its page exists.
    #[inline]
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        let page = *self.directory.get(id as usize / PAGE)?;
        if page == ABSENT { None } else { Some(&self.pages[page as usize - 1][id as usize % PAGE]) }
    }

    /// The value of `id`, whose page is made if it does not exist.
    #[inline]
    pub(crate) fn touch(&mut self, id: u64) -> &mut T {
        let high = id as usize / PAGE;
        if self.directory.get(high).is_none_or(|&page| page == ABSENT) {
            self.add(high);
        }
        &mut self.pages[self.directory[high] as usize - 1][id as usize % PAGE]
    }

    #[cold]
    fn add(&mut self, high: usize) {
        if self.directory.len() <= high {
            // A fresh zeroed vector, not `resize`, so that untouched parts cost no memory.
            let mut directory = vec![ABSENT; (high + 1).next_power_of_two()];
            directory[..self.directory.len()].copy_from_slice(&self.directory);
            self.directory = directory;
        }
        self.pages.push(vec![T::default(); PAGE].into_boxed_slice());
        self.directory[high] = self.pages.len() as u32;
    }

    /// All ids of existing pages in ascending order with their values.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.directory.iter().enumerate().filter(|&(_, &page)| page != ABSENT).flat_map(|(high, &page)| {
            self.pages[page as usize - 1].iter().enumerate().map(move |(low, v)| ((high * PAGE + low) as u64, v))
        })
    }
}
