//! The coordinates of stacks as named arrays, and back, bit for bit.

use crate::{
    Array, Numbers, State,
    coordinate::{Coordinate, Unit},
    lanes::{LANES, Lanes},
    stack::Stack,
};

/// Names of arrays; each holds, for every stack, a row a feature, in the order of the model's index, and the intercept's
/// row last.
const THETA: &str = "theta";
const AVERAGE: &str = "average";
const SQUARES: &str = "squares";
const STEP: &str = "step";
const UNIT: &str = "unit";

/// All coordinates of these features; `shape` is that of the stacks: nothing of a single one, else their number.
pub(super) fn save(stacks: &[Stack], index: &[u64], shape: &[usize]) -> Vec<Array> {
    let rows = index.len() + usize::from(stacks.first().is_some_and(|stack| stack.intercept.is_some()));
    let n = stacks.len() * rows;
    let (mut theta, mut average) = (Vec::with_capacity(n * LANES), Vec::with_capacity(n * LANES));
    let (mut squares, mut step, mut unit) = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    let unseen = Coordinate::default();
    for stack in stacks {
        let features = index.iter().map(|&id| stack.features.get(id).unwrap_or(&unseen));
        for c in features.chain(&stack.intercept) {
            theta.extend_from_slice(&c.theta.0);
            average.extend_from_slice(&c.average.0);
            squares.push(c.squares);
            step.push(c.step);
            unit.push(c.unit.0);
        }
    }
    let array = |name: &str, lanes: &[usize], data: Numbers| Array {
        name: name.into(),
        shape: [shape, &[rows], lanes].concat(),
        data,
    };
    vec![
        array(THETA, &[LANES], Numbers::F32(theta)),
        array(AVERAGE, &[LANES], Numbers::F32(average)),
        array(SQUARES, &[], Numbers::F32(squares)),
        array(STEP, &[], Numbers::U32(step)),
        array(UNIT, &[], Numbers::U64(unit)),
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

/// So many stacks from what [`save`] gave.
pub(super) fn read(intercept: bool, index: &[u64], count: usize, state: &State) -> Result<Vec<Stack>, String> {
    let rows = index.len() + usize::from(intercept);
    let n = rows.checked_mul(count).ok_or("the state does not fit together: too many classes")?;
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
    let stack = |k: usize| {
        let mut stack = Stack::new(intercept);
        for (i, &id) in (k * rows..).zip(index) {
            *stack.features.get_mut(id).ok_or("no memory is left for the model")? = coordinate(i);
        }
        stack.intercept = intercept.then(|| coordinate(k * rows + rows - 1));
        Ok(stack)
    };
    (0..count).map(stack).collect()
}
