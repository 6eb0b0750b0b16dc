//! Batch training: empirical risk minimisation to a certified optimality gap over rows in memory, and the choice of the
//! penalty by cross-validation.
//!
//! May use everything below [`pass`](crate::pass).

pub(crate) mod folds;
pub(crate) mod gathered;
pub mod optimum;
pub(crate) mod path;
pub(crate) mod problem;
pub(crate) mod scaling;
