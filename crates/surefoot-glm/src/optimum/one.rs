//! Searches of losses with one margin.

use super::curve::Curve;
use super::design::{Design, Sample};
use super::gap::foreseen;
use super::interior::interior;
use super::newton::newton;
use super::proximal::{Model, Problem, proximal};
use super::quadratic::{Columns, Quadratic};
use super::search::{Place, Search, Verdict};
use super::shares::{Crew, Stopped};
use super::state::{Objective, State};
use super::{Goal, Optimum};

/// [`optimise`](super::optimise) for one margin.
pub(super) fn optimise(
    design: &Design,
    crew: &Crew,
    goal: &Goal,
    start: (&[f64], &[f64]),
    each: &mut dyn FnMut(&Optimum),
) -> Optimum {
    let mut search = search(design, crew, goal, start, each);
    let ended = run(&mut search, start);
    search.finish(ended)
}

/// The start by itself.
pub(super) fn begin(design: &Design, crew: &Crew, goal: &Goal, start: (&[f64], &[f64])) -> Optimum {
    let mut ignore = |_: &Optimum| ();
    let mut search = search(design, crew, goal, start, &mut ignore);
    match first_state(&mut search, start) {
        Ok(state) => {
            search.offer(state.place(), f64::INFINITY);
            search.best
        }
        Err(stopped) => search.finish(Err(stopped)),
    }
}

fn search<'a>(
    design: &'a Design<'a>,
    crew: &'a Crew<'a>,
    goal: &Goal,
    start: (&[f64], &[f64]),
    each: &'a mut dyn FnMut(&Optimum),
) -> Search<'a> {
    let curve = Curve::of(goal.loss);
    let objective = Objective { curve, l1: goal.l1, l2: goal.l2, nonnegative: goal.nonnegative };
    let first = design.mean(|y, offset| curve.jet(y, offset).value);
    Search::new(design, crew, goal, objective, first, start, each)
}

/// Where a search begins: what it was given, or without it the constant that fits the labels.
fn first_state(search: &mut Search, (weights, intercept): (&[f64], &[f64])) -> Result<State, Stopped> {
    let (design, curve) = (search.design, search.objective.curve);
    let mut point = design.point(weights, intercept.first().copied().unwrap_or(0.0));
    if search.objective.nonnegative {
        let held = (0..point.len()).filter(|&j| Some(j) != design.constant());
        held.for_each(|j| point[j] = point[j].max(0.0));
    }
    let empty = point.iter().all(|w| *w == 0.0);
    if let (true, Some(constant)) = (empty, design.constant()) {
        let (offset, exposure) = (design.mean(|_, offset| offset), design.mean(|_, offset| libm::exp(offset)));
        point[constant] = curve.constant(design.mean(|y, _| y), offset, exposure);
    }
    State::at(&mut search.passes, &Sample::new(design, 1), &search.objective, point)
}

fn run(search: &mut Search, start: (&[f64], &[f64])) -> Result<Verdict, Stopped> {
    let state = first_state(search, start)?;
    if let Curve::Ramp(ramp) = search.objective.curve
        && search.objective.curve.has_kink()
    {
        return interior(search, state, ramp);
    }
    if search.objective.has_corners() {
        return proximal(search, OneMargin { columns: None, design: search.design }, state);
    }
    newton(search, state)
}

/// One margin, for the coordinate engine.
struct OneMargin<'a> {
    columns: Option<Columns>,
    design: &'a Design<'a>,
}

impl Problem for OneMargin<'_> {
    type State = State;

    fn is_free(&self, j: usize) -> bool {
        Some(j) == self.design.constant()
    }

    fn at(&self, search: &mut Search, point: Vec<f64>) -> Result<State, Stopped> {
        State::at(&mut search.passes, &Sample::new(self.design, 1), &search.objective, point)
    }

    fn place<'s>(&self, state: &'s State) -> Place<'s> {
        state.place()
    }

    fn gradient<'s>(&self, state: &'s State) -> &'s [f64] {
        &state.gradient
    }

    fn bound(&self, search: &mut Search, state: &State, before: Option<&State>) -> Result<(), Stopped> {
        let slopes = || state.slope.clone();
        let duals = before.map_or_else(slopes, |before| foreseen(&Sample::new(self.design, 1), before, state));
        search.bound(state, Some(duals))
    }

    fn with_model(
        &mut self,
        search: &mut Search,
        state: &State,
        descend: impl FnOnce(&Search, &mut dyn Model) -> Result<Vec<f64>, Stopped>,
    ) -> Result<Vec<f64>, Stopped> {
        let sample = Sample::new(self.design, 1);
        let mut model = Quadratic::new(&mut search.passes, &sample, state, &mut self.columns)?;
        descend(search, &mut model)
    }
}
