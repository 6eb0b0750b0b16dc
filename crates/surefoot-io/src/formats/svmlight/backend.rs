//! Selection of the backend (portable, AVX2 or AVX-512) that reads plain `index:value` pairs, by the instructions of the processor.

use surefoot_glm::Batch;

#[cfg(target_arch = "x86_64")]
use super::{
    avx2,
    avx512::{self, ScalarBackoff},
};
use super::{
    delimited_pairs::delimited_pairs,
    delimiters::{Delimiters, ROOM, bits},
    rules::Rules,
};
use crate::text::number;

/// Implementation of the pair reader (portable, AVX2 or AVX-512) that this processor supports; all implementations produce the same
/// rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backend(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512(ScalarBackoff),
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Backend {
    /// Returns all pair readers that the processor supports, fastest first.
    pub(super) fn all() -> impl Iterator<Item = Backend> {
        let backends = [
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512(ScalarBackoff::new()), avx512::is_supported()),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2, avx2::is_supported()),
            (Kind::Portable, true),
        ];
        backends.into_iter().filter(|backend| backend.1).map(|backend| Backend(backend.0))
    }

    /// Returns the fastest pair reader that the processor supports.
    pub(super) fn best() -> Backend {
        Backend::all().next().expect("one is everywhere")
    }

    /// Reads consecutive plain `index:value` pairs (short decimal numbers without exponent), separated by single blanks, into the
    /// batch; returns the position after the last one.
    pub(super) fn pairs(
        &mut self,
        text: &[u8],
        at: usize,
        rules: &Rules,
        delimiters: &mut Delimiters,
        batch: &mut Batch,
    ) -> usize {
        match &mut self.0 {
            // SAFETY: this backend exists only if the processor supports the instructions that the function requires.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(backoff) => unsafe { avx512::pairs(text, at, rules, backoff, delimiters, batch) },
            // SAFETY: as above. With this backend the parser takes three fifths of the time of the portable one.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::pairs(text, at, ROOM, rules, delimiters, batch) },
            Kind::Portable => delimited_pairs(text, at, ROOM, rules, delimiters, batch, (bits, number::pair)),
        }
    }

    /// Whether the indices of a row are strictly ascending.
    pub(super) fn is_ascending(&self, index: &[u64]) -> bool {
        match self.0 {
            // SAFETY: this backend exists only if the processor supports the instructions that the function requires.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => unsafe { avx512::is_ascending(index) },
            _ => index.is_sorted_by(|before, after| before < after),
        }
    }
}
