//! Fits of a model to rows in shards: the part of one process, which owns some of the shards. One pass over the rows, or the optimum over
//! all of them.

mod findings;
mod one_pass;
mod optimum;

pub use one_pass::Rounds;

use serde::{Deserialize, Serialize};
use surefoot_glm::{Caution, Model, optimum::Optimum};

/// Names of groups of features that match no feature of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedGroups {
    /// Names with penalty factors.
    pub factors: Vec<String>,
    /// Names with bounds of the weights.
    pub bounds: Vec<String>,
}

/// Result of a fit to rows in shards, the same in all processes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShardedOutcome {
    /// Trained model.
    pub model: Model,
    /// Result of the search for the optimum; `None` after one pass.
    pub optimum: Option<Optimum>,
    /// Reason why the optimum should not be used as it is; `None` if there is no such reason.
    pub caution: Option<Caution>,
    /// Number of rows at fault that were skipped.
    pub skipped: u64,
    /// Groups of features of the settings that match no feature.
    pub unused_groups: UnusedGroups,
    /// Whether the run has come to its end, and was not stopped.
    pub is_over: bool,
}
