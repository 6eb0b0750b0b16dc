//! Rows that are spread over shards, in one process or in many, and the sums over all of them.
//!
//! The rows of a data set lie in a fixed number of shards. Processes own shards, and run the same program side by side:
//! each computes with the rows of its own shards, and wherever the program needs a sum over all rows, the
//! [`Partial`] results of all shards are [combined](Collective). They are joined in the shape of a fixed binary
//! [tree](Fold) over the shards, so that the result is the same to the bit for any number of processes and any
//! assignment of shards to them.
//!
//! Dependencies allowed here: none.

mod collective;
mod join;
mod keyed;
mod partial;
mod tree;

pub use collective::{Collective, Interrupted, OneProcess, Shards};
pub use join::Join;
pub use keyed::Keyed;
pub use partial::Partial;
pub use tree::{Fold, is_node, nodes};
