//! Growable array of numbers, in memory or, if too large, in a memory-mapped temporary file.

use bytemuck::Pod;
use memmap2::MmapMut;
use std::{
    fmt,
    fs::File,
    io,
    marker::PhantomData,
    ops::{Deref, DerefMut},
};

/// Growable array of numbers that can be moved from memory to a temporary file. Dereferences to a slice in either case.
pub(super) enum Storage<T> {
    Memory(Vec<T>),
    Mapped(Mapped<T>),
}

/// Array in an anonymous temporary file, which is deleted when its last handle is closed.
pub(super) struct Mapped<T> {
    file: File,
    /// Memory map of the whole file, whose length is the capacity of the array.
    map: MmapMut,
    len: usize,
    of: PhantomData<T>,
}

impl<T> Default for Storage<T> {
    fn default() -> Self {
        Storage::Memory(Vec::new())
    }
}

impl<T> fmt::Debug for Storage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Storage::Memory(numbers) => write!(f, "{} numbers in memory", numbers.len()),
            Storage::Mapped(mapped) => write!(f, "{} numbers in a file", mapped.len),
        }
    }
}

impl<T: Pod> Deref for Storage<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        match self {
            Storage::Memory(numbers) => numbers,
            Storage::Mapped(mapped) => &bytemuck::cast_slice(&mapped.map)[..mapped.len],
        }
    }
}

impl<T: Pod> DerefMut for Storage<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Storage::Memory(numbers) => numbers,
            Storage::Mapped(mapped) => &mut bytemuck::cast_slice_mut(&mut mapped.map)[..mapped.len],
        }
    }
}

impl<T: Pod> Storage<T> {
    /// Creates an array of `len` zeros, in memory or in a temporary file.
    pub(super) fn zeros(len: usize, in_memory: bool) -> io::Result<Storage<T>> {
        if in_memory {
            let mut numbers = Vec::new();
            numbers.try_reserve_exact(len)?;
            numbers.resize(len, T::zeroed());
            return Ok(Storage::Memory(numbers));
        }
        let mut mapped = Mapped::new(len)?;
        mapped.len = len;
        Ok(Storage::Mapped(mapped))
    }

    /// Reserves space for `more` further numbers, and with it for many more than these, but in memory for no more than
    /// `room` numbers in all.
    pub(super) fn reserve(&mut self, more: usize, room: usize) -> io::Result<()> {
        match self {
            Storage::Memory(numbers) if numbers.len() + more > numbers.capacity() => {
                let wanted = (numbers.len() + more).max((2 * numbers.capacity()).min(room));
                Ok(numbers.try_reserve_exact(wanted - numbers.len())?)
            }
            Storage::Memory(_) => Ok(()),
            Storage::Mapped(mapped) => mapped.reserve(more),
        }
    }

    /// Appends numbers, for which space must have been reserved.
    pub(super) fn extend(&mut self, numbers: &[T]) {
        match self {
            Storage::Memory(all) => all.extend_from_slice(numbers),
            Storage::Mapped(mapped) => {
                let (from, to) = (mapped.len, mapped.len + numbers.len());
                bytemuck::cast_slice_mut(&mut mapped.map)[from..to].copy_from_slice(numbers);
                mapped.len = to;
            }
        }
    }

    /// Moves the array from memory into a temporary file; does nothing if it is already there.
    pub(super) fn spill(&mut self) -> io::Result<()> {
        if let Storage::Memory(numbers) = self {
            let mut mapped = Storage::Mapped(Mapped::new(numbers.len())?);
            mapped.extend(numbers);
            *self = mapped;
        }
        Ok(())
    }

    /// Returns the number of bytes that the array occupies in memory, reserved ones included; 0 in a file.
    pub(super) fn in_memory(&self) -> usize {
        match self {
            Storage::Memory(numbers) => numbers.capacity() * size_of::<T>(),
            Storage::Mapped(_) => 0,
        }
    }
}

impl<T: Pod> Mapped<T> {
    /// Creates an empty array in a new temporary file, with capacity for `room` numbers; the file is filled with zeros.
    fn new(room: usize) -> io::Result<Mapped<T>> {
        let file = tempfile::tempfile()?;
        let map = map(&file, room.max(1) * size_of::<T>())?;
        Ok(Mapped { file, map, len: 0, of: PhantomData })
    }

    fn reserve(&mut self, more: usize) -> io::Result<()> {
        let wanted = (self.len + more) * size_of::<T>();
        if wanted > self.map.len() {
            // The old mapping stays until the new one is there.
            self.map = map(&self.file, wanted.max(2 * self.map.len()))?;
        }
        Ok(())
    }
}

/// Extends the file to this many bytes and maps it into memory.
fn map(file: &File, bytes: usize) -> io::Result<MmapMut> {
    rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes as u64)?;
    // SAFETY: the file has no name and no other handle, so nobody changes or truncates what is mapped. Its blocks are
    // allocated, so that a full disk is an error here and not a signal at the first write.
    unsafe { MmapMut::map_mut(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_the_same_in_memory_and_in_a_file() {
        let mut plain: Vec<u32> = Vec::new();
        let (mut memory, mut file, mut moved): (Storage<u32>, Storage<u32>, Storage<u32>) =
            (Storage::default(), Storage::zeros(0, false).unwrap(), Storage::default());
        for k in 0..500_u32 {
            let more: Vec<u32> = (0..k % 7 * 40).map(|i| k * 1000 + i).collect();
            plain.extend(&more);
            for store in [&mut memory, &mut file, &mut moved] {
                store.reserve(more.len(), usize::MAX).unwrap();
                store.extend(&more);
            }
            if k == 250 {
                moved.spill().unwrap();
                moved.spill().unwrap();
            }
        }
        assert!([&memory, &file, &moved].iter().all(|store| ***store == *plain));
        assert!(memory.in_memory() >= 4 * plain.len());
        assert_eq!([&file, &moved].map(Storage::in_memory), [0, 0]);
        moved[3] += 1;
        assert_eq!(moved[3], plain[3] + 1);
    }

    #[test]
    fn zeros_are_zero_and_too_large_an_array_is_an_error() {
        for in_memory in [true, false] {
            let zeros = Storage::<f64>::zeros(100_000, in_memory).unwrap();
            assert!(zeros.len() == 100_000 && zeros.iter().all(|x| *x == 0.0));
            assert!(Storage::<f64>::zeros(0, in_memory).unwrap().is_empty());
        }
        assert!(Storage::<f64>::zeros(usize::MAX / 16, true).is_err());
        assert!(Storage::<f64>::zeros(1 << 55, false).is_err());
    }
}
