//! Saving and restoring the state of the learner in a ball as named arrays, exact to the bit.

use super::InBall;
use crate::{
    memory::feature_index::FeatureIndex,
    model::{
        settings::{Ball, Settings},
        state::{Array, Numbers, State},
        trained_model::Model,
    },
    numeric::check::{all, need},
    pass::learner::LearnerState,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use surefoot::Memory;

/// Name of the saved array that holds the numbers of the learner other than its vectors, such as sums and counters.
const NUMBERS: &str = "scalars";
/// Name of the saved array that holds the coordinate number of each feature, in the order of the model's feature list.
/// The learner's other arrays are ordered by coordinate number, with the intercept first.
const ORDER: &str = "coordinate";

/// Flags of the learner, which are saved as JSON beside the arrays.
#[derive(Debug, Serialize, Deserialize)]
struct Scalars {
    /// Whether some rows may have been learnt more than once.
    #[serde(rename = "rows_reused")]
    reused: bool,
    /// Whether some row had a weight other than 1.
    #[serde(rename = "rows_weighted")]
    weighted: bool,
}

/// Returns the weights of the current model, and the state needed to resume training. Costs O(features).
pub(super) fn save(learner: &InBall, sign: f64) -> LearnerState {
    let (index, order): (Vec<u64>, Vec<u32>) = learner.feature_index.features().unzip();
    let weight = order.iter().map(|&number| learner.weight(number, sign)).collect();
    let (mut method, mut tracker, mut label_range) =
        (learner.method.clone(), learner.tracker.clone(), learner.label_range);
    let mut numbers = Vec::new();
    method.each_number(&mut |x| numbers.push(*x));
    tracker.each_number(&mut |x| numbers.push(*x));
    label_range.each_number(&mut |x| numbers.push(*x));
    let order = Array { name: ORDER.into(), shape: vec![order.len()], data: Numbers::U32(order) };
    let mut arrays = vec![order, Array::flat(NUMBERS, numbers)];
    method.each_array(&mut |name, array| arrays.push(Array::flat(name, std::mem::take(array))));
    let scalars = json!(Scalars { reused: tracker.reused, weighted: tracker.weighted });
    LearnerState { intercept: vec![learner.weight(0, sign)], index, weight, scalars, arrays }
}

/// Checks that a learner state read from a file fits the model (has the right array lengths), and that its numbers are
/// within their ranges.
pub(crate) fn check(model: &Model, ball: Ball, scalars: &Value, state: &State) -> Result<(), String> {
    let mut learner = InBall::new(&model.settings, ball);
    let order = order(&model.index, state)?;
    FeatureIndex::check(order)?;
    learner.read(scalars, order.len() + 1, state)
}

/// Reads the coordinate number of each feature from a saved state, in the order of `index` (the feature ids of the
/// model).
fn order<'a>(index: &[u64], state: &'a State) -> Result<&'a [u32], String> {
    match state.numbers(ORDER, index.len())? {
        Numbers::U32(order) => Ok(order),
        _ => Err(format!("array {ORDER} of the state does not hold u32")),
    }
}

impl InBall {
    /// Rebuilds the learner from a state written by [`save`].
    pub(crate) fn resume(
        settings: &Settings,
        ball: Ball,
        index: &[u64],
        scalars: &Value,
        state: &State,
    ) -> Result<InBall, String> {
        let order = order(index, state)?;
        let mut learner = InBall::new(settings, ball);
        learner.feature_index = FeatureIndex::restore(index.iter().copied().zip(order.iter().copied()))?;
        learner.read(scalars, learner.feature_index.dim(), state)?;
        Ok(learner)
    }

    /// Restores everything but the feature index (the map from feature ids to coordinate numbers) from a saved state
    /// with `dim` coordinates.
    fn read(&mut self, scalars: &Value, dim: usize, state: &State) -> Result<(), String> {
        let scalars = State::parse::<Scalars>(scalars)?;
        (self.tracker.reused, self.tracker.weighted) = (scalars.reused, scalars.weighted);
        self.read_numbers(state)?;
        self.read_arrays(dim, state)
    }

    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.method.each_number(visit);
        self.tracker.each_number(visit);
        self.label_range.each_number(visit);
    }

    fn read_numbers(&mut self, state: &State) -> Result<(), String> {
        let mut count = 0;
        self.each_number(&mut |_| count += 1);
        let given = state.wide(NUMBERS, count)?;
        let mut numbers = given.iter();
        self.each_number(&mut |x| numbers.next().into_iter().for_each(|number| *x = *number));
        // Invalid counters and flags are read back as other numbers, and NaN differs from itself, so a comparison
        // finds both.
        let (mut numbers, mut same) = (given.iter(), true);
        self.each_number(&mut |x| same &= numbers.next() == Some(x));
        need(same, "the numbers of the state are out of their range")
    }

    fn read_arrays(&mut self, dim: usize, state: &State) -> Result<(), String> {
        let mut outcome = Ok(());
        self.method.each_array(&mut |name, array| match state.wide(name, dim) {
            Ok(data) if all(data, |x| x.is_finite()) => *array = data.to_vec(),
            Ok(_) => outcome = Err(format!("array {name} of the state does not hold finite numbers")),
            Err(message) => outcome = Err(message),
        });
        outcome
    }
}
