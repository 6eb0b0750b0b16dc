//! Combination of partial results over the processes that own the shards.

use super::{partial::Partial, tree::Fold};
use std::{fmt, ops::Range, sync::Arc};

/// Error of a combination that did not take place, because the run was stopped or a process was lost. The program has
/// to return at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the run was stopped")
    }
}

impl std::error::Error for Interrupted {}

/// Connection among the processes that own the shards, by which their partial results are combined.
///
/// All processes call [`combine`](Collective::combine) the same number of times, in the same order, with the nodes of
/// their own shards, and all receive the same result.
pub trait Collective: Send + Sync {
    /// Joins the partial results of all shards, in the shape of the [tree](Fold) over them. The caller gives those of
    /// its own shards, joined as far as they form nodes of the tree: see [`Fold::into_nodes`].
    ///
    /// # Errors
    /// [`Interrupted`], if the run was stopped; all processes then get this error at the same call.
    fn combine(&self, own: Vec<(Range<usize>, Partial)>) -> Result<Partial, Interrupted>;
}

/// All shards in one process: there is nobody to exchange partial results with.
#[derive(Clone, Copy, Debug)]
pub struct OneProcess {
    /// Number of shards.
    pub shards: usize,
}

impl Collective for OneProcess {
    fn combine(&self, own: Vec<(Range<usize>, Partial)>) -> Result<Partial, Interrupted> {
        let mut fold = Fold::new(self.shards);
        own.into_iter().for_each(|(range, partial)| _ = fold.insert(range, partial));
        fold.total().ok_or(Interrupted)
    }
}

/// Shards of a data set, of which the calling process owns some.
#[derive(Clone)]
pub struct Shards {
    /// Number of shards of the data set, in all processes together.
    pub total: usize,
    /// Connection to the other processes.
    pub collective: Arc<dyn Collective>,
}

impl Shards {
    /// Combines a partial result of each shard that the calling process owns, by its number, with those of the others.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use surefoot_glm::shards::{OneProcess, Partial, Shards};
    /// let shards = Shards { total: 2, collective: Arc::new(OneProcess { shards: 2 }) };
    /// let rows = [3.0, 4.0].map(|rows| Partial { sums: vec![rows], ..Partial::default() });
    /// assert_eq!(shards.combine(rows.into_iter().enumerate())?.sums, [7.0]);
    /// # Ok::<(), surefoot_glm::shards::Interrupted>(())
    /// ```
    ///
    /// # Errors
    /// [`Interrupted`], if the run was stopped.
    pub fn combine(&self, own: impl IntoIterator<Item = (usize, Partial)>) -> Result<Partial, Interrupted> {
        let mut fold = Fold::new(self.total);
        own.into_iter().for_each(|(shard, partial)| _ = fold.insert(shard..shard + 1, partial));
        self.collective.combine(fold.into_nodes())
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shards").field("total", &self.total).finish_non_exhaustive()
    }
}
