//! Online learners and the reductions that turn them into stochastic convex optimisers.
#![forbid(unsafe_code)]

mod float;
pub mod kernel;

pub use float::{Float, Real};
