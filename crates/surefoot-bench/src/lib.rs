//! What the programs that measure quality and throughput share; nothing here asserts a time.

mod dice;
mod task;

pub use dice::{Dice, sparse_rows};
pub use task::{Outcome, Task, examples, tasks};
