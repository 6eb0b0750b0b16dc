//! Choice of the learner that the settings require: a new one, or one restored from a model's state.

use crate::{
    ball::in_ball::{self, InBall},
    model::{settings::Settings, state::State, trained_model::Model},
    online::{
        multiclass::{self, Multiclass},
        single_margin::{self, SingleMargin},
    },
    pass::learner::RowLearner,
};
use serde_json::Value;

/// Returns an untrained learner for the given settings, which must be valid. With `full_mixture` the best constant so
/// far and stacking are part of the model if the settings allow it.
pub(crate) fn new(settings: &Settings, full_mixture: bool) -> Box<dyn RowLearner> {
    match &settings.ball {
        Some(ball) => Box::new(InBall::new(settings, *ball)),
        None if settings.loss.is_multiclass() => Box::new(Multiclass::new(settings, full_mixture)),
        None => Box::new(SingleMargin::new(settings, full_mixture)),
    }
}

/// Error message for a ball constraint combined with a multiclass loss.
const NO_BALL: &str = "models in a ball have one margin: a loss of more than two classes takes none";

/// Checks the learner state in a model read from a file, as far as [`resume`] relies on it.
pub(crate) fn check(model: &Model, scalars: &Value, state: &State) -> Result<(), String> {
    match model.settings.ball {
        Some(ball) => in_ball::check(model, ball, scalars, state),
        None if model.settings.loss.is_multiclass() => multiclass::check(model, scalars, state),
        None => single_margin::check(model, scalars, state),
    }
}

/// Restores the learner of a model from its state: `scalars` and the arrays in `state` were saved by
/// [`RowLearner::save`], and `index` holds the feature ids of the model.
pub(crate) fn resume(
    settings: &Settings,
    index: &[u64],
    scalars: &Value,
    state: &State,
) -> Result<Box<dyn RowLearner>, String> {
    Ok(match &settings.ball {
        Some(_) if settings.loss.is_multiclass() => return Err(NO_BALL.to_owned()),
        None if settings.loss.is_multiclass() => Box::new(Multiclass::resume(settings, index, scalars, state)?),
        Some(ball) => Box::new(InBall::resume(settings, *ball, index, scalars, state)?),
        None => Box::new(SingleMargin::resume(settings, index, scalars, state)?),
    })
}
