//! The trait of learners behind a [`Trainer`](crate::Trainer).

use super::row_loop::RowLoop;
use crate::{
    data::{
        fault::Fault,
        rows::{Batch, Row},
    },
    labels::encoder::LabelEncoder,
    model::{
        certificate::Certificate,
        predictor::Predictor,
        settings::Penalty,
        state::Array,
        summary::{Lane, PathPoint},
    },
};
use serde_json::Value;
use std::{fmt::Debug, io};

/// A learner to which [`RowLoop`] passes rows one by one. For each row, [`ask`](RowLearner::ask) computes the loss,
/// [`prepare`](RowLearner::prepare) the gradient, and [`tell`](RowLearner::tell) learns the row.
///
/// In all methods, `y` is the label as [`LabelEncoder`] encodes it: −1 or +1 or a proportion between them, a class
/// number, or a real number.
pub(crate) trait RowLearner: Debug + Send {
    /// Takes rows `from..to` of a batch in order, calling [`RowLoop::take_row`] for each.
    fn learn(&mut self, row_loop: &mut RowLoop, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)>;

    /// Computes the loss of the current model at a row, equal to the bit to the loss of the saved model. Changes no
    /// coordinate.
    fn ask(&mut self, row: &Row<'_>, encoder: &LabelEncoder, y: f64) -> Result<f64, Fault>;

    /// Writes the margins of the current model at the row asked last to `margins`: one, or one per class by class
    /// number.
    fn margins(&self, margins: &mut Vec<f64>);

    /// Computes the gradient at the row asked last. This is the last step that may refuse the row.
    fn prepare(&mut self, y: f64, weight: f64) -> Result<(), Fault>;

    /// Adds the class of the row asked last, if it is new. Called for accepted rows only.
    fn admit_class(&mut self, y: f64) {
        let _ = y;
    }

    /// Updates the mixture weights of the lanes (learners trained side by side) with their losses at the row asked
    /// last, before it is learnt.
    fn charge(&mut self, y: f64, weight: f64) {
        let _ = (y, weight);
    }

    /// Learns from the last row given to [`ask`](RowLearner::ask), for which the gradient has been prepared.
    fn tell(&mut self, y: f64, weight: f64);

    /// Uses the held-out rows at the end of a pass, before models are compared on them.
    fn end_pass(&mut self, row_loop: &mut RowLoop) -> io::Result<()> {
        let _ = row_loop;
        Ok(())
    }

    /// Returns the predictor of the current model.
    fn predictor(&self, encoder: &LabelEncoder) -> Predictor;

    /// Returns the weights of the current model, and the state needed to resume training.
    fn save(&self, encoder: &LabelEncoder) -> LearnerState;

    /// Returns the certificates that follow from the run so far. Costs O(features).
    fn certificates(&self) -> Vec<Certificate>;

    /// Returns the penalty in force, for a learner with a penalty that is chosen or applied during the pass.
    fn penalty(&self) -> Option<Penalty> {
        None
    }

    /// Returns the penalties of the path to choose from, with the losses of their models.
    fn path(&self) -> Vec<PathPoint> {
        Vec::new()
    }

    /// Returns the lanes (learners trained side by side), and the step-size scale of the lane with the largest share.
    fn lanes(&self) -> (Vec<Lane>, Option<f64>) {
        (Vec::new(), None)
    }

    /// Returns −1 if the lane with the largest share has the lowest scale of the grid, 1 if it has the highest, and 0
    /// otherwise.
    fn grid_edge(&self) -> i8 {
        0
    }
}

/// Weights and state of a learner, as they are stored in a model.
#[derive(Debug)]
pub(crate) struct LearnerState {
    /// Intercepts, one per column: one column per class by ascending label, or a single column.
    pub(crate) intercept: Vec<f64>,
    /// Ids of the features seen, in ascending order.
    pub(crate) index: Vec<u64>,
    /// Weights, row-major: one row per feature, one column per class.
    pub(crate) weight: Vec<f64>,
    /// Scalars of the learner, as JSON.
    pub(crate) scalars: Value,
    /// Named arrays of the learner, with one row per feature.
    pub(crate) arrays: Vec<Array>,
}
