//! Resources of the process: memory, signals, standard streams.
//!
//! Depends on no other top-level module of this crate.

pub(crate) mod memory;
pub(crate) mod signals;
pub(crate) mod stop;
pub(crate) mod streams;
pub(crate) mod typed;
