//! Files and streams as bytes: inputs and their compression, outputs that are replaced as a whole, temporary files.
//!
//! This module may use [`error`](crate::error), and depends on rows only for storing held-out ones. A new compression is added as a row of
//! the table in `compression`.

pub(crate) mod atomic_output;
#[cfg(feature = "cloud")]
pub(crate) mod cloud;
pub(crate) mod compression;
pub(crate) mod expand;
mod hidden;
pub(crate) mod holdout_store;
pub(crate) mod input;
pub(crate) mod interrupted;
pub(crate) mod part;
pub(crate) mod parts_folder;
pub(crate) mod random_access;
pub(crate) mod spool;
