//! The trainer's memory as named arrays and JSON, and back, bit for bit.

use crate::{
    Array, Model, Numbers, Plan, Predictor, Settings, Shelf, State, Trainer,
    coordinate::Coordinate,
    lanes::{LANES, Lanes},
    passes::{Passes, Run},
    stack::Stack,
    trainer::Scalars,
};
use serde_json::{Value, json};
use std::rc::Rc;

/// Names of arrays; each holds a row a feature, in the order of the model's index, and the intercept's row last.
const THETA: &str = "theta";
const SQUARES: &str = "squares";
const AVERAGE: &str = "average";
const INVERSE: &str = "inverse";
const WEIGHTS: &str = "weights";
const SCALED: &str = "scaled";
const TOUCHES: &str = "touches";
/// The weights of the model of least hold-out loss, in an unfinished model.
const LEAST: &str = "least";

impl Trainer {
    /// The finished model: the vector that predicts now, and all that is needed to learn more rows later.
    /// O(features).
    #[must_use]
    pub fn model(&self) -> Model {
        let terms = self.terms();
        let live: Vec<(u64, f64)> = self.stack.vector(&terms).collect();
        let index: Vec<u64> = live.iter().map(|&(id, _)| id).collect();
        let (intercept, weight) = match &self.passes.kept {
            Some(kept) => (kept.intercept(), index.iter().map(|&id| kept.weight(id)).collect()),
            None => (self.stack.intercept(&terms), live.iter().map(|&(_, weight)| weight).collect()),
        };
        let state = State { scalars: json!({ "trainer": self.scalars }), arrays: self.arrays() };
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
            passes.kept = passes.run.judged.is_some().then(kept);
            passes.least = read_least(&model.index, state)?;
        } else {
            passes.leave(kept());
        }
        Ok(Trainer::assemble(model.settings.clone(), scalars, stack, passes))
    }

    fn arrays(&self) -> Vec<Array> {
        let features = self.stack.features.iter().map(|(_, c)| c).filter(|c| c.touches > 0.0);
        let coordinates: Vec<&Coordinate> = features.chain(&self.stack.intercept).collect();
        let n = coordinates.len();
        let wide = |name: &str, of: fn(&Coordinate) -> Lanes| Array {
            name: name.into(),
            shape: vec![n, LANES],
            data: Numbers::F32(coordinates.iter().flat_map(|c| of(c).0).collect()),
        };
        let narrow = |name: &str, of: fn(&Coordinate) -> f64| Array {
            name: name.into(),
            shape: vec![n],
            data: Numbers::F64(coordinates.iter().map(|c| of(c)).collect()),
        };
        vec![
            wide(THETA, |c| c.theta),
            wide(SQUARES, |c| c.squares),
            wide(AVERAGE, |c| c.average),
            narrow(INVERSE, |c| c.inverse),
            narrow(WEIGHTS, |c| c.weights),
            narrow(SCALED, |c| c.scaled),
            narrow(TOUCHES, |c| f64::from(c.touches)),
        ]
    }
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

fn wide<'a>(state: &'a State, name: &str, n: usize) -> Result<&'a [f32], String> {
    match numbers(state, name, n * LANES)? {
        Numbers::F32(data) if data.iter().all(|x| x.is_finite()) => Ok(data),
        _ => Err(format!("array {name} of the state does not hold finite f32")),
    }
}

fn narrow<'a>(state: &'a State, name: &str, n: usize) -> Result<&'a [f64], String> {
    match numbers(state, name, n)? {
        Numbers::F64(data) if data.iter().all(|x| x.is_finite()) => Ok(data),
        _ => Err(format!("array {name} of the state does not hold finite f64")),
    }
}

fn read_stack(settings: &Settings, index: &[u64], state: &State) -> Result<Stack, String> {
    let mut stack = Stack::new(settings.intercept);
    let n = index.len() + usize::from(settings.intercept);
    let [theta, squares, average] = [wide(state, THETA, n)?, wide(state, SQUARES, n)?, wide(state, AVERAGE, n)?];
    let [inverse, weights] = [narrow(state, INVERSE, n)?, narrow(state, WEIGHTS, n)?];
    let [scaled, touches] = [narrow(state, SCALED, n)?, narrow(state, TOUCHES, n)?];
    let lanes = |data: &[f32], i: usize| Lanes(std::array::from_fn(|k| data[i * LANES + k]));
    let coordinate = |i: usize| Coordinate {
        theta: lanes(theta, i),
        squares: lanes(squares, i),
        average: lanes(average, i),
        inverse: inverse[i],
        weights: weights[i],
        scaled: scaled[i],
        touches: touches[i] as f32,
    };
    for (i, &id) in index.iter().enumerate() {
        let slot = stack.features.touch(id);
        *stack.features.at_mut(slot) = coordinate(i);
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
    let data = narrow(state, LEAST, index.len() + 1)?;
    let vector = index.iter().copied().zip(data.iter().copied());
    Ok(Some(Rc::new(Predictor::of(data[index.len()], vector))))
}
