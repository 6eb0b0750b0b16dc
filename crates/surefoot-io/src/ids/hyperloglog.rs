//! Estimator of the number of distinct feature ids (HyperLogLog), in constant memory.

use super::id_map::IdSet;

/// Counter of distinct ids, which must be hashes: exact up to [`EXACT`] ids, then accurate to about 1 %.
///
/// HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007) with linear counting for few ids. Takes 16 KiB and a few operations per id.
#[derive(Clone, Debug)]
pub(crate) struct HyperLogLog {
    exact: IdSet,
    /// HyperLogLog registers: each holds the maximum rank of the ids that it counts, where the rank is the position (from 1) of the first
    /// set bit after the bits that select the register.
    rank: Vec<u8>,
}

/// Maximum number of distinct ids that are stored themselves, so that their count is exact.
const EXACT: usize = 4096;
/// Binary logarithm of the number of HyperLogLog registers.
const REGISTERS: u32 = 14;

impl Default for HyperLogLog {
    fn default() -> Self {
        HyperLogLog { exact: IdSet::default(), rank: vec![0; 1 << REGISTERS] }
    }
}

impl HyperLogLog {
    /// Counts an id, which must be a hash with well-mixed bits.
    pub(crate) fn add(&mut self, id: u64) {
        if self.exact.len() <= EXACT {
            self.exact.insert(id);
        }
        let register = &mut self.rank[(id >> (64 - REGISTERS)) as usize];
        let rank = ((id << REGISTERS) | 1 << (REGISTERS - 1)).leading_zeros() as u8 + 1;
        *register = rank.max(*register);
    }

    /// Adds the ids counted by another counter, as if all had been counted here.
    pub(crate) fn merge(&mut self, other: &HyperLogLog) {
        for id in other.exact.iter() {
            if self.exact.len() > EXACT {
                break;
            }
            self.exact.insert(id);
        }
        self.rank.iter_mut().zip(&other.rank).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    /// Returns the estimated number of distinct ids.
    pub(crate) fn count(&self) -> u64 {
        if self.exact.len() <= EXACT {
            return self.exact.len() as u64;
        }
        let registers = self.rank.len() as f64;
        let empty = self.rank.iter().filter(|&&rank| rank == 0).count() as f64;
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers
            / self.rank.iter().map(|&rank| (-f64::from(rank)).exp2()).sum::<f64>();
        let found = if raw <= 2.5 * registers && empty > 0.0 { registers * (registers / empty).ln() } else { raw };
        found.round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn counts_are_exact_when_small_and_close_when_large() {
        for n in [0u64, 1, 100, 4096, 4097, 20_000, 100_000, 1_000_000] {
            let (mut one, mut other) = (HyperLogLog::default(), HyperLogLog::default());
            for i in 0..n {
                one.add(xxh3_64(&i.to_le_bytes()));
                other.add(xxh3_64(&(i / 2 + n / 2).to_le_bytes()));
            }
            one.merge(&other);
            let off = (one.count() as f64 - n as f64).abs();
            // Tolerance: four standard errors of 1.04/√2¹⁴.
            assert!(if n <= 4096 { off == 0.0 } else { off <= 0.033 * n as f64 }, "{n}: {}", one.count());
            // Ids counted by both are counted once, and those counted by one are all included.
            other.merge(&one);
            assert_eq!(other.count(), one.count(), "{n}");
        }
    }
}
