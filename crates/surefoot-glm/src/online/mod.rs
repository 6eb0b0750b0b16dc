//! The default learner: several step sizes side by side, in one pass, without a tuning grid.
//!
//! May use everything below [`pass`](crate::pass), and that. Per row: look up its coordinates (`coordinate_store`), ask
//! and tell (`tile`, `coordinate`), and weight the lanes (`mixture_weights`, `step_sizes`).

pub(crate) mod arrays;
pub(crate) mod averaging;
pub(crate) mod coordinate;
pub(crate) mod coordinate_store;
pub(crate) mod label_units;
pub(crate) mod mixture_weights;
pub(crate) mod multiclass;
pub(crate) mod row_workspace;
pub(crate) mod scalars;
pub(crate) mod shrinkage;
pub(crate) mod single_margin;
pub(crate) mod step_sizes;
pub(crate) mod terms;
pub(crate) mod tile;
