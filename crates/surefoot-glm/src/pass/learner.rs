//! The trait that every learner behind a [`Trainer`](crate::Trainer) implements.

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

/// A learner of margins. [`RowLoop`] hands it rows one by one: asks for the loss, readies the gradient, tells.
///
/// Labels are those of training, y: what [`LabelEncoder`] makes of them.
pub(crate) trait RowLearner: Debug + Send {
    /// Takes rows `from..to` of a batch in order, each by way of [`RowLoop::step`].
    fn learn(&mut self, row_loop: &mut RowLoop, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)>;

    /// The loss at a row of the model that a save would store now, to the bit. Changes no coordinate.
    fn ask(&mut self, row: &Row<'_>, encoder: &LabelEncoder, y: f64) -> Result<f64, Fault>;

    /// The margins of the row asked last, as the model has them: one, or one a class by number.
    fn margins(&self, margins: &mut Vec<f64>);

    /// Readies the gradient of the row asked last; the last chance to refuse it.
    fn prepare(&mut self, y: f64, weight: f64) -> Result<(), Fault>;

    /// Makes room for the class of the row asked last, if it is new and the row is not refused.
    fn admit_class(&mut self, y: f64) {
        let _ = y;
    }

    /// Looks at the row asked last for ends of its own, before it is told.
    fn charge(&mut self, y: f64, weight: f64) {
        let _ = (y, weight);
    }

    /// Learns the row asked last.
    fn tell(&mut self, y: f64, weight: f64);

    /// Looks at the held-out rows at the end of a pass, before the model is judged by them.
    fn end_pass(&mut self, row_loop: &mut RowLoop) -> io::Result<()> {
        let _ = row_loop;
        Ok(())
    }

    /// The model that a save would store now.
    fn predictor(&self, encoder: &LabelEncoder) -> Predictor;

    /// Its vectors, and all that is needed to go on.
    fn save(&self, encoder: &LabelEncoder) -> LearnerState;

    /// What can be said of the model from the run alone. O(features).
    fn certificates(&self) -> Vec<Certificate>;

    /// The penalty in force, where it was to be chosen.
    fn penalty(&self) -> Option<Penalty> {
        None
    }

    /// All penalties that one is chosen of.
    fn path(&self) -> Vec<PathPoint> {
        Vec::new()
    }

    /// The lanes, and the scale of the one that leads.
    fn lanes(&self) -> (Vec<Lane>, Option<f64>) {
        (Vec::new(), None)
    }

    /// Which end of the grid the leading lane is at: −1, 0 or 1.
    fn grid_edge(&self) -> i8 {
        0
    }
}

/// What an engine stores in a model.
#[derive(Debug)]
pub(crate) struct LearnerState {
    /// One a column: of the model's only margin, or of classes by ascending label.
    pub(crate) intercept: Vec<f64>,
    pub(crate) index: Vec<u64>,
    /// A row a feature.
    pub(crate) weight: Vec<f64>,
    pub(crate) scalars: Value,
    pub(crate) arrays: Vec<Array>,
}
