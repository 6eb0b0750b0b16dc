//! Common parts of the programs that measure quality and throughput; nothing here asserts a time.

mod dice;
mod orders;
mod task;

pub use dice::{Dice, sparse_rows};
pub use orders::{Judged, Set};
pub use task::{Outcome, Task, examples, tasks};
