//! Synthetic rows that are identical on every machine.

use surefoot_glm::Batch;

/// Small generator of pseudo-random numbers (Lehmer's, modulo 2⁶⁴).
#[derive(Clone, Copy, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        Dice(seed | 1)
    }

    /// Returns the next number, uniform in \[0, 1).
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0xda94_2042_e4dd_58b5);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Builds rows that resemble hashed clicks or text: few features are frequent, ids are scattered, values lie in (0, 1).
#[must_use]
pub fn sparse_rows(rows: usize, pairs: usize, features: u64) -> Batch {
    let (mut dice, mut batch, mut row) = (Dice::new(7), Batch::default(), Vec::new());
    for _ in 0..rows {
        row.clear();
        for _ in 0..pairs {
            // The rank is log-uniform, as in Zipf's law; an odd multiplier scatters the ids.
            let rank = (features as f64).powf(dice.roll()) as u64;
            row.push((rank.wrapping_mul(0x9e37_79b1) % features, 0.1 + 0.9 * dice.roll()));
        }
        row.sort_by_key(|pair| pair.0);
        row.dedup_by_key(|pair| pair.0);
        batch.push(Some(f64::from(dice.roll() < 0.3)), 1.0, &row);
    }
    batch
}
