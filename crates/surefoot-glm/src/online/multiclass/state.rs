//! The memory of all classes as named arrays and JSON, and back, bit for bit.

use super::Classes;
use crate::{
    labels::encoder::Coding,
    model::{
        group_index::{self, Grouping},
        predictor::Predictor,
        settings::Settings,
        state::State,
        trained_model::Model,
    },
    numeric::check::need,
    online::{
        arrays::{self, Arrays},
        coordinate_store::Stack,
        scalars::Scalars,
    },
    pass::learner::Saved,
};
use serde_json::{Value, json};

/// The model's vectors, by ascending label.
pub(super) fn predictor(classes: &Classes, coding: &Coding) -> Predictor {
    let saved = vectors(classes, coding);
    Predictor::of_columns(coding.classes().labels(), saved.intercept, &saved.index, saved.weight)
}

/// The vectors that predict, and all that is needed to go on. O(features · classes).
pub(super) fn save(classes: &Classes, coding: &Coding) -> Saved {
    let mut saved = vectors(classes, coding);
    let met = &classes.stacks[..classes.len()];
    saved.scalars = json!({ "lanes": classes.scalars, "classes": met.len() });
    saved.arrays = arrays::save(met, &saved.index, &[met.len()]);
    saved.arrays.extend(classes.grouping.iter().map(|grouping| grouping.save(&saved.index)));
    saved
}

fn vectors(classes: &Classes, coding: &Coding) -> Saved {
    let terms = classes.terms();
    let order: Vec<&Stack> = coding.classes().ascending().map(|number| &classes.stacks[number]).collect();
    // Every row is learnt by all classes that were met, so the first knows all features.
    let index = classes.stacks[0].ids();
    let weight = index.iter().flat_map(|&id| order.iter().map(move |stack| (stack, id)));
    Saved {
        intercept: order.iter().map(|stack| stack.intercept(&terms)).collect(),
        weight: weight.map(|(stack, id)| stack.weight(id, &terms, classes.grouping.as_ref())).collect(),
        index,
        scalars: Value::Null,
        arrays: Vec::new(),
    }
}

/// Checks what was read from a file.
pub(crate) fn check(model: &Model, scalars: &Value, state: &State) -> Result<(), String> {
    let (settings, features, count) = (&model.settings, model.index.len(), count(scalars)?);
    need(count == model.labels.classes.len(), "the classes of the state are not those of the model")?;
    let clock = Scalars::parse(settings, &scalars["lanes"])?.clock;
    Arrays::of(settings.intercept, features, count, &clock, state)?;
    group_index::check(settings, features, state)
}

/// The number of classes in what [`save`] gave.
fn count(scalars: &Value) -> Result<usize, String> {
    State::parse::<usize>(&scalars["classes"])
}

impl Classes {
    /// Goes on from what [`save`] gave.
    pub(crate) fn resume(
        settings: &Settings,
        index: &[u64],
        scalars: &Value,
        state: &State,
    ) -> Result<Classes, String> {
        let (count, scalars) = (count(scalars)?, Scalars::resume(settings, &scalars["lanes"])?);
        let arrays = Arrays::of(settings.intercept, index.len(), count, &scalars.clock, state)?;
        let stacks = arrays.stacks(settings.intercept, index)?;
        let grouping = Grouping::resume(settings, index, state)?;
        Ok(Classes::assemble(settings, scalars, stacks, grouping))
    }
}
