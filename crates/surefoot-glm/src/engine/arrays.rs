//! The coordinates of stacks as named arrays, and back, bit for bit.

use crate::{
    Array, Numbers, State,
    coordinate::{Coordinate, Unit},
    lanes::{LANES, Lanes},
    stack::Stack,
};
use std::sync::Mutex;

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
    let (mut theta, mut average) = (vec![0.0; n * LANES], vec![0.0; n * LANES]);
    let (mut squares, mut step, mut unit) = (vec![0.0; n], vec![0; n], vec![0; n]);
    let mut columns =
        Columns { theta: &mut theta, average: &mut average, squares: &mut squares, step: &mut step, unit: &mut unit };
    for stack in stacks {
        let (here, rest) = columns.split_at(rows);
        let (features, mut intercept) = here.split_at(index.len());
        in_halves(index, features, Columns::split_at, &|index, mut columns| {
            let unseen = Coordinate::default();
            for (row, &id) in index.iter().enumerate() {
                columns.put(row, stack.features.get(id).unwrap_or(&unseen));
            }
        });
        stack.intercept.iter().for_each(|c| intercept.put(0, c));
        columns = rest;
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

/// Room for coordinates, a row each.
struct Columns<'a> {
    theta: &'a mut [f32],
    average: &'a mut [f32],
    squares: &'a mut [f32],
    step: &'a mut [u32],
    unit: &'a mut [u64],
}

impl<'a> Columns<'a> {
    fn split_at(self, row: usize) -> (Columns<'a>, Columns<'a>) {
        let (theta, average) = (self.theta.split_at_mut(row * LANES), self.average.split_at_mut(row * LANES));
        let (squares, step, unit) =
            (self.squares.split_at_mut(row), self.step.split_at_mut(row), self.unit.split_at_mut(row));
        let of = |theta, average, squares, step, unit| Columns { theta, average, squares, step, unit };
        (of(theta.0, average.0, squares.0, step.0, unit.0), of(theta.1, average.1, squares.1, step.1, unit.1))
    }

    fn put(&mut self, row: usize, c: &Coordinate) {
        self.theta[row * LANES..][..LANES].copy_from_slice(&c.theta.0);
        self.average[row * LANES..][..LANES].copy_from_slice(&c.average.0);
        self.squares[row] = c.squares;
        self.step[row] = c.step;
        self.unit[row] = c.unit.0;
    }
}

/// From so many features on a second thread is worth its start.
const MANY: usize = 1 << 15;

/// Works on ids and what belongs to them, on two threads where there are many: a run stands still while it is saved.
pub(super) fn in_halves<T: Send>(
    index: &[u64],
    all: T,
    split_at: impl FnOnce(T, usize) -> (T, T),
    work: &(impl Fn(&[u64], T) + Sync),
) {
    if index.len() < MANY {
        return work(index, all);
    }
    let (first, then) = index.split_at(index.len() / 2);
    let (of_first, of_then) = split_at(all, first.len());
    // Whoever comes first works on it: where the system gives no thread, this one does it all.
    let of_first = Mutex::new(Some(of_first));
    let work_on_first = || {
        if let Some(all) = of_first.lock().ok().and_then(|mut all| all.take()) {
            work(first, all);
        }
    };
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, work_on_first);
        work(then, of_then);
        if other.is_err() {
            work_on_first();
        }
    });
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
