//! Fits of several processes: the job that workers get, the program that they run, and what the coordinator makes of their result.
//!
//! An engine starts workers and carries messages; [`Run`] and [`program()`] are all that it needs to know of fits.

mod checkpoint;
mod job;
pub(crate) mod local;
mod page;
mod program;
mod report;
mod run;

pub(crate) use job::check;
pub use job::{Finished, Job};
pub use program::{FitProgram, program};
pub use run::{Concluded, Letters, Run, memory};

/// Engines of the program that runs the command, if it has any.
pub(crate) type Engines<'a> = Option<&'a mut dyn FnMut(Run) -> Option<Run>>;
