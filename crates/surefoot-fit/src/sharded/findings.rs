//! Names of features that the readers of all shards have found together.

use std::collections::BTreeSet;
use surefoot_glm::{
    FeatureNames,
    shards::{Interrupted, Partial, Shards},
};
use surefoot_io::Inferred;

/// Combines a partial result of each shard that this process owns with those of the others.
pub(super) fn combine<S>(
    own: &[S],
    shards: &Shards,
    number: impl Fn(&S) -> usize,
    of: impl Fn(&S) -> Partial,
) -> Result<Partial, Interrupted> {
    shards.combine(own.iter().map(|shard| (number(shard), of(shard))))
}

/// Returns the names of features that the reader of a shard has found, as texts that those of other shards are joined with.
pub(super) fn names_of(found: &Inferred) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    found.each_name(|id, name| _ = texts.insert(format!("{id:020} {name}")));
    texts
}

/// Returns the names in the joined texts of all shards.
pub(super) fn names(texts: &BTreeSet<String>) -> FeatureNames {
    let mut names = FeatureNames::default();
    for (id, name) in texts.iter().filter_map(|text| text.split_once(' ')) {
        if let Ok(id) = id.parse() {
            names.insert(id, name);
        }
    }
    names
}
