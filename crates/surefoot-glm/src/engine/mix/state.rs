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
    let index: Vec<u64> = stack.seen().map(|(id, _)| id).collect();
    let mut weight = Vec::with_capacity(index.len());
    // The state is copied meanwhile: a run stands still while it is saved.
    let mut arrays = std::thread::scope(|scope| {
        let arrays = scope.spawn(|| arrays::save(std::slice::from_ref(stack), &index, &[]));
        weight.extend(stack.vector(&terms, mix.grouping.as_ref()).map(|(_, live)| live));
        arrays.join().expect("copying does not panic")
    });
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
