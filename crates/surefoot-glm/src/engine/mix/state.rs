//! The lanes' memory as named arrays and JSON, and back, bit for bit.

use super::{Mix, Scalars};
use crate::{
    Array, Numbers, Settings, State,
    coordinate::{Coordinate, Unit},
    engine::Saved,
    lanes::{LANES, Lanes},
    stack::Stack,
};
use serde_json::{Value, json};

/// Names of arrays; each holds a row a feature, in the order of the model's index, and the intercept's row last.
const THETA: &str = "theta";
const AVERAGE: &str = "average";
const SQUARES: &str = "squares";
const STEP: &str = "step";
const UNIT: &str = "unit";

/// The vector that predicts, and all that is needed to go on. O(features).
pub(super) fn save(mix: &Mix, sign: f64) -> Saved {
    let (stack, terms) = (&mix.stack, mix.terms(sign));
    let features = stack.seen().count();
    let (mut index, mut weight) = (Vec::with_capacity(features), Vec::with_capacity(features));
    // The state is copied meanwhile: a run stands still while it is saved.
    let arrays = std::thread::scope(|scope| {
        let arrays = scope.spawn(|| arrays(stack, features));
        for (id, live) in stack.vector(&terms) {
            index.push(id);
            weight.push(live);
        }
        arrays.join().expect("copying does not panic")
    });
    Saved { intercept: stack.intercept(&terms), index, weight, scalars: json!(mix.scalars), arrays }
}

impl Mix {
    /// Goes on from what [`save`] gave.
    pub(crate) fn resume(settings: &Settings, index: &[u64], scalars: &Value, state: &State) -> Result<Mix, String> {
        let stack = read_stack(settings, index, state)?;
        Ok(Mix::assemble(settings.loss, State::parse::<Scalars>(scalars)?, stack))
    }
}

/// All coordinates, the intercept last.
fn arrays(stack: &Stack, features: usize) -> Vec<Array> {
    let n = features + usize::from(stack.intercept.is_some());
    let (mut theta, mut average) = (Vec::with_capacity(n * LANES), Vec::with_capacity(n * LANES));
    let (mut squares, mut step, mut unit) = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    for c in stack.seen().map(|(_, c)| c).chain(&stack.intercept) {
        theta.extend_from_slice(&c.theta.0);
        average.extend_from_slice(&c.average.0);
        squares.push(c.squares);
        step.push(c.step);
        unit.push(c.unit.0);
    }
    let array = |name: &str, shape: Vec<usize>, data: Numbers| Array { name: name.into(), shape, data };
    vec![
        array(THETA, vec![n, LANES], Numbers::F32(theta)),
        array(AVERAGE, vec![n, LANES], Numbers::F32(average)),
        array(SQUARES, vec![n], Numbers::F32(squares)),
        array(STEP, vec![n], Numbers::U32(step)),
        array(UNIT, vec![n], Numbers::U64(unit)),
    ]
}

fn floats<'a>(state: &'a State, name: &str, len: usize) -> Result<&'a [f32], String> {
    match state.numbers(name, len)? {
        Numbers::F32(data) if data.iter().all(|x| x.is_finite()) => Ok(data),
        _ => Err(format!("array {name} of the state does not hold finite f32")),
    }
}

fn steps(state: &State, len: usize) -> Result<&[u32], String> {
    match state.numbers(STEP, len)? {
        Numbers::U32(data) => Ok(data),
        _ => Err(format!("array {STEP} of the state does not hold u32")),
    }
}

fn units(state: &State, len: usize) -> Result<&[u64], String> {
    let sound = |&unit: &u64| (0.0..f64::INFINITY).contains(&Unit(unit).inverse());
    match state.numbers(UNIT, len)? {
        Numbers::U64(data) if data.iter().all(sound) => Ok(data),
        _ => Err(format!("array {UNIT} of the state does not hold units")),
    }
}

fn read_stack(settings: &Settings, index: &[u64], state: &State) -> Result<Stack, String> {
    let mut stack = Stack::new(settings.intercept);
    let n = index.len() + usize::from(settings.intercept);
    let [theta, average] = [floats(state, THETA, n * LANES)?, floats(state, AVERAGE, n * LANES)?];
    let (squares, step, unit) = (floats(state, SQUARES, n)?, steps(state, n)?, units(state, n)?);
    let lanes = |data: &[f32], i: usize| Lanes(std::array::from_fn(|k| data[i * LANES + k]));
    let coordinate = |i: usize| Coordinate {
        theta: lanes(theta, i),
        average: lanes(average, i),
        squares: squares[i],
        step: step[i],
        unit: Unit(unit[i]),
    };
    for (i, &id) in index.iter().enumerate() {
        *stack.features.get_mut(id).ok_or("no memory is left for the model")? = coordinate(i);
    }
    if settings.intercept {
        stack.intercept = Some(coordinate(n - 1));
    }
    Ok(stack)
}
