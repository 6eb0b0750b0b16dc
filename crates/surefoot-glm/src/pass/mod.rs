//! Row loop, shared by all online learners: counts, scores and holds out rows, and keeps a sample by which rows in a
//! bad order, such as sorted rows, are detected.
//!
//! This module may use everything that is not a learner. A learner implements [`RowLearner`](learner::RowLearner),
//! and the row loop calls it.

pub(crate) mod holdout;
pub(crate) mod judgement;
pub(crate) mod learner;
pub(crate) mod order;
pub(crate) mod row_loop;
