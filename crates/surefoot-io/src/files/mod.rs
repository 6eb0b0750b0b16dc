//! Files and streams as bytes: inputs and their compression, outputs that are replaced as a whole, temporary files.
//!
//! May use [`error`](crate::error); knows nothing of rows but how a row that is held out is stored. A new compression is a row of the
//! table in `compression`.

pub(crate) mod atomic_output;
pub(crate) mod compression;
pub(crate) mod expand;
pub(crate) mod holdout_store;
pub(crate) mod input;
pub(crate) mod interrupted;
pub(crate) mod spool;
