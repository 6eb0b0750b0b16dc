//! Randomly seeded hash function for feature ids, which protects hash tables against hash flooding.

use std::hash::{BuildHasher, RandomState};

/// Hash function for feature ids with a random seed, for hash tables that are never stored.
///
/// Ids come from files, either raw or as hashes of names with a known seed. An author of a file can choose the ids,
/// and could make all of them collide in a table with a fixed hash function (hash flooding). Therefore the seed is
/// random per process, and nothing stored or reported may depend on the hashes, or on the order of a table's buckets.
#[derive(Clone, Copy, Debug)]
pub struct IdHasher {
    /// Random bits that are XORed with the id.
    mask: u64,
    /// Random odd factors of the two multiplications.
    factors: [u64; 2],
}

impl Default for IdHasher {
    /// Returns a hash function with a new random seed.
    fn default() -> IdHasher {
        let random = RandomState::new();
        IdHasher { mask: random.hash_one(0_u64), factors: [random.hash_one(1_u64) | 1, random.hash_one(2_u64) | 1] }
    }
}

impl IdHasher {
    /// Returns the hash of an id, in which high and low bits are equally well mixed.
    ///
    /// The hash takes two multiplications, because equally spaced ids may still be equally spaced after one.
    #[inline(always)]
    #[must_use]
    pub fn hash(self, id: u64) -> u64 {
        folded(folded(id ^ self.mask, self.factors[0]), self.factors[1])
    }
}

/// Returns the XOR of the two 64-bit halves of the product a·b, so that differences in high bits affect low bits too.
#[inline(always)]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use surefoot_oracle::hostile_ids;

    #[test]
    fn each_mixer_has_a_secret() {
        let [a, b] = [IdHasher::default(), IdHasher::default()];
        assert_ne!(a.hash(1), b.hash(1));
        assert_eq!(a.hash(1), a.hash(1));
    }

    #[test]
    fn hostile_ids_differ_and_meet_where_places_follow_from_ids_alone() {
        let fixed = |id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (k, ids) in hostile_ids(5000).into_iter().enumerate() {
            let distinct = |bits: &dyn Fn(u64) -> u64| ids.iter().map(|&id| bits(id)).collect::<HashSet<_>>().len();
            assert_eq!(distinct(&|id| id), 5000, "set {k}");
            let (first, last) = (distinct(&|id| fixed(id) >> 52), distinct(&|id| fixed(id) & 0xfff));
            assert!(k < 5 || first == 1 || last == 1, "set {k}: {first} {last}");
            let hasher = IdHasher::default();
            let (first, last) = (distinct(&|id| hasher.hash(id) >> 52), distinct(&|id| hasher.hash(id) & 0xfff));
            assert!(first > 2000 && last > 2000, "set {k}: {first} {last}");
        }
    }
}
