//! The lanes' memory as named arrays and JSON, and back, bit for bit.

use super::Mix;
use crate::{
    Settings, State,
    engine::{Saved, arrays, scalars::Scalars},
    grouping::Grouping,
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

impl Mix {
    /// Goes on from what [`save`] gave.
    pub(crate) fn resume(settings: &Settings, index: &[u64], scalars: &Value, state: &State) -> Result<Mix, String> {
        let stacks = arrays::read(settings.intercept, index, 1, state)?;
        let stack = stacks.into_iter().next().ok_or("the state holds no coordinates")?;
        let grouping = Grouping::resume(settings, index, state)?;
        Ok(Mix::assemble(settings.loss, Scalars::resume(settings, scalars)?, stack, grouping))
    }
}
