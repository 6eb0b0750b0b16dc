//! Simulation of one pass whose rows are learnt in rounds by several shards, to compare rules by which the shards' updates are merged.

mod lanes;
mod rules;
mod synthetic;

pub use lanes::{Examples, Lanes, Link};
pub use rules::{Growth, Order, Outcome, Rule, simulate};
pub use synthetic::{SYNTHETIC, synthetic};
