//! What learns behind a [`Trainer`](crate::Trainer): six lanes without a tuning grid, or one learner in a ball.

pub(crate) mod ball;
pub(crate) mod mix;

use crate::{Array, Batch, Certificate, Fault, Lane, Predictor, Row, Settings, State, books::Books};
use serde_json::Value;
use std::{fmt::Debug, io};

/// A learner of margins. [`Books`] hands it rows one by one: asks for the margin, readies the gradient, tells.
///
/// Labels are those of training, y; the model's margins are the engine's times `sign` (see
/// [`Coding`](crate::coding::Coding)).
pub(crate) trait Engine: Debug {
    /// Takes rows `from..to` of a batch in order, each by way of [`Books::step`].
    fn learn(&mut self, books: &mut Books, batch: &Batch, from: usize, to: usize) -> Result<(), (usize, Fault)>;

    /// The margin of the model that a save would store now, to the bit. Changes no coordinate.
    fn ask(&mut self, row: &Row<'_>, sign: f64) -> Result<f64, Fault>;

    /// Readies the gradient of the row asked last; the last chance to refuse it.
    fn ready(&mut self, y: f64, weight: f64) -> Result<(), Fault>;

    /// Looks at the row asked last for ends of its own, before it is told.
    fn judge(&mut self, y: f64, weight: f64) {
        let _ = (y, weight);
    }

    /// Learns the row asked last.
    fn tell(&mut self, y: f64, weight: f64);

    /// Looks at the held-out rows at the end of a pass, before the model is judged by them.
    fn end_pass(&mut self, books: &mut Books) -> io::Result<()> {
        let _ = books;
        Ok(())
    }

    /// The model that a save would store now.
    fn predictor(&self, sign: f64) -> Predictor;

    /// Its vector, and all that is needed to go on.
    fn save(&self, sign: f64) -> Saved;

    /// What can be said of the model from the run alone. O(features).
    fn certificates(&self) -> Vec<Certificate>;

    /// The lanes, and the scale of the one that leads.
    fn lanes(&self) -> (Vec<Lane>, Option<f64>) {
        (Vec::new(), None)
    }

    /// Which end of the grid the leading lane is at: −1, 0 or 1.
    fn edge(&self) -> i8 {
        0
    }
}

/// What an engine stores in a model.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) intercept: f64,
    pub(crate) index: Vec<u64>,
    pub(crate) weight: Vec<f64>,
    pub(crate) scalars: Value,
    pub(crate) arrays: Vec<Array>,
}

/// The engine that the settings ask for, before its first row.
pub(crate) fn new(settings: &Settings) -> Box<dyn Engine> {
    match &settings.ball {
        Some(ball) => Box::new(ball::InBall::new(settings, *ball)),
        None => Box::new(mix::Mix::new(settings)),
    }
}

/// The engine of a model that holds its state: `scalars` and `state` are what [`Engine::save`] gave, `index` the features.
pub(crate) fn resume(
    settings: &Settings,
    index: &[u64],
    scalars: &Value,
    state: &State,
) -> Result<Box<dyn Engine>, String> {
    Ok(match &settings.ball {
        Some(ball) => Box::new(ball::InBall::resume(settings, *ball, index, scalars, state)?),
        None => Box::new(mix::Mix::resume(settings, index, scalars, state)?),
    })
}
