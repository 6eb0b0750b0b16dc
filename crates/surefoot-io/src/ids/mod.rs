//! Feature ids, which are hashes: maps and sets of them, counting of distinct ones, and merging of duplicates in a row.
//!
//! This module does not depend on where ids come from.

pub(crate) mod hyperloglog;
pub(crate) mod id_map;
pub(crate) mod merge_duplicates;
