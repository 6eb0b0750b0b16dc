//! The summary of a training run, stored in its model for people to read.

use super::order_alarm::OrderAlarm;
use serde::{Deserialize, Serialize};

/// Summary of a training run, stored in its model for people to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of rows read, over all passes.
    pub rows: u64,
    /// Number of rows read that have weight 0 or no label.
    pub rows_zero_weight: u64,
    /// Number of nonzeros read, over all passes.
    pub nnz: u64,
    /// Number of passes completed in the run; not stored in models.
    #[serde(skip)]
    pub passes: u32,
    /// Sum of the weights of the rows whose loss is in `loss`.
    pub weight: f64,
    /// Loss that is reported to the user: held-out if rows are held out, otherwise progressive; `None` before the
    /// first row.
    pub loss: Option<f64>,
    /// Loss of the best constant prediction on the rows of `loss`.
    pub loss_constant: Option<f64>,
    /// Alarm about the order of rows; `None` without an alarm, and in summaries during a run.
    #[serde(rename = "order_alarm", default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderAlarm>,
    /// Step-size scale D of the lane with the largest share; a lane is one of the learners trained side by side.
    /// `None` for a learner without lanes.
    pub lane: Option<f64>,
    /// Scale, selection statistic and share of each lane; empty for a learner without lanes.
    pub lanes: Vec<Lane>,
    /// Penalties of the path, from the heaviest to the lightest; empty if no penalty was chosen along a path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathPoint>,
}

/// One penalty of the path in a [`Summary`], with the loss of its model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Factor l1 of ‖w‖₁.
    pub l1: f64,
    #[allow(missing_docs)]
    pub l2: f64,
    /// Mean loss of the penalty's model on rows that it had not learnt; in a single pass, later rows have larger
    /// weights.
    pub loss: f64,
    /// Standard error of the mean loss; `None` if it is unknown.
    #[serde(rename = "standard_error", default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// One lane (one of the learners trained side by side) in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Step-size scale D of the lane.
    pub scale: f64,
    /// Selection statistic of the lane relative to the best lane; smaller is better. The statistic is never reported
    /// as a loss.
    pub statistic: f64,
    /// Share of the lane in the model that predicts, in [0, 1]; the shares of all lanes sum to 1.
    pub share: f64,
}
