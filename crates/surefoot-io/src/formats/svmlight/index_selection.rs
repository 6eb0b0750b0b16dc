//! Selection of svmlight indices by `--keep` and `--ignore`.

use std::ops::RangeInclusive;
use std::sync::Arc;

use surefoot_glm::{Batch, Schema};

use crate::{
    error::{self, Error, ErrorKind},
    features::feature_groups::index_range,
    table::inferred::Inferred,
    table::options::Options,
};

/// Checks that every feature that the user named in the options is an svmlight index or a range of indices.
pub(crate) fn check(options: &Options) -> Result<(), Error> {
    let Schema { keep, ignore, .. } = &options.reading;
    let factors = options.groups.factors.iter().map(|(name, _)| ("--penalty-factor", name));
    let bounds = options.groups.bounds.iter().map(|(name, _)| ("--bounds", name));
    let chosen = keep.iter().map(|name| ("--keep", name)).chain(ignore.iter().map(|name| ("--ignore", name)));
    match chosen.chain(factors).chain(bounds).find(|(_, name)| index_range(name).is_none()) {
        None => Ok(()),
        Some((flag, name)) => {
            let name = error::cut(name, 48, 32);
            let message =
                format!("{flag}: '{name}' is no index of svmlight, such as 3, or range of indices, such as 10-20");
            Err(ErrorKind::Setting { message }.into())
        }
    }
}

/// Ranges of svmlight indices to keep and to ignore; an empty `keep` keeps all.
#[derive(Debug)]
pub(super) struct IndexSelection {
    keep: Vec<RangeInclusive<u64>>,
    ignore: Vec<RangeInclusive<u64>>,
    /// Ranges given by the user that contain no index of any row read so far, each with its text.
    awaited: Vec<(RangeInclusive<u64>, String)>,
    found: Arc<Inferred>,
}

impl IndexSelection {
    /// Builds the selection from `--keep` and `--ignore`; `None` if all svmlight indices are used.
    pub(super) fn new(Schema { keep, ignore, .. }: &Schema, found: &Arc<Inferred>) -> Option<IndexSelection> {
        let range = |name: &String| index_range(name);
        let ranges = |names: &[String]| names.iter().filter_map(range).collect::<Vec<_>>();
        let awaited = keep.iter().chain(ignore).filter_map(|name| Some((range(name)?, name.clone())));
        let (keep, ignore) = (ranges(keep), ranges(ignore));
        let is_needed = !keep.is_empty() || !ignore.is_empty();
        is_needed.then(|| IndexSelection { keep, ignore, awaited: awaited.collect(), found: found.clone() })
    }

    fn uses(&self, index: u64) -> bool {
        let is_in = |ranges: &[RangeInclusive<u64>]| ranges.iter().any(|range| range.contains(&index));
        (self.keep.is_empty() || is_in(&self.keep)) && !is_in(&self.ignore)
    }

    /// Removes the `index:value` pairs whose index is not selected from the batch, from position `first` on.
    pub(super) fn retain(&mut self, batch: &mut Batch, first: usize) {
        self.meet(&batch.index[first..]);
        let mut end = first;
        for at in first..batch.index.len() {
            if self.uses(batch.index[at]) {
                (batch.index[end], batch.value[end]) = (batch.index[at], batch.value[at]);
                end += 1;
            }
        }
        batch.truncate_pairs(end);
    }

    fn meet(&mut self, indices: &[u64]) {
        if !self.awaited.is_empty() {
            let found = &self.found;
            self.awaited.retain(|(range, name)| {
                let is_met = indices.iter().any(|index| range.contains(index));
                if is_met {
                    found.meet(name);
                }
                !is_met
            });
        }
    }
}
