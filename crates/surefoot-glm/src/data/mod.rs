//! Rows, faults of rows, and the schema by which they are read.
//!
//! The rooms of readers and of learners meet here, so that neither knows the other: a reader fills a `Batch` and a `Schema`, a learner
//! takes rows from it. May use [`simd`](crate::simd) to fetch rows ahead.

pub(crate) mod fault;
pub(crate) mod feature_groups;
pub(crate) mod holdout_store;
pub(crate) mod rows;
pub(crate) mod schema;
