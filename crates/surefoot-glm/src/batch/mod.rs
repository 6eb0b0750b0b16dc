//! The certified optimum of rows in memory, and the choice of a penalty.
//!
//! May use everything below [`pass`](crate::pass).

pub(crate) mod folds;
pub(crate) mod gathered;
pub mod optimum;
pub(crate) mod path;
pub(crate) mod problem;
pub(crate) mod scaling;
