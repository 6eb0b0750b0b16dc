//! Bytes of an object that were fetched and may be needed again.

use std::collections::VecDeque;
#[cfg(feature = "parquet")]
use std::ops::Range;

/// Maximum number of bytes kept.
pub(super) const MOST: u64 = 256 << 20;

/// Ranges of bytes, the latest last; the oldest go first if there are too many.
#[derive(Debug, Default)]
pub(super) struct Cache {
    ranges: VecDeque<(u64, Vec<u8>)>,
    size: u64,
}

impl Cache {
    /// Copies bytes from offset `at` on, as far as they are in one range; returns their number.
    pub(super) fn read(&self, to: &mut [u8], at: u64) -> usize {
        let within = |(start, bytes): &&(u64, Vec<u8>)| (*start..start + bytes.len() as u64).contains(&at);
        let Some((start, bytes)) = self.ranges.iter().rev().find(within) else { return 0 };
        let bytes = &bytes[(at - start) as usize..];
        let n = bytes.len().min(to.len());
        to[..n].copy_from_slice(&bytes[..n]);
        n
    }

    /// Adds the bytes from offset `start` on.
    pub(super) fn add(&mut self, start: u64, bytes: Vec<u8>) {
        self.size += bytes.len() as u64;
        self.ranges.push_back((start, bytes));
        while self.size > MOST && self.ranges.len() > 1 {
            let oldest = self.ranges.pop_front().map_or(0, |(_, bytes)| bytes.len());
            self.size -= oldest as u64;
        }
    }

    /// Forgets all bytes.
    #[cfg(feature = "parquet")]
    pub(super) fn clear(&mut self) {
        *self = Cache::default();
    }
}

/// Joins ranges that are less than `gap` bytes apart, since one request for both is faster than two.
#[cfg(feature = "parquet")]
pub(super) fn joined(ranges: &[Range<u64>], gap: u64) -> Vec<Range<u64>> {
    let mut sorted: Vec<_> = ranges.iter().filter(|range| range.start < range.end).cloned().collect();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(gap) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "parquet")]
    #[expect(clippy::single_range_in_vec_init, reason = "lists of ranges are meant")]
    fn close_ranges_are_joined() {
        assert_eq!(joined(&[10..20, 0..5, 22..30, 7..7], 2), [0..5, 10..30]);
        assert_eq!(joined(&[0..5, 1..3, 5..6], 0), [0..6]);
        assert!(joined(&[], 9).is_empty());
    }

    #[test]
    fn bytes_are_found_until_there_are_too_many() {
        let (mut cache, mut to) = (Cache::default(), [0; 4]);
        cache.add(10, vec![1, 2, 3]);
        assert_eq!((cache.read(&mut to, 11), &to[..2]), (2, &[2, 3][..]));
        assert_eq!((cache.read(&mut to, 13), cache.read(&mut to, 9)), (0, 0));
        cache.add(0, vec![7; MOST as usize]);
        assert_eq!(cache.read(&mut to, 11), 4);
        cache.add(5, vec![8]);
        assert_eq!((cache.read(&mut to, 5), cache.read(&mut to, 11)), (1, 0));
    }
}
