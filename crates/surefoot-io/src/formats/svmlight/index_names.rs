//! Recording of the svmlight indices that occur, as names of the hashed feature ids, within the memory limit for names.

use std::sync::Arc;

use surefoot_glm::FeatureNames;

use crate::{ids::id_map::IdSet, table::inferred::Inferred};

/// Recorder that stores each svmlight index in [`Inferred`], as the name of its feature, when it first occurs in a row.
#[derive(Debug, Default)]
pub(super) struct IndexNames {
    known: IdSet,
    full: bool,
    found: Arc<Inferred>,
}

impl IndexNames {
    pub(super) fn new(found: &Arc<Inferred>) -> IndexNames {
        IndexNames { found: found.clone(), ..IndexNames::default() }
    }

    /// Stores those indices of a row that are new; `slot` maps an index to its feature id.
    #[inline]
    pub(super) fn meet(&mut self, indices: &[u64], slot: impl Fn(u64) -> u64) {
        // Checks all indices without a branch, since most rows have no new ones.
        if !self.full && indices.iter().fold(false, |asks, &index| asks | !self.known.contains(index)) {
            self.tell(indices, slot);
        }
    }

    #[cold]
    fn tell(&mut self, indices: &[u64], slot: impl Fn(u64) -> u64) {
        for &index in indices {
            if !self.full && self.known.insert(index) {
                self.full = !self.found.name(slot(index), &index.to_string()) || self.known.len() >= FeatureNames::MOST;
            }
        }
    }
}
