//! Losses, rows and the one-pass trainer of generalised linear models.

mod rows;

pub use rows::{Batch, Place, Row};
