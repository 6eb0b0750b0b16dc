//! Conversion of coordinate stores (learner state per feature) to and from named arrays, exact to the bit.

use super::{averaging::Averaging, coordinate::Coordinate, coordinate_store::CoordinateStore};
use crate::{
    model::state::{Array, Numbers, State},
    numeric::check::{all, need},
    simd::{
        inverse_scale::InverseScale,
        lanes::{LANES, Lanes},
    },
    threads,
};
use std::sync::Mutex;

/// Name of the array of gradient sums θ, one per lane (one of the learners trained side by side). In each array in this
/// file, every coordinate store has one row per feature, in the order of the model's index, and finally one row for the
/// intercept if there is one.
const THETA: &str = "theta";
/// Name of the array of averages over all rounds of the directions (gradient sum times step size), one per lane (one of
/// the learners trained side by side).
const AVERAGE: &str = "average";
/// Name of the array of the sums of squared gradients, one per lane (one of the learners trained side by side).
const SQUARES: &str = "squared_gradients";
/// Name of the array of the sums of squared gradients of the model.
const MODEL_SQUARES: &str = "squared_model_gradients";
/// Name of the array of the rounds (numbers of rows learnt) in which coordinates were last updated.
const STEP: &str = "last_step";
/// Name of the array of inverse scales 1/M, where M is the largest |x| of the coordinate so far; the last bits of each
/// entry count the updates of the coordinate.
const UNIT: &str = "inverse_scale";

/// Copies the state of the features `index` from all stores to named arrays. `shape` is the leading shape of the
/// arrays: the number of stores for a multiclass model, empty for a model with one margin.
pub(super) fn save(stores: &[CoordinateStore], index: &[u64], shape: &[usize]) -> Vec<Array> {
    let rows = index.len() + usize::from(stores.first().is_some_and(|store| store.intercept.is_some()));
    let n = stores.len() * rows;
    let [mut theta, mut average, mut squares] = std::array::from_fn(|_| vec![0.0; n * LANES]);
    let (mut model_squares, mut step, mut unit) = (vec![0.0; n], vec![0; n], vec![0; n]);
    let mut columns = Columns {
        lanes: [&mut theta, &mut average, &mut squares],
        model_squares: &mut model_squares,
        step: &mut step,
        unit: &mut unit,
    };
    for store in stores {
        let (here, rest) = columns.split_at(rows);
        let (features, mut intercept) = here.split_at(index.len());
        in_halves(index, features, Columns::split_at, &|index, mut columns| {
            let unseen = Coordinate::default();
            for (row, &id) in index.iter().enumerate() {
                columns.put(row, store.features.get(id).unwrap_or(&unseen));
            }
        });
        store.intercept.iter().for_each(|c| intercept.put(0, c));
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
        array(SQUARES, &[LANES], Numbers::F32(squares)),
        array(MODEL_SQUARES, &[], Numbers::F32(model_squares)),
        array(STEP, &[], Numbers::U32(step)),
        array(UNIT, &[], Numbers::U64(unit)),
    ]
}

/// Borrowed output arrays, each with one row per coordinate, to which states are copied.
struct Columns<'a> {
    /// Gradient sums, averages and sums of squared gradients, each with one number per lane (one of the learners trained
    /// side by side).
    lanes: [&'a mut [f32]; 3],
    model_squares: &'a mut [f32],
    step: &'a mut [u32],
    unit: &'a mut [u64],
}

impl<'a> Columns<'a> {
    fn split_at(self, row: usize) -> (Columns<'a>, Columns<'a>) {
        let [theta, average, squares] = self.lanes.map(|lanes| lanes.split_at_mut(row * LANES));
        let (model_squares, step, unit) =
            (self.model_squares.split_at_mut(row), self.step.split_at_mut(row), self.unit.split_at_mut(row));
        let of = |lanes, model_squares, step, unit| Columns { lanes, model_squares, step, unit };
        (
            of([theta.0, average.0, squares.0], model_squares.0, step.0, unit.0),
            of([theta.1, average.1, squares.1], model_squares.1, step.1, unit.1),
        )
    }

    fn put(&mut self, row: usize, c: &Coordinate) {
        for (column, lanes) in self.lanes.iter_mut().zip([c.theta, c.average, c.squares]) {
            column[row * LANES..][..LANES].copy_from_slice(&lanes.0);
        }
        self.model_squares[row] = c.model_squares;
        self.step[row] = c.step;
        self.unit[row] = c.inverse_scale.0;
    }
}

/// Minimum number of features for which work is split between two threads.
const MANY: usize = 1 << 15;

/// Calls `work` with the feature ids `index` and their data `all`. From [`MANY`] ids on, splits both into halves (the
/// data by `split_at`) for two threads, because training waits while a model is saved.
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
    let parts = Mutex::new(vec![(first, of_first), (then, of_then)]);
    let next = || parts.lock().ok().and_then(|mut parts| parts.pop());
    threads::share(2, || {
        while let Some((index, all)) = next() {
            work(index, all);
        }
    });
}

/// Saved arrays of coordinate stores, borrowed from a state after their lengths and values have been checked.
pub(super) struct Arrays<'a> {
    count: usize,
    rows: usize,
    theta: &'a [f32],
    average: &'a [f32],
    squares: &'a [f32],
    model_squares: &'a [f32],
    step: &'a [u32],
    unit: &'a [u64],
}

impl<'a> Arrays<'a> {
    /// Reads and checks the arrays of `count` stores, written by [`save`] for a model with `features` features.
    pub(super) fn of(
        intercept: bool,
        features: usize,
        count: usize,
        averaging: &Averaging,
        state: &'a State,
    ) -> Result<Arrays<'a>, String> {
        let rows = features + usize::from(intercept);
        let n = rows.checked_mul(count).and_then(|n| n.checked_mul(LANES)).map(|n| n / LANES);
        let n = n.ok_or("the state does not fit together: too many classes")?;
        let arrays = Arrays {
            count,
            rows,
            theta: floats(state, THETA, n * LANES, f32::is_finite)?,
            average: floats(state, AVERAGE, n * LANES, f32::is_finite)?,
            squares: floats(state, SQUARES, n * LANES, |x| (0.0..f32::INFINITY).contains(&x))?,
            model_squares: floats(state, MODEL_SQUARES, n, |x| (0.0..f32::INFINITY).contains(&x))?,
            step: steps(state, n, averaging)?,
            unit: units(state, n)?,
        };
        // The first store has all features of the model, so every feature must have updates in it.
        let met = arrays.unit.get(..features).unwrap_or_default();
        need(all(met, |&unit| InverseScale(unit).updates() > 0), "the state has a feature that was never met")?;
        Ok(arrays)
    }

    fn coordinate(&self, i: usize) -> Coordinate {
        let lanes = |data: &[f32]| Lanes(std::array::from_fn(|k| data[i * LANES + k]));
        Coordinate {
            theta: lanes(self.theta),
            average: lanes(self.average),
            squares: lanes(self.squares),
            model_squares: self.model_squares[i],
            step: self.step[i],
            inverse_scale: InverseScale(self.unit[i]),
        }
    }

    /// Builds the coordinate stores of the features `index` from the arrays.
    pub(super) fn stores(&self, intercept: bool, index: &[u64]) -> Result<Vec<CoordinateStore>, String> {
        let store = |k: usize| {
            let mut store = CoordinateStore::with_room(intercept, index.len());
            for (i, &id) in (k * self.rows..).zip(index) {
                *store.features.get_mut(id).ok_or("no memory is left for the model")? = self.coordinate(i);
            }
            store.intercept = intercept.then(|| self.coordinate(k * self.rows + self.rows - 1));
            Ok(store)
        };
        (0..self.count).map(store).collect()
    }
}

fn floats<'a>(state: &'a State, name: &str, len: usize, sound: fn(f32) -> bool) -> Result<&'a [f32], String> {
    match state.numbers(name, len)? {
        Numbers::F32(data) if all(data, |&x| sound(x)) => Ok(data),
        _ => Err(format!("array {name} of the state does not hold finite f32")),
    }
}

fn steps<'a>(state: &'a State, len: usize, averaging: &Averaging) -> Result<&'a [u32], String> {
    match state.numbers(STEP, len)? {
        Numbers::U32(data) if all(data, |step| *step <= averaging.step) => Ok(data),
        _ => Err(format!("array {STEP} of the state does not hold rounds")),
    }
}

fn units(state: &State, len: usize) -> Result<&[u64], String> {
    // An inverse scale 1/M must be a normal number for coordinates with updates, and 0 for the others.
    let sound = |&unit: &u64| unit == 0 || (f64::MIN_POSITIVE..f64::INFINITY).contains(&InverseScale(unit).value());
    match state.numbers(UNIT, len)? {
        Numbers::U64(data) if all(data, sound) => Ok(data),
        _ => Err(format!("array {UNIT} of the state does not hold units")),
    }
}
