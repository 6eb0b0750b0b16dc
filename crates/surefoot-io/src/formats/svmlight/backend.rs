//! Selection of the backend that reads plain `index:value` pairs, depending on the instructions of the processor.

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

/// A backend that this processor supports; all backends read the same rows.
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
    /// Returns all supported backends, the fastest first.
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

    /// Returns the fastest supported backend.
    pub(super) fn best() -> Backend {
        Backend::all().next().expect("one is everywhere")
    }

    /// Reads consecutive plain pairs (short decimal numbers without exponent) separated by single blanks; returns the position at which it stopped.
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

    /// Whether each index is greater than the one before it.
    pub(super) fn is_ascending(&self, index: &[u64]) -> bool {
        match self.0 {
            // SAFETY: this backend exists only if the processor supports the instructions that the function requires.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => unsafe { avx512::is_ascending(index) },
            _ => index.is_sorted_by(|before, after| before < after),
        }
    }
}
