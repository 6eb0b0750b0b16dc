//! Searches of losses with one margin.

use super::curve::Curve;
use super::design::{Design, Sample};
use super::interior::interior;
use super::newton::newton;
use super::proximal::proximal;
use super::search::{Search, Verdict};
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
    let curve = Curve::of(goal.loss);
    let objective = Objective { curve, l1: goal.l1, l2: goal.l2, nonnegative: goal.nonnegative };
    let first = design.mean(|y, offset| curve.jet(y, offset).value);
    let mut search = Search::new(design, crew, goal, objective, first, start, each);
    let ended = run(&mut search, (start.0, start.1.first().copied().unwrap_or(0.0)));
    search.finish(ended)
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
