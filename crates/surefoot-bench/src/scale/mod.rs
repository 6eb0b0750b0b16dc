//! Cost of a distributed fit, measured on this machine and computed for clusters.
//!
//! `vectors`, `passes` and `sums` measure the parts: the exchange of vectors, a pass of the optimum, and a round of one pass; `measurements` stores what they find. `model` fits
//! constants to half of the measurements and says how far the others are from it; `costs` names the constants. `zipf` counts the
//! features that occur in rows. `network` simulates an exchange message by message; `exchange` has it in closed form. `cluster` adds
//! all this up to the seconds and the memory of a fit, and `tables` prints it.

mod cluster;
mod costs;
mod exchange;
mod measurements;
mod model;
mod network;
mod passes;
mod sums;
mod tables;
mod vectors;
mod zipf;

pub use costs::Costs;
pub use measurements::Measurements;
pub use model::{Measured, Model};
pub use tables::{check_of_simulation, earlier_runs, next_choices, tables};
pub use vectors::serve;
