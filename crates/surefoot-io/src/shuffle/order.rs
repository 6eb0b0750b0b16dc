//! The order of rows in a pass.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The order in which a pass takes rows: by ascending [key](Order::key), rows of equal keys by number.
///
/// It is a function of the three numbers alone: neither memory, threads, the format nor the size of the data have a
/// part in it. Orders of different seeds or passes are unrelated.
///
/// ```
/// use surefoot_io::Order;
/// let order = Order { seed: 0, pass: 1 };
/// let mut rows: Vec<u64> = (0..6).collect();
/// rows.sort_by_key(|&row| (order.key(row), row));
/// assert_eq!(rows, [4, 1, 5, 3, 2, 0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Chosen by the user.
    pub seed: u64,
    /// The pass, from 1.
    pub pass: u32,
}

impl Order {
    /// The key of the row of this number, from 0: XXH3-64, seeded with the seed, of the pass and the number as 64-bit
    /// integers, least significant byte first.
    #[must_use]
    pub fn key(self, row: u64) -> u64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&u64::from(self.pass).to_le_bytes());
        bytes[8..].copy_from_slice(&row.to_le_bytes());
        xxh3_64_with_seed(&bytes, self.seed)
    }
}
