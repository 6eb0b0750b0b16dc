//! The lanes' memory as named arrays and JSON, and back, bit for bit.

use super::Mix;
use crate::{
    model::{
        group_index::{self, Grouping},
        settings::Settings,
        state::State,
        trained_model::Model,
    },
    online::{
        arrays::{self, Arrays},
        scalars::Scalars,
    },
    pass::learner::Saved,
};
use serde_json::{Value, json};

/// The vector that predicts, and all that is needed to go on. O(features).
pub(super) fn save(mix: &Mix, sign: f64) -> Saved {
    let (stack, terms) = (&mix.stack, mix.terms(sign));
    let index = stack.ids();
    let mut weight = vec![0.0; index.len()];
    arrays::in_halves(&index, weight.as_mut_slice(), <[f64]>::split_at_mut, &|index, weights| {
        for (weight, &id) in weights.iter_mut().zip(index) {
            *weight = stack.weight(id, &terms, mix.grouping.as_ref());
        }
    });
    let mut arrays = arrays::save(std::slice::from_ref(stack), &index, &[]);
    arrays.extend(mix.grouping.iter().map(|grouping| grouping.save(&index)));
    Saved { intercept: vec![stack.intercept(&terms)], index, weight, scalars: json!(mix.scalars), arrays }
}

/// Checks what was read from a file.
pub(crate) fn check(model: &Model, scalars: &Value, state: &State) -> Result<(), String> {
    let (settings, features) = (&model.settings, model.index.len());
    let clock = Scalars::parse(settings, scalars)?.clock;
    Arrays::of(settings.intercept, features, 1, &clock, state)?;
    group_index::check(settings, features, state)
}

impl Mix {
    /// Goes on from what [`save`] gave.
    pub(crate) fn resume(settings: &Settings, index: &[u64], scalars: &Value, state: &State) -> Result<Mix, String> {
        let scalars = Scalars::resume(settings, scalars)?;
        let arrays = Arrays::of(settings.intercept, index.len(), 1, &scalars.clock, state)?;
        let stacks = arrays.stacks(settings.intercept, index)?;
        let stack = stacks.into_iter().next().ok_or("the state holds no coordinates")?;
        let grouping = Grouping::resume(settings, index, state)?;
        Ok(Mix::assemble(settings.loss, scalars, stack, grouping))
    }
}
