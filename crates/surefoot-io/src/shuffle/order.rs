//! Shuffled order of the rows in each pass over the data.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Order of the rows in one pass over the data: by ascending [key](ShuffleOrder::key), and by row number among equal keys.
///
/// The order depends only on seed, pass and row number, not on memory, threads, format or size of the data. Orders of different seeds or
/// passes are unrelated.
///
/// ```
/// use surefoot_io::ShuffleOrder;
/// let order = ShuffleOrder { seed: 0, pass: 1 };
/// let mut rows: Vec<u64> = (0..6).collect();
/// rows.sort_by_key(|&row| (order.key(row), row));
/// assert_eq!(rows, [5, 4, 0, 3, 2, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffleOrder {
    /// Seed chosen by the user.
    pub seed: u64,
    /// Number of the pass over the data, from 1.
    pub pass: u32,
}

impl ShuffleOrder {
    /// Returns the sort key of row number `row`, from 0: the XXH3-64 hash of the number, seeded with the XXH3-64 hash of seed and pass.
    /// All numbers are hashed as 64-bit integers, least significant byte first.
    ///
    /// The hash has two steps because a single hash with the user's seed gave correlated orders for neighbouring seeds.
    #[must_use]
    pub fn key(self, row: u64) -> u64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        bytes[8..].copy_from_slice(&u64::from(self.pass).to_le_bytes());
        xxh3_64_with_seed(&row.to_le_bytes(), xxh3_64(&bytes))
    }
}
