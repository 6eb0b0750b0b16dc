//! What a model remembers of its training, for people to read.

use super::order_alarm::OrderAlarm;
use serde::{Deserialize, Serialize};

/// What a model remembers of its training for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Rows read, over all passes.
    pub rows: u64,
    /// Rows of weight 0 among them.
    pub rows_zero_weight: u64,
    /// Pairs read.
    pub nnz: u64,
    /// Passes completed in this run; not stored, since a model does not know how its rows were asked for.
    #[serde(skip)]
    pub passes: u32,
    /// Sum of the weights of the rows whose loss is in `loss`.
    pub weight: f64,
    /// The printed loss; `None` before the first row.
    pub loss: Option<f64>,
    /// The loss of the best constant on the same rows.
    pub loss_constant: Option<f64>,
    /// Where the order of rows has made the printed loss worthless. Only models know, not trainers in the middle of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderAlarm>,
    /// The leading lane: its scale D; `None` where there are no lanes.
    pub lane: Option<f64>,
    /// Scale, selection statistic and share of each lane; none for a model in a ball.
    pub lanes: Vec<Lane>,
    /// Penalties that were tried side by side, from the largest to none, where one was to be chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathPoint>,
}

/// One penalty of those in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// The factors of the penalty.
    pub l1: f64,
    #[allow(missing_docs)]
    pub l2: f64,
    /// The mean loss of its model on rows that it had not learnt; in one pass late ones count more.
    pub loss: f64,
    /// The standard error of that mean, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// One lane in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// The scale D.
    pub scale: f64,
    /// The selection statistic (smaller is better); never a loss that is printed as such.
    pub statistic: f64,
    /// Its share in the model that predicts, in [0, 1]; the shares sum to 1.
    pub share: f64,
}
