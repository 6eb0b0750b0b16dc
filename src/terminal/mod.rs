//! Output to standard error and standard output: progress, results, warnings, JSON lines.
//!
//! May use [`words`](crate::words) but not [`flags`](crate::flags). A new event of a fit is printed by `reporter`, a new line of the results
//! by `results`.

pub(crate) mod bad_rows;
pub(crate) mod columns;
pub(crate) mod confusion;
pub(crate) mod console;
pub(crate) mod evaluation;
pub(crate) mod lines;
pub(crate) mod metrics;
pub(crate) mod opening;
pub(crate) mod progress;
pub(crate) mod record;
pub(crate) mod reporter;
pub(crate) mod results;
pub(crate) mod unseen;
pub(crate) mod unused;
pub(crate) mod warnings;
pub(crate) mod watch;
pub(crate) mod watched;
pub(crate) mod worker_lines;
pub(crate) mod workers;
