//! Interface of online learners to the row loop and the [`Trainer`](crate::Trainer).

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
        summary::{Mixture, PathPoint},
    },
};
use serde_json::Value;
use std::{any::Any, fmt::Debug, io};

/// An online learner, to which [`RowLoop`] passes rows one by one. For each row, [`ask`](RowLearner::ask) computes the
/// loss, [`prepare`](RowLearner::prepare) computes the gradient, and [`tell`](RowLearner::tell) learns the row.
///
/// In all methods, `y` is the label as [`LabelEncoder`] encodes it: −1 or +1 or a proportion between them, a class
/// number, or a real number.
pub(crate) trait RowLearner: Any + Debug + Send {
    /// Learns rows `from..to` of a batch in order, by calling [`RowLoop::take_row`] for each.
    fn learn(&mut self, row_loop: &mut RowLoop, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)>;

    /// Looks up the coordinates of a row, for learners that look them up before [`ask`](RowLearner::ask).
    fn find(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let _ = row;
        Ok(())
    }

    /// Tells the learner that the rows that it will learn are not fresh: the model was chosen by them.
    fn reuse(&mut self) {}

    /// Computes the loss of the current model at a row, equal to the bit to the loss of the saved model. Does not
    /// change the model.
    fn ask(&mut self, row: &Row<'_>, encoder: &LabelEncoder, y: f64) -> Result<f64, Fault>;

    /// Writes the margins of the current model at the row given to the last `ask` to `margins`: a single one, or one
    /// per class by class number.
    fn margins(&self, margins: &mut Vec<f64>);

    /// Computes the gradient at the row given to the last `ask`, and may refuse the row; later steps cannot refuse it.
    fn prepare(&mut self, y: f64, weight: f64) -> Result<(), Fault>;

    /// Adds the class of the row given to the last `ask`, if the class is unseen. Called only for rows that are not
    /// refused.
    fn admit_class(&mut self, y: f64) {
        let _ = y;
    }

    /// Updates the mixture weights of the lanes (learners trained side by side) with their losses at the row given to
    /// the last `ask`, before the row is learnt.
    fn charge(&mut self, y: f64, weight: f64) {
        let _ = (y, weight);
    }

    /// Learns the row given to the last [`ask`](RowLearner::ask), from the gradient computed by
    /// [`prepare`](RowLearner::prepare).
    fn tell(&mut self, y: f64, weight: f64);

    /// Adapts the learner to the held-out rows at the end of a pass, before the models of the passes are compared on
    /// these rows.
    fn end_pass(&mut self, row_loop: &mut RowLoop) -> io::Result<()> {
        let _ = row_loop;
        Ok(())
    }

    /// Returns a predictor with the weights of the current model.
    fn predictor(&self, encoder: &LabelEncoder) -> Predictor;

    /// Returns the weights of the current model and the state needed to resume training.
    fn save(&self, encoder: &LabelEncoder) -> LearnerState;

    /// Returns the certificates that follow from the rows learnt so far, or the reasons why there are none. Costs
    /// O(features).
    fn certificates(&self) -> Vec<Certificate>;

    /// Returns the penalty that is applied at present (on a path, the one chosen so far); `None` if the learner applies
    /// no penalty.
    fn penalty(&self) -> Option<Penalty> {
        None
    }

    /// Returns the penalties of the path from which one is chosen, with the losses of their models; empty without a
    /// path.
    fn path(&self) -> Vec<PathPoint> {
        Vec::new()
    }

    /// Returns the members of the mixture: the lanes (learners trained side by side) and the constant prediction; empty
    /// for learners without lanes.
    fn mixture(&self) -> Mixture {
        Mixture::default()
    }
}

/// Weights and state of a learner, as they are stored in a model.
#[derive(Debug)]
pub(crate) struct LearnerState {
    /// Intercepts: one per class by ascending label for multiclass losses, otherwise a single one.
    pub(crate) intercept: Vec<f64>,
    /// Ids of the features seen in training, in ascending order.
    pub(crate) index: Vec<u64>,
    /// Weights, row-major with one row per feature and one column per class (a single column unless the loss is
    /// multiclass).
    pub(crate) weight: Vec<f64>,
    /// Scalars of the learner's state, as JSON.
    pub(crate) scalars: Value,
    /// Named arrays of the learner's state, most of them with one row per feature.
    pub(crate) arrays: Vec<Array>,
}
