//! The order of rows in a pass.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The order in which a pass takes rows: by ascending [key](ShuffleOrder::key), rows of equal keys by number.
///
/// It depends on seed, pass and row number alone, not on memory, threads, format or size of the data.
/// Orders of different seeds or passes are unrelated.
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
    /// Chosen by the user.
    pub seed: u64,
    /// The pass, from 1.
    pub pass: u32,
}

impl ShuffleOrder {
    /// The key of the row of this number, from 0: the XXH3-64 of the number, seeded with the XXH3-64 of seed and pass; all of
    /// them as 64-bit integers, least significant byte first.
    ///
    /// In two steps: with the user's seed as the seed of a single hash, neighbouring seeds gave correlated orders.
    #[must_use]
    pub fn key(self, row: u64) -> u64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.seed.to_le_bytes());
        bytes[8..].copy_from_slice(&u64::from(self.pass).to_le_bytes());
        xxh3_64_with_seed(&row.to_le_bytes(), xxh3_64(&bytes))
    }
}
