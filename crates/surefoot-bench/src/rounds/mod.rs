//! One pass whose rows are learnt in rounds by several shards: a simulation that compares rules by which the shards' work
//! is merged, and the cost of the rule that was chosen beside the sequential pass.

mod deal;
mod lanes;
mod rules;
mod synthetic;
mod timed;

pub use deal::{Order, deal};
pub use lanes::{Examples, Link};
pub use rules::{Growth, Outcome, Rule, sequential, simulate};
pub use synthetic::{SYNTHETIC, synthetic};
pub use timed::{Times, batch, in_turn, settings, timed_in_rounds, timed_sequential};
