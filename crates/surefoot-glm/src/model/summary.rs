//! Summary of a training run, stored in its model for people to read.

use super::order_alarm::OrderAlarm;
use serde::{Deserialize, Serialize};

/// Summary of a training run, stored in its model for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Rows read, over all passes.
    pub rows: u64,
    /// Rows of weight 0 among them.
    pub rows_zero_weight: u64,
    /// Nonzeros read.
    pub nnz: u64,
    /// Passes completed in this run; not stored in models.
    #[serde(skip)]
    pub passes: u32,
    /// Sum of the weights of the rows whose loss is in `loss`.
    pub weight: f64,
    /// The printed loss; `None` before the first row.
    pub loss: Option<f64>,
    /// Loss of the best constant prediction on the same rows.
    pub loss_constant: Option<f64>,
    /// Alarm about the order of rows, if any. Only in models, not in summaries during a run.
    #[serde(rename = "order_alarm", default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderAlarm>,
    /// Scale D of the leading lane; `None` for a learner without lanes.
    pub lane: Option<f64>,
    /// Scale, selection statistic and share of each lane; empty for a model in a ball.
    pub lanes: Vec<Lane>,
    /// Penalties of the path, from the heaviest to none, if one was chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathPoint>,
}

/// A penalty of the path in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Factors of the penalty.
    pub l1: f64,
    #[allow(missing_docs)]
    pub l2: f64,
    /// Mean loss of its model on rows that it had not learnt; in one pass later rows count more.
    pub loss: f64,
    /// Standard error of that mean, where it is known.
    #[serde(rename = "standard_error", default, skip_serializing_if = "Option::is_none")]
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
