//! The learner's memory as named arrays, and back, bit for bit.

use super::InBall;
use crate::{Array, Numbers, Settings, State, engine::Saved, numbering::Numbering, settings::Ball};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use surefoot::Memory;

/// All single numbers.
const NUMBERS: &str = "numbers";
/// The coordinate of each feature, in the order of the model's index. The arrays of the method are in the order of
/// coordinates, the intercept's first.
const ORDER: &str = "order";

/// What else is remembered.
#[derive(Debug, Serialize, Deserialize)]
struct Scalars {
    reused: bool,
    weighted: bool,
}

/// The vector that predicts, and all that is needed to go on. O(features).
pub(super) fn save(engine: &InBall, sign: f64) -> Saved {
    let (index, order): (Vec<u64>, Vec<u32>) = engine.numbering.features().unzip();
    let weight = order.iter().map(|&number| engine.weight(number, sign)).collect();
    let (mut method, mut watch, mut seen) = (engine.method.clone(), engine.watch.clone(), engine.seen);
    let mut numbers = Vec::new();
    method.each_number(&mut |x| numbers.push(*x));
    watch.each_number(&mut |x| numbers.push(*x));
    seen.each_number(&mut |x| numbers.push(*x));
    let order = Array { name: ORDER.into(), shape: vec![order.len()], data: Numbers::U32(order) };
    let mut arrays = vec![order, Array::flat(NUMBERS, numbers)];
    method.each_array(&mut |name, array| arrays.push(Array::flat(name, std::mem::take(array))));
    let scalars = json!(Scalars { reused: watch.reused, weighted: watch.weighted });
    Saved { intercept: vec![engine.weight(0, sign)], index, weight, scalars, arrays }
}

impl InBall {
    /// Goes on from what [`save`] gave.
    pub(crate) fn resume(
        settings: &Settings,
        ball: Ball,
        index: &[u64],
        scalars: &Value,
        state: &State,
    ) -> Result<InBall, String> {
        let Numbers::U32(order) = state.numbers(ORDER, index.len())? else {
            return Err(format!("array {ORDER} of the state does not hold u32"));
        };
        let mut engine = InBall::new(settings, ball);
        engine.numbering = Numbering::restore(index.iter().copied().zip(order.iter().copied()))?;
        let scalars = State::parse::<Scalars>(scalars)?;
        (engine.watch.reused, engine.watch.weighted) = (scalars.reused, scalars.weighted);
        engine.read_numbers(state)?;
        engine.read_arrays(state)?;
        Ok(engine)
    }

    fn read_numbers(&mut self, state: &State) -> Result<(), String> {
        let mut count = 0;
        self.method.each_number(&mut |_| count += 1);
        self.watch.each_number(&mut |_| count += 1);
        self.seen.each_number(&mut |_| count += 1);
        let mut numbers = state.wide(NUMBERS, count)?.iter();
        let mut next = |x: &mut f64| numbers.next().into_iter().for_each(|number| *x = *number);
        self.method.each_number(&mut next);
        self.watch.each_number(&mut next);
        self.seen.each_number(&mut next);
        Ok(())
    }

    fn read_arrays(&mut self, state: &State) -> Result<(), String> {
        let (dim, mut outcome) = (self.numbering.dim(), Ok(()));
        self.method.each_array(&mut |name, array| match state.wide(name, dim) {
            Ok(data) if data.iter().all(|x| x.is_finite()) => *array = data.to_vec(),
            Ok(_) => outcome = Err(format!("array {name} of the state does not hold finite numbers")),
            Err(says) => outcome = Err(says),
        });
        outcome
    }
}
