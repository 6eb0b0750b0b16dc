//! Rows, errors about rows, and the schema by which rows are read from input.
//!
//! This module is shared by readers and learners, so that neither depends on the other: a reader fills a `Batch` and
//! a `Schema`, and a learner takes rows from the batch. The module may use [`simd`](crate::simd) to prefetch rows.

pub(crate) mod fault;
pub(crate) mod feature_groups;
pub(crate) mod holdout_store;
pub(crate) mod rows;
pub(crate) mod schema;
