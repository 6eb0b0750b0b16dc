//! Searches of losses with one margin.

use super::curve::Curve;
use super::design::{Design, Sample};
use super::interior::interior;
use super::newton::newton;
use super::pass::Passes;
use super::proximal::proximal;
use super::search::{Search, Verdict};
use super::shares::{Crew, Stopped};
use super::state::{Objective, State};
use super::{Ended, Goal, Optimum};

/// [`optimise`](super::optimise) for one margin.
pub(super) fn optimise(
    design: &Design,
    crew: &Crew,
    goal: &Goal,
    start: (&[f64], &[f64]),
    each: &mut dyn FnMut(&Optimum),
) -> Optimum {
    let curve = Curve::of(goal.loss);
    let objective = Objective { curve, l1: goal.l1, l2: goal.l2, nonnegative: goal.nonnegative };
    let best = Optimum {
        weights: start.0.to_vec(),
        intercept: start.1.to_vec(),
        objective: f64::NAN,
        size: f64::NAN,
        gap: None,
        passes: 0.0,
        iterations: 0,
        ended: Ended::Running,
    };
    let mut search = Search {
        design,
        objective,
        tolerance: goal.tolerance,
        passes: Passes::new(crew),
        each,
        decrement: f64::INFINITY,
        first: design.mean(|y, offset| curve.jet(y, offset).value),
        escapable: goal.l1 + goal.l2 == 0.0 || goal.intercept && design.has_one_label(),
        iterations: 0,
        lower: f64::NEG_INFINITY,
        best,
    };
    let ended = run(&mut search, (start.0, start.1.first().copied().unwrap_or(0.0)));
    let mut best = search.best;
    best.ended = ended.map_or(Ended::Stopped, Ended::from);
    best.passes = search.passes.count;
    best
}

fn run(search: &mut Search, (weights, intercept): (&[f64], f64)) -> Result<Verdict, Stopped> {
    let design = search.design;
    let curve = search.objective.curve;
    let mut point = design.point(weights, intercept);
    if search.objective.nonnegative {
        let held = (0..point.len()).filter(|&j| Some(j) != design.constant());
        held.for_each(|j| point[j] = point[j].max(0.0));
    }
    let empty = point.iter().all(|w| *w == 0.0);
    if let (true, Some(constant)) = (empty, design.constant()) {
        let (offset, exposure) = (design.mean(|_, offset| offset), design.mean(|_, offset| libm::exp(offset)));
        point[constant] = curve.constant(design.mean(|y, _| y), offset, exposure);
    }
    if let Curve::Ramp(ramp) = curve
        && curve.has_kink()
    {
        return interior(search, point, ramp);
    }
    let state = State::at(&mut search.passes, &Sample::new(design, 1), &search.objective, point)?;
    if search.objective.has_corners() { proximal(search, state) } else { newton(search, state) }
}
