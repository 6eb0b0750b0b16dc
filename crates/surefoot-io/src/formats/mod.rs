//! Parsers of the data formats: svmlight, Vowpal Wabbit text, CSV, Parquet and Arrow.
//!
//! This module may use [`features`](crate::features) and everything that `features` uses, but not [`read`](crate::read). To add a format,
//! implement a parser trait in a file or folder of its own here and add a row to the table in `registry`.

#[cfg(feature = "parquet")]
pub(crate) mod columnar;
pub(crate) mod csv;
pub(crate) mod parse_error;
pub(crate) mod parser;
mod records;
pub(crate) mod registry;
pub(crate) mod scan;
pub(crate) mod svmlight;
pub(crate) mod unreadable;
mod vw;
