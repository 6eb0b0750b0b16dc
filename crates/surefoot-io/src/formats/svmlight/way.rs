//! The ways to read plain pairs, and which of them this processor has.

use surefoot_glm::Batch;

use super::Rules;
#[cfg(target_arch = "x86_64")]
use super::avx512::{self, Singles};
use super::{
    fast::marked_pairs,
    marks::{self, Marks},
};
use crate::text::number;

/// A way that this processor has: all read the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512(Singles),
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Way {
    /// All ways that there are, the fastest first.
    pub(super) fn all() -> impl Iterator<Item = Way> {
        let ways = [
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx512(Singles::new()), avx512::is_there()),
            #[cfg(target_arch = "x86_64")]
            (Kind::Avx2, number::avx2::is_there()),
            (Kind::Portable, true),
        ];
        ways.into_iter().filter(|way| way.1).map(|way| Way(way.0))
    }

    /// The fastest.
    pub(super) fn best() -> Way {
        Way::all().next().expect("one way is everywhere")
    }

    /// Reads one plain pair after the other, as long as a single blank stands between, and returns where it stopped.
    pub(super) fn pairs(
        &mut self,
        text: &[u8],
        at: usize,
        rules: &Rules,
        marks: &mut Marks,
        batch: &mut Batch,
    ) -> usize {
        match &mut self.0 {
            // SAFETY: there is no such way unless the processor has what the function needs.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(singles) => unsafe { avx512::pairs(text, at, rules, singles, marks, batch) },
            // SAFETY: as above. The parser takes three fifths of the time of the portable way.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2_pairs(text, at, marks::ROOM, rules, marks, batch) },
            Kind::Portable => marked_pairs(text, at, marks::ROOM, rules, marks, batch, (marks::bits, number::pair)),
        }
    }

    /// Whether each is above the one before.
    pub(super) fn is_ascending(&self, index: &[u64]) -> bool {
        match self.0 {
            // SAFETY: there is no such way unless the processor has what the function needs.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(_) => unsafe { avx512::is_ascending(index) },
            _ => index.is_sorted_by(|before, after| before < after),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
pub(super) fn avx2_pairs(
    text: &[u8],
    at: usize,
    most: usize,
    rules: &Rules,
    marks: &mut Marks,
    batch: &mut Batch,
) -> usize {
    let ways = (|block: &_| marks::avx2_bits(block), |pair: &number::Pair<'_>| number::avx2::pair(pair));
    marked_pairs(text, at, most, rules, marks, batch, ways)
}
