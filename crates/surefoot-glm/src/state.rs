//! The trainer's memory as named arrays and JSON, and back, bit for bit.

use crate::{
    Array, Model, Numbers, Plan, Predictor, Settings, Shelf, State, Trainer,
    coordinate::{Coordinate, Unit},
    lanes::{LANES, Lanes},
    passes::{Passes, Run},
    stack::Stack,
    trainer::Scalars,
};
use serde_json::{Value, json};
use std::rc::Rc;

/// Names of arrays; each holds a row a feature, in the order of the model's index, and the intercept's row last.
const THETA: &str = "theta";
const AVERAGE: &str = "average";
const SQUARES: &str = "squares";
const STEP: &str = "step";
const UNIT: &str = "unit";
/// The weights of the model of least hold-out loss, in an unfinished model.
const LEAST: &str = "least";

impl Trainer {
    /// The finished model: the vector that predicts now, and all that is needed to learn more rows later.
    /// O(features).
    #[must_use]
    pub fn model(&self) -> Model {
        let terms = self.terms();
        let features = self.stack.seen().count();
        let (mut index, mut weight) = (Vec::with_capacity(features), Vec::with_capacity(features));
        // The state is copied meanwhile: a run stands still while it is saved.
        let stack = &self.stack;
        let arrays = std::thread::scope(|scope| {
            let arrays = scope.spawn(|| arrays(stack, features));
            for (id, live) in stack.vector(&terms) {
                index.push(id);
                weight.push(self.passes.kept.as_ref().map_or(live, |kept| kept.weight(id)));
            }
            arrays.join().expect("copying does not panic")
        });
        let intercept = self.passes.kept.as_ref().map_or_else(|| self.stack.intercept(&terms), |kept| kept.intercept());
        let state = State { scalars: json!({ "trainer": self.scalars }), arrays };
        Model {
            settings: self.settings.clone(),
            labels: self.labels(),
            intercept,
            index,
            weight,
            summary: self.summary(),
            state: Some(state),
            unfinished: None,
        }
    }

    /// The model of a run that has not come to its end: also remembers where the passes stand, and what the caller
    /// gives to find its own place again.
    #[must_use]
    pub fn pause(&self, place: Value) -> Model {
        let mut model = self.model();
        if let Some(state) = &mut model.state {
            state.scalars["run"] = json!(self.passes.run);
            if let Some(least) = &self.passes.least {
                let weights = model.index.iter().map(|&id| least.weight(id));
                let data = weights.chain([least.intercept()]).collect::<Vec<_>>();
                state.arrays.push(Array { name: LEAST.into(), shape: vec![data.len()], data: Numbers::F64(data) });
            }
        }
        model.unfinished = Some(place);
        model
    }

    /// Goes on from a model that holds its state, bit for bit: a paused one where it was, in the middle of its
    /// passes, a finished one with new rows.
    ///
    /// # Errors
    /// If the model is slim or its state does not fit together.
    pub fn resume(model: &Model, plan: Plan, shelf: Box<dyn Shelf>) -> Result<Trainer, String> {
        let state = model.state.as_ref().ok_or("the model is slim: it holds no state to go on from")?;
        let scalars: Scalars = parse(&state.scalars["trainer"])?;
        let stack = read_stack(&model.settings, &model.index, state)?;
        let mut passes = Passes::new(plan, shelf);
        let kept = || Rc::new(Predictor::new(model));
        if model.unfinished.is_some() {
            passes.run = parse::<Run>(&state.scalars["run"])?;
            passes.kept = (passes.run.judged.is_some() || passes.run.left).then(kept);
            passes.least = read_least(&model.index, state)?;
        } else {
            passes.leave(kept());
        }
        Ok(Trainer::assemble(model.settings.clone(), scalars, stack, passes))
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

fn parse<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|error| format!("the state does not fit together: {error}"))
}

/// The numbers of an array that must have this many.
fn numbers<'a>(state: &'a State, name: &str, len: usize) -> Result<&'a Numbers, String> {
    let array = state.arrays.iter().find(|array| array.name == name);
    let array = array.ok_or_else(|| format!("the state has no array {name}"))?;
    if array.shape.iter().product::<usize>() == len {
        Ok(&array.data)
    } else {
        Err(format!("array {name} of the state has another length than the model"))
    }
}

fn floats<'a>(state: &'a State, name: &str, len: usize) -> Result<&'a [f32], String> {
    match numbers(state, name, len)? {
        Numbers::F32(data) if data.iter().all(|x| x.is_finite()) => Ok(data),
        _ => Err(format!("array {name} of the state does not hold finite f32")),
    }
}

fn steps(state: &State, len: usize) -> Result<&[u32], String> {
    match numbers(state, STEP, len)? {
        Numbers::U32(data) => Ok(data),
        _ => Err(format!("array {STEP} of the state does not hold u32")),
    }
}

fn units(state: &State, len: usize) -> Result<&[u64], String> {
    let sound = |&unit: &u64| (0.0..f64::INFINITY).contains(&Unit(unit).inverse());
    match numbers(state, UNIT, len)? {
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

fn read_least(index: &[u64], state: &State) -> Result<Option<Rc<Predictor>>, String> {
    if !state.arrays.iter().any(|array| array.name == LEAST) {
        return Ok(None);
    }
    let Numbers::F64(data) = numbers(state, LEAST, index.len() + 1)? else {
        return Err(format!("array {LEAST} of the state does not hold f64"));
    };
    let vector = index.iter().copied().zip(data.iter().copied());
    Ok(Some(Rc::new(Predictor::of(data[index.len()], vector))))
}
