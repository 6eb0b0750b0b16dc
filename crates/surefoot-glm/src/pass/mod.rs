//! One pass over rows, whatever learns: counts, scores, holds out, watches the order of rows.
//!
//! May use everything that is not a learner. A learner implements [`RowLearner`](learner::RowLearner), and the row loop calls it.

pub(crate) mod holdout;
pub(crate) mod judgement;
pub(crate) mod learner;
pub(crate) mod order;
pub(crate) mod row_loop;
