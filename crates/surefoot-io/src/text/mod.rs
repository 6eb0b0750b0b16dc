//! Bytes as text: numbers, words, values of cells, what a terminal may show.
//!
//! Pure functions of bytes, the room below all others. A new meaning of a cell, whatever the format, goes to `cell_value`.

pub(crate) mod byte_search;
pub(crate) mod cell_value;
pub(crate) mod digest;
pub(crate) mod number;
pub(crate) mod printable;
pub(crate) mod words;
