//! The default online learner, which trains several step-size scales side by side in one pass and needs no tuning
//! grid.
//!
//! This module may use [`pass`](crate::pass) and every module that `pass` may use. For each row it looks up the
//! coordinates (`coordinate_store`), asks and tells them (`tile`, `coordinate`), and weights the lanes, the learners
//! trained side by side (`mixture_weights`, `step_sizes`).

pub(crate) mod arrays;
pub(crate) mod averaging;
pub(crate) mod constant;
pub(crate) mod coordinate;
pub(crate) mod coordinate_store;
pub(crate) mod gradient_sums;
pub(crate) mod label_units;
pub(crate) mod mixture_weights;
pub(crate) mod multiclass;
pub(crate) mod round_points;
pub(crate) mod row_workspace;
pub(crate) mod scalars;
pub(crate) mod shrinkage;
pub(crate) mod single_margin;
pub(crate) mod stacking;
pub(crate) mod step_sizes;
pub(crate) mod terms;
pub(crate) mod tile;
