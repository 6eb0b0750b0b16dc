//! Common parts of the programs that measure quality and throughput; nothing here asserts a time.

mod clock;
mod dice;
mod orders;
pub mod rounds;
pub mod scale;
mod start;
mod task;

pub use clock::{process_time, thread_time};
pub use dice::{Dice, sparse_rows};
pub use orders::{Judged, Set};
pub use start::{Excess, bound, excess};
pub use task::{Outcome, Task, examples, tasks};
