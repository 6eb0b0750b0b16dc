//! Maps from feature ids to values and numbers; most memory is allocated in pages, whose values never move.
//!
//! This module may use [`data`](crate::data) for the faults that it reports. A map belongs here if it handles ids and
//! slots, but does not depend on what is learnt.

pub(crate) mod feature_index;
pub(crate) mod feature_map;
pub(crate) mod id_hash;
pub(crate) mod id_table;
pub(crate) mod paged_map;
