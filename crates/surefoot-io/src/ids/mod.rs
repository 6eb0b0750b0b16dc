//! Hashed feature ids: maps and sets keyed by them, counting of distinct ids, and merging of duplicates in a row.
//!
//! This module does not depend on what the ids are hashes of.

pub(crate) mod hyperloglog;
pub(crate) mod id_map;
pub(crate) mod merge_duplicates;
