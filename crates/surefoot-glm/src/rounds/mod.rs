//! One pass spread over shards: the rows of a data set lie in a fixed number of shards, which any number of workers
//! own, and the model depends on the shards and their rows only.
//!
//! Every worker has a replica of the learner (`trainer`). The pass goes in rounds: in each, every shard takes its next
//! rows, its owner scores them and sums up their gradients at the common model (`work`), the sums of all shards are
//! added up in a fixed binary tree (`tree`, `part`, `partial`, `found`, `bytes`), and every replica learns them. This module may
//! use every other one; no module uses it.

mod bytes;
pub(crate) mod found;
mod part;
pub(crate) mod partial;
pub(crate) mod trainer;
mod tree;
pub(crate) mod work;
