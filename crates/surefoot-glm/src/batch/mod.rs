//! Batch training over rows stored in memory: minimises the penalised loss to a certified optimality gap, and chooses
//! the penalty by cross-validation.
//!
//! Dependencies allowed here: every module of a layer below [`pass`](crate::pass).

pub(crate) mod census;
pub(crate) mod folds;
pub(crate) mod gathered;
pub mod optimum;
pub(crate) mod path;
pub(crate) mod problem;
pub(crate) mod scaling;
