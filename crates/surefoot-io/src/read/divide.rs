//! Division of one input into parts, at the boundaries of its units: rows of text, row groups, record batches.

use std::ops::Range;
use std::sync::Arc;

use super::{reader::Reader, row_starts};
use crate::{
    error::Error,
    files::{
        input::InputName,
        part::{InputPart, PartRange},
    },
    formats::{parser::Units, registry::Parser},
    table::options::Options,
};

/// Divides an input near `targets`, ascending offsets in bytes, into one part more than there are targets; an inner `None` stands for an
/// empty part. Returns `None` if the input must stay whole.
///
/// # Errors
/// If the input cannot be opened.
pub(super) fn parts(
    input: &InputName,
    options: &Options,
    targets: &[u64],
) -> Result<Option<Vec<Option<InputPart>>>, Error> {
    let Some(access) = input.random_access()? else { return Ok(None) };
    let mut reader = Reader::open(std::slice::from_ref(input), options.clone())?;
    // A fault before the first row, or while rows are told apart, is reported when the whole input is read.
    let Ok(Some((first, parser, source))) = reader.examine() else { return Ok(None) };
    match parser {
        Parser::Text(_) if source.codec().is_some() => Ok(None),
        Parser::Text(parser) => {
            let size = access.size();
            let starts = row_starts::behind(&access, first, &**parser, targets);
            Ok(starts.ok().map(|starts| between(&starts, size, |range| bytes(input, range))))
        }
        Parser::Table(parser) => {
            let Some(Ok(opened)) = source.open(&Arc::default(), 0) else { return Ok(None) };
            let units = parser.units(opened);
            Ok((!units.sizes.is_empty()).then(|| numbered(input, &units, targets, access.size())))
        }
    }
}

fn bytes(input: &InputName, range: Range<u64>) -> InputPart {
    let size = range.end - range.start;
    InputPart::new(input, PartRange::Bytes(range), size)
}

/// Divides an input of `size` bytes that consists of these units, each target at the nearest boundary.
fn numbered(input: &InputName, units: &Units, targets: &[u64], size: u64) -> Vec<Option<InputPart>> {
    let sizes = &units.sizes;
    let mut ends = vec![0];
    ends.extend(sizes.iter().scan(0_u64, |end, size| {
        *end = end.saturating_add(*size);
        Some(*end)
    }));
    let total = ends[sizes.len()].max(1);
    // The units do not fill the input: headers and an index take some of it.
    let scaled = |target: u64| (u128::from(target) * u128::from(total) / u128::from(size.max(1))) as u64;
    let boundary = |target: &u64| {
        let target = scaled(*target);
        let above = ends.partition_point(|&end| end < target).min(sizes.len());
        let below = above.saturating_sub(1);
        if target - ends[below].min(target) < ends[above] - target.min(ends[above]) {
            below as u64
        } else {
            above as u64
        }
    };
    let starts: Vec<u64> = targets.iter().map(boundary).collect();
    between(&starts, sizes.len() as u64, |range| {
        let range = range.start as usize..range.end as usize;
        let size = ends[range.end] - ends[range.start];
        InputPart::new(input, (units.range_of)(range), size)
    })
}

/// Returns the parts between 0, these ascending boundaries, and `end`; `None` for an empty one.
fn between(boundaries: &[u64], end: u64, part: impl Fn(Range<u64>) -> InputPart) -> Vec<Option<InputPart>> {
    let mut start = 0;
    let mut next = |end| {
        let range = std::mem::replace(&mut start, end)..end;
        (!range.is_empty()).then(|| part(range))
    };
    boundaries.iter().copied().chain([end]).map(&mut next).collect()
}
