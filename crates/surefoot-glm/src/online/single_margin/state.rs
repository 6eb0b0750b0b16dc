//! Saving and restoring the state of the single-margin learner as named arrays and JSON, exact to the bit.

use super::SingleMargin;
use crate::{
    model::{
        group_index::{self, GroupIndex},
        settings::Settings,
        state::State,
        trained_model::Model,
    },
    online::{
        arrays::{self, Arrays},
        scalars::Scalars,
    },
    pass::learner::LearnerState,
};
use serde_json::{Value, json};

/// Returns the weights of the model and the state needed to resume training. Costs O(features).
pub(super) fn save(learner: &SingleMargin, sign: f64) -> LearnerState {
    let (store, terms) = (&learner.store, learner.terms(sign));
    let index = store.ids();
    let mut weight = vec![0.0; index.len()];
    arrays::in_halves(&index, weight.as_mut_slice(), <[f64]>::split_at_mut, &|index, weights| {
        for (weight, &id) in weights.iter_mut().zip(index) {
            *weight = store.weight(id, &terms, learner.group_index.as_ref());
        }
    });
    let mut arrays = arrays::save(std::slice::from_ref(store), &index, &[]);
    arrays.extend(learner.group_index.iter().map(|group_index| group_index.save(&index)));
    LearnerState { intercept: vec![store.intercept(&terms)], index, weight, scalars: json!(learner.scalars), arrays }
}

/// Checks that a learner state read from a file fits the model, and that its numbers are within their ranges.
pub(crate) fn check(model: &Model, scalars: &Value, state: &State) -> Result<(), String> {
    let (settings, features) = (&model.settings, model.index.len());
    let averaging = Scalars::parse(settings, scalars)?.averaging;
    Arrays::of(settings.intercept, features, 1, &averaging, state)?;
    group_index::check(settings, features, state)
}

impl SingleMargin {
    /// Rebuilds the learner from a state written by [`save`].
    pub(crate) fn resume(
        settings: &Settings,
        index: &[u64],
        scalars: &Value,
        state: &State,
    ) -> Result<SingleMargin, String> {
        let scalars = Scalars::resume(settings, scalars)?;
        let arrays = Arrays::of(settings.intercept, index.len(), 1, &scalars.averaging, state)?;
        let stores = arrays.stores(settings.intercept, index)?;
        let store = stores.into_iter().next().ok_or("the state holds no coordinates")?;
        let group_index = GroupIndex::resume(settings, index, state)?;
        Ok(SingleMargin::assemble(settings.loss, scalars, store, group_index))
    }
}
