//! Validation of a whole model, including the state of its learner.

use super::{choice, kept_learner::KeptLearner, trainer::LEAST};
use crate::{
    model::{predictor::Predictor, state::State, trained_model::Model},
    pass::{holdout::RunState, order::OrderMonitor, row_loop::Counts},
};

impl Model {
    /// Checks that every number is within its range and that all parts fit together, as far as prediction and training
    /// rely on it. For models that have been read from a file or are about to be written. Costs O(size of the model).
    ///
    /// # Errors
    /// Returns a message that names the first invalid part.
    pub fn check(&self) -> Result<(), String> {
        self.check_parts()?;
        self.state.as_ref().map_or(Ok(()), |state| check_state(self, state))
    }
}

/// Checks the state of the model's learner, as far as [`Trainer::resume`](crate::Trainer::resume) relies on it.
fn check_state(model: &Model, state: &State) -> Result<(), String> {
    let (loss, classes) = (model.settings.loss, model.labels.classes.len());
    State::parse::<Counts>(&state.scalars["counts"])?.check(model)?;
    choice::check(model, &state.scalars["learner"], state)?;
    if model.unfinished.is_some() {
        State::parse::<RunState>(&state.scalars["run"])?.check(loss, classes)?;
        OrderMonitor::check(state)?;
        Predictor::check_arrays(LEAST, model, state)?;
        KeptLearner::resume(state)?.map_or(Ok(()), |kept| kept.check(model))?;
    }
    Ok(())
}
