//! Commands of several processes: the job that workers get, the program that they run, and what the coordinator makes of their result.
//!
//! An engine starts workers and carries messages; [`Run`] and [`program()`] are all that it needs to know of commands. A command is a
//! `task::Task`: how its job is made (`prepare`), what a worker does (`work`), and what its result means, in `fit`, `predict` and
//! `eval`.

pub(crate) mod checkpoint;
mod coordinator;
pub(crate) mod engines;
pub(crate) mod eval;
pub(crate) mod fit;
mod job;
pub(crate) mod local;
mod packed;
mod page;
pub(crate) mod predict;
mod program;
mod report;
mod run;
pub(crate) mod task;

pub use fit::Finished;
pub use job::Job;
pub use program::{WorkerProgram, program};
pub use run::{Concluded, Letters, Run, memory};
