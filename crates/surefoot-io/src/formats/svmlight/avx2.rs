//! Reader of plain `index:value` pairs (short decimal numbers without exponent) that uses AVX2 instructions.

use surefoot_glm::Batch;

use super::{
    delimited_pairs::delimited_pairs,
    delimiters::{Delimiters, avx2_bits},
    rules::Rules,
};
pub(super) use crate::text::number::avx2::is_supported;
use crate::text::number::{self, Pair};

/// Reads up to `most` consecutive plain `index:value` pairs (short decimal numbers without exponent), separated by single blanks, from
/// `text` into the batch; returns the position after the last one.
#[target_feature(enable = "avx2,bmi1,lzcnt,popcnt")]
pub(super) fn pairs(
    text: &[u8],
    at: usize,
    most: usize,
    rules: &Rules,
    delimiters: &mut Delimiters,
    batch: &mut Batch,
) -> usize {
    let functions = (|block: &_| avx2_bits(block), |pair: &Pair<'_>| number::avx2::pair(pair));
    delimited_pairs(text, at, most, rules, delimiters, batch, functions)
}
