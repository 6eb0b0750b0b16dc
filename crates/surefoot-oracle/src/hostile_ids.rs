//! Feature ids that make badly designed hash tables slow, for tests.

/// Returns several lists of `count` distinct ids, each list chosen to collide in a hash table: multiples of powers of two and of their sums,
/// and ids whose product with 2⁶⁴/φ (Fibonacci hashing) agrees in the first bits, in the last bits, or in both.
#[must_use]
pub fn hostile_ids(count: u64) -> Vec<Vec<u64>> {
    /// Multiplicative inverse of the constant 0x9e37_79b9_7f4a_7c15 of Fibonacci hashing, modulo 2⁶⁴.
    const INVERSE: u64 = 0xf1de_83e1_9937_733d;
    let undone = |product: fn(u64) -> u64| move |k: u64| product(k).wrapping_mul(INVERSE);
    let ways: [&dyn Fn(u64) -> u64; 8] = [
        &|k| k,
        &|k| k << 40,
        &|k| k.reverse_bits(),
        &|k| ((k % 1024) << 54) | (k / 1024),
        &|k| k * 0x1_0000_0001,
        &undone(|k| k | 5 << 42),
        &undone(|k| k << 32 | 3),
        &undone(|k| 5 << 60 | k << 24 | 3),
    ];
    ways.iter().map(|way| (0..count).map(way).collect()).collect()
}
