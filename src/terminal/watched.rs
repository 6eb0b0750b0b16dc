//! Memory of an observer of the workers of a distributed fit.

use super::{progress::Progress, workers::Workers};

/// Workers of a run, and what was printed about them.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    pub(crate) workers: Workers,
    /// Number of shards.
    pub(super) shards: usize,
    /// Whether lines are printed about the workers.
    pub(super) tells: bool,
    pub(super) bar: Option<Progress>,
    /// Time in seconds at which the state of the run is printed again.
    pub(super) next: f64,
}
