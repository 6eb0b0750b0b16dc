//! The process: memory, signals, standard streams.
//!
//! Knows no other room.

pub(crate) mod memory;
pub(crate) mod signals;
pub(crate) mod stop;
pub(crate) mod streams;
