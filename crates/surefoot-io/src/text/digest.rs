//! Chained hash of an input; the hash of a row depends on all bytes of the input up to the end of the row.

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

/// Chain of XXH3-64 hashes, one per row. The hash of a row covers all bytes since the end of the previous row, and is seeded with the hash
/// of the previous row.
///
/// Most rows are contiguous and are hashed in one call. Bytes that are discarded before their row ends (comments, blank lines) are added
/// with [`Digest::add`].
#[derive(Clone, Default)]
pub(crate) struct Digest {
    hash: u64,
    open: Option<Box<Xxh3>>,
}

impl Digest {
    /// Adds bytes, before its last ones, to the hash of the current row.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.open.get_or_insert_with(|| Box::new(Xxh3::with_seed(self.hash))).update(bytes);
        }
    }

    /// Adds the last bytes of the current row and returns the hash of the row.
    pub(crate) fn close(&mut self, bytes: &[u8]) -> u64 {
        self.hash = match self.open.take() {
            None => xxh3_64_with_seed(bytes, self.hash),
            Some(mut open) => {
                open.update(bytes);
                open.digest()
            }
        };
        self.hash
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Digest").field("hash", &self.hash).field("open", &self.open.is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_hash_like_the_whole() {
        let bytes: Vec<u8> = (0..3000u32).map(|i| (i * 7 + i / 256) as u8).collect();
        for end in [0, 1, 3, 16, 17, 128, 129, 240, 241, 255, 256, 257, 1023, 1024, 1025, 3000] {
            for cut in [0, 1, 7, 64, 240, 256, 1000] {
                let cut = cut.min(end);
                let (mut whole, mut pieces) = (Digest::default(), Digest::default());
                whole.close(b"first");
                pieces.close(b"first");
                pieces.add(&bytes[..cut]);
                pieces.add(&bytes[cut..(cut + end) / 2]);
                let hash = pieces.close(&bytes[(cut + end) / 2..end]);
                assert_eq!(whole.close(&bytes[..end]), hash, "{cut} of {end}");
            }
        }
    }
}
