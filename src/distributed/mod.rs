//! Fits of several processes: the job that workers get, the program that they run, and what the coordinator makes of their result.
//!
//! An engine starts workers and carries messages; [`Job`], [`program`] and [`Finished`] are all that it needs to know of fits.

mod job;
pub(crate) mod local;
mod program;
mod report;

pub(crate) use job::check;
pub use job::{Finished, Job};
pub use program::{FitProgram, program};
