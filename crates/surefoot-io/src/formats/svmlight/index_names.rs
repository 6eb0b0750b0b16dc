//! Which indices share a slot once they are hashed: their names, as far as there is room.

use std::sync::Arc;

use surefoot_glm::FeatureNames;

use crate::{ids::id_map::IdSet, table::inferred::Inferred};

/// Tells the indices that are met, each once.
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

    /// Tells those of a row, whose slots `slot` knows.
    #[inline]
    pub(super) fn meet(&mut self, indices: &[u64], slot: impl Fn(u64) -> u64) {
        // All of them, without a branch: most rows have no new ones.
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
