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

/// A learner that [`RowLoop`] hands rows one by one. Per row: [`ask`](RowLearner::ask) for the loss, [`prepare`](RowLearner::prepare) the
/// gradient, [`tell`](RowLearner::tell).
///
/// `y` is the label as [`LabelEncoder`] encodes it: −1 or +1, a class number, or a real number.
pub(crate) trait RowLearner: Debug + Send {
    /// Takes rows `from..to` of a batch in order, calling [`RowLoop::take_row`] for each.
    fn learn(&mut self, row_loop: &mut RowLoop, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)>;

    /// Loss of the current model at a row, equal to the bit to that of the saved model. Changes no coordinate.
    fn ask(&mut self, row: &Row<'_>, encoder: &LabelEncoder, y: f64) -> Result<f64, Fault>;

    /// Margins of the current model at the row asked last: one, or one per class by class number.
    fn margins(&self, margins: &mut Vec<f64>);

    /// Computes the gradient at the row asked last. The last step that may refuse the row.
    fn prepare(&mut self, y: f64, weight: f64) -> Result<(), Fault>;

    /// Makes room for the class of the row asked last, if it is new. Called for accepted rows only.
    fn admit_class(&mut self, y: f64) {
        let _ = y;
    }

    /// Charges the lanes for their losses at the row asked last, before it is learnt.
    fn charge(&mut self, y: f64, weight: f64) {
        let _ = (y, weight);
    }

    /// Learns from the row asked last.
    fn tell(&mut self, y: f64, weight: f64);

    /// Uses the held-out rows at the end of a pass, before models are compared on them.
    fn end_pass(&mut self, row_loop: &mut RowLoop) -> io::Result<()> {
        let _ = row_loop;
        Ok(())
    }

    /// The current model, for prediction.
    fn predictor(&self, encoder: &LabelEncoder) -> Predictor;

    /// Weights of the current model, and the state needed to resume.
    fn save(&self, encoder: &LabelEncoder) -> LearnerState;

    /// Certificates that follow from the run so far. O(features).
    fn certificates(&self) -> Vec<Certificate>;

    /// The penalty in force, if one is chosen during the pass.
    fn penalty(&self) -> Option<Penalty> {
        None
    }

    /// The penalties to choose from, with their losses.
    fn path(&self) -> Vec<PathPoint> {
        Vec::new()
    }

    /// The lanes, and the step-size scale of the leading one.
    fn lanes(&self) -> (Vec<Lane>, Option<f64>) {
        (Vec::new(), None)
    }

    /// Whether the leading lane is at an end of the grid of scales: −1 lowest, 1 highest, 0 neither.
    fn grid_edge(&self) -> i8 {
        0
    }
}

/// Weights and state of a learner, as stored in a model.
#[derive(Debug)]
pub(crate) struct LearnerState {
    /// One per column; a column per class by ascending label, or one column.
    pub(crate) intercept: Vec<f64>,
    pub(crate) index: Vec<u64>,
    /// Row-major: a row per feature, a column per class.
    pub(crate) weight: Vec<f64>,
    pub(crate) scalars: Value,
    pub(crate) arrays: Vec<Array>,
}
