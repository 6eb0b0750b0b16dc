//! Resources of the process: memory, signals, standard streams.
//!
//! Uses no other top-level module of the command.

pub(crate) mod memory;
pub(crate) mod signals;
pub(crate) mod stop;
pub(crate) mod streams;
