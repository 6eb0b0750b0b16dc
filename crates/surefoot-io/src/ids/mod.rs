//! Ids of features, which are hashes: maps and sets of them, how many there are, and rows that have one twice.
//!
//! Knows nothing of where ids come from.

pub(crate) mod hyperloglog;
pub(crate) mod id_map;
pub(crate) mod merge_duplicates;
