//! Settings of the svmlight parser, derived from the reader options.

use xxhash_rust::xxh3::xxh3_64;

use crate::table::options::Options;

/// Settings of the svmlight parser: the lowest valid index, the number of hash bits, and whether labels are ignored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) lowest: u64,
    pub(super) bits: Option<u8>,
    pub(super) unlabelled: bool,
}

impl Rules {
    pub(super) fn new(options: &Options) -> Rules {
        Rules {
            lowest: u64::from(options.reading.index_base),
            bits: options.reading.bits.map(|bits| bits.clamp(1, 64)),
            unlabelled: options.unlabelled,
        }
    }

    /// Returns the feature id of an svmlight index: the index itself or, if ids are hashed, the highest `bits` bits of
    /// its XXH3-64 hash.
    pub(super) fn id(&self, index: u64) -> u64 {
        match self.bits {
            None => index,
            Some(bits) => xxh3_64(&index.to_le_bytes()) >> (64 - u32::from(bits)),
        }
    }
}
