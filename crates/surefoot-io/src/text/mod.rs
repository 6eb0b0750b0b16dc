//! Interpretation of bytes as text: numbers, words, values of cells, and escaping for display.
//!
//! The functions are pure and use no other module of this crate. A new rule for the meaning of a cell, in any format, is added in
//! `cell_value`.

pub(crate) mod byte_search;
pub(crate) mod cell_value;
pub(crate) mod digest;
pub(crate) mod number;
pub(crate) mod printable;
pub(crate) mod words;
