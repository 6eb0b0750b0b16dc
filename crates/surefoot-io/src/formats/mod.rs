//! The formats that rows are read from.
//!
//! May use [`features`](crate::features) and all that it uses; knows nothing of [`read`](crate::read). A new format implements a trait of its
//! parser, in a file or folder of its own here, and is a row of the table in `registry`.

#[cfg(feature = "parquet")]
mod columnar;
pub(crate) mod csv;
pub(crate) mod parse_error;
pub(crate) mod parser;
mod records;
pub(crate) mod registry;
pub(crate) mod svmlight;
pub(crate) mod unreadable;
mod vw;
