//! Summary of a training run, stored in its model for the user's information.

use super::order_alarm::OrderAlarm;
use serde::{Deserialize, Serialize};

/// Summary of a training run, stored in its model for the user's information.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of rows read, counted once per pass.
    pub rows: u64,
    /// Number of rows read that were not learnt because they have weight 0 or no label.
    pub rows_zero_weight: u64,
    /// Number of nonzeros read, over all passes.
    pub nnz: u64,
    /// Number of completed passes; not stored in models.
    #[serde(skip)]
    pub passes: u32,
    /// Total weight of the rows over which `loss` is the mean.
    pub weight: f64,
    /// Mean loss that is reported to the user: on held-out rows if rows are held out, otherwise progressive (each row
    /// scored before it is learnt); `None` before the first row.
    pub loss: Option<f64>,
    /// Mean loss of the best constant prediction on the rows of `loss`; `None` if it is unknown.
    pub loss_constant: Option<f64>,
    /// Alarm that the order of rows made `loss` meaningless; `None` if there is no alarm, and in summaries taken
    /// during a run.
    #[serde(rename = "order_alarm", default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderAlarm>,
    /// Step-size scale D of the lane with the largest share in the model. A lane is one of the learners trained side
    /// by side; `None` if the learner has no lanes.
    pub lane: Option<f64>,
    /// Lanes (learners trained side by side), each with its step-size scale, the sum of losses by which lanes are
    /// compared, and its share in the model; empty if the learner has no lanes.
    pub lanes: Vec<Lane>,
    /// Constant prediction as a member of the mixture; `None` if it is not mixed with the lanes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant_lane: Option<ConstantLane>,
    /// Penalties that were compared (the path, a grid from the heaviest penalty to the lightest), with their losses;
    /// empty if the penalty was not chosen from a path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<PathPoint>,
}

/// Point of a penalty path: one of the compared penalties, with the loss of its model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Factor l1 of ‖w‖₁ in the objective.
    pub l1: f64,
    #[allow(missing_docs)]
    pub l2: f64,
    /// Mean loss of the model with this penalty on rows that it had not learnt; in a single pass, later rows have
    /// larger weights in this mean.
    pub loss: f64,
    /// Standard error of `loss`; `None` if it is unknown.
    #[serde(rename = "standard_error", default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
}

/// Lane (one of the learners trained side by side) as shown in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Step-size scale D of the lane (one of the learners trained side by side); all lanes have different scales.
    pub scale: f64,
    /// Discounted sum of losses of this lane (one of the learners trained side by side) minus that of the best lane;
    /// shares are computed from it. Smaller is better; it is never reported as a loss.
    pub statistic: f64,
    /// Weight of the lane (one of the learners trained side by side) in the mixture of all lanes and of the constant
    /// prediction; the weights are in [0, 1] and sum to 1.
    pub share: f64,
    /// Coefficient of the lane in the model: its share, corrected by stacking (a linear combination of the lanes learnt
    /// from their margins); `None` for losses without stacking, where it is the share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coefficient: Option<f64>,
}

/// Constant prediction (the best constant margin so far), which is mixed with the lanes (learners trained side by side),
/// as shown in a [`Summary`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstantLane {
    /// Weight of the constant prediction in the mixture, as [`Lane::share`].
    pub share: f64,
    /// Coefficient of the constant prediction in the model, as [`Lane::coefficient`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coefficient: Option<f64>,
}

/// Members of the mixture that is the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mixture {
    pub(crate) lanes: Vec<Lane>,
    /// Step-size scale of the lane with the largest share.
    pub(crate) leader: Option<f64>,
    pub(crate) constant: Option<ConstantLane>,
}
