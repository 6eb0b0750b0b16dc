//! Resources of the process: memory, signals, standard streams.
//!
//! Uses no other folder of the command.

pub(crate) mod memory;
pub(crate) mod signals;
pub(crate) mod stop;
pub(crate) mod streams;
