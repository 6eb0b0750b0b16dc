//! Saving and restoring the state of the multiclass learner as named arrays and JSON, exact to the bit.

use super::Multiclass;
use crate::{
    labels::encoder::LabelEncoder,
    model::{
        group_index::{self, GroupIndex},
        predictor::Predictor,
        settings::Settings,
        state::State,
        trained_model::Model,
    },
    numeric::check::need,
    online::{
        arrays::{self, Arrays},
        constant::ClassConstants,
        coordinate_store::CoordinateStore,
        scalars::Scalars,
        terms::Terms,
    },
    pass::learner::LearnerState,
};
use serde_json::{Value, json};

/// Returns a predictor with the weights of the current model, and with classes by ascending label.
pub(super) fn predictor(learner: &Multiclass, encoder: &LabelEncoder) -> Predictor {
    let saved = vectors(learner, encoder);
    Predictor::of_columns(encoder.classes().labels(), saved.intercept, &saved.index, saved.weight)
}

/// Returns the weights of the model and the state needed to resume training. Costs O(features · classes).
pub(super) fn save(learner: &Multiclass, encoder: &LabelEncoder) -> LearnerState {
    let mut saved = vectors(learner, encoder);
    let met = &learner.stores[..learner.len()];
    saved.scalars = json!({ "lanes": learner.scalars, "constants": learner.constants, "classes": met.len() });
    saved.arrays = arrays::save(met, &saved.index, &[met.len()]);
    saved.arrays.extend(learner.group_index.iter().map(|group_index| group_index.save(&saved.index)));
    saved
}

fn vectors(learner: &Multiclass, encoder: &LabelEncoder) -> LearnerState {
    let order: Vec<(&CoordinateStore, Terms)> =
        encoder.classes().ascending().map(|number| (&learner.stores[number], learner.terms(number))).collect();
    // Every row is learnt by all classes seen so far, so the first store holds all features.
    let index = learner.stores[0].ids();
    let weight = index.iter().flat_map(|&id| order.iter().map(move |store| (store, id)));
    LearnerState {
        intercept: order.iter().map(|(store, terms)| store.intercept(terms)).collect(),
        weight: weight.map(|((store, terms), id)| store.weight(id, terms, learner.group_index.as_ref())).collect(),
        index,
        scalars: Value::Null,
        arrays: Vec::new(),
    }
}

/// Checks that a learner state read from a file fits the model, and that its numbers are within their ranges.
pub(crate) fn check(model: &Model, scalars: &Value, state: &State) -> Result<(), String> {
    let (settings, features, count) = (&model.settings, model.index.len(), count(scalars)?);
    need(count == model.labels.classes.len(), "the classes of the state are not those of the model")?;
    constants(scalars, count)?;
    let averaging = Scalars::parse(settings, &scalars["lanes"])?.averaging;
    Arrays::of(settings.intercept, features, count, &averaging, state)?;
    group_index::check(settings, features, state)
}

/// Returns the number of classes in a state written by [`save`].
fn count(scalars: &Value) -> Result<usize, String> {
    State::parse::<usize>(&scalars["classes"])
}

/// Returns the statistics of the constant prediction in a state written by [`save`], empty if it has none.
fn constants(scalars: &Value, classes: usize) -> Result<ClassConstants, String> {
    let constants = scalars.get("constants").map_or(Ok(ClassConstants::default()), State::parse::<ClassConstants>)?;
    constants.check(classes).map(|()| constants)
}

impl Multiclass {
    /// Rebuilds the learner from a state written by [`save`].
    pub(crate) fn resume(
        settings: &Settings,
        index: &[u64],
        scalars_json: &Value,
        state: &State,
    ) -> Result<Multiclass, String> {
        let (count, scalars) = (count(scalars_json)?, Scalars::resume(settings, &scalars_json["lanes"])?);
        let arrays = Arrays::of(settings.intercept, index.len(), count, &scalars.averaging, state)?;
        let stores = arrays.stores(settings.intercept, index)?;
        let constants = constants(scalars_json, count)?;
        let group_index = GroupIndex::resume(settings, index, state)?;
        Ok(Multiclass::assemble(settings, scalars, constants, stores, group_index))
    }
}
