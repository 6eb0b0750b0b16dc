//! Whether a model, its learner's state included, is one that can be predicted with and trained further.

use super::{choice, trainer::LEAST};
use crate::{
    model::{predictor::Predictor, state::State, trained_model::Model},
    pass::{holdout::RunState, order::OrderMonitor, row_loop::Counts},
};

impl Model {
    /// Checks that every number is within its range and that all parts fit together, as far as anything relies on it: models
    /// that come from a file, or go into one.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), String> {
        self.check_parts()?;
        self.state.as_ref().map_or(Ok(()), |state| check_state(self, state))
    }
}

/// Checks the state of a model that was read from a file: what [`Trainer::resume`](crate::Trainer::resume) relies on.
fn check_state(model: &Model, state: &State) -> Result<(), String> {
    let (loss, classes) = (model.settings.loss, model.labels.classes.len());
    State::parse::<Counts>(&state.scalars["books"])?.check(model)?;
    choice::check(model, &state.scalars["engine"], state)?;
    if model.unfinished.is_some() {
        State::parse::<RunState>(&state.scalars["run"])?.check(loss, classes)?;
        OrderMonitor::check(state)?;
        Predictor::check_arrays(LEAST, model, state)?;
    }
    Ok(())
}
