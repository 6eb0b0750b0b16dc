//! Optimisation of losses with a single margin: computes the starting point and chooses the method.

use super::{
    Goal, Optimum,
    candidate::Candidate,
    clipped_linear::ClippedLinear,
    design::{Design, Sample},
    dual_feasibility::{places, square},
    gap::predicted_duals,
    interior_point::interior_point,
    margin_loss::MarginLoss,
    newton::newton,
    proximal_newton::{CompositeProblem, Model, proximal_newton},
    quadratic_model::{Columns, Quadratic},
    search::Search,
    state::{Objective, State, diagonal},
    stopping::{MAX_ITERATIONS, Verdict},
    subset_model::SubsetModel,
    weight_penalty::WeightPenalty,
    workers::{Stopped, Workers},
};

/// Relative difference allowed between two floating-point sums of the same numbers in different orders.
pub(super) const ROUNDING: f64 = 1e-12;
/// Maximum number of Newton iterations on a clipped linear loss (such as Huber or squared hinge) before Newton's method
/// counts as stalled; it rarely takes 20.
const MAX_NEWTON_ITERATIONS: usize = 100;
/// Maximum gradient, relative to the largest possible one, that counts as 0: Newton's method leaves about the square
/// root of the rounding error of the objective.
const MAX_RELATIVE_GRADIENT: f64 = 1e-7;

/// Runs [`optimise`](super::optimise) for a loss with a single margin.
pub(super) fn optimise(
    design: &Design,
    workers: &Workers,
    goal: &Goal,
    start: (&[f64], &[f64]),
    each: &mut dyn FnMut(&Optimum),
) -> Optimum {
    let penalties = WeightPenalty::all(goal, design);
    let Ok(mut search) = search(design, workers, goal, &penalties, start, each) else {
        return Optimum::stopped(start);
    };
    let ended = run(&mut search, start);
    search.finish(ended)
}

/// Computes the starting point of an optimisation, as a model without a certificate, from the given weights and
/// intercepts.
pub(super) fn begin(design: &Design, workers: &Workers, goal: &Goal, start: (&[f64], &[f64])) -> Optimum {
    let mut ignore = |_: &Optimum| ();
    let penalties = WeightPenalty::all(goal, design);
    let Ok(mut search) = search(design, workers, goal, &penalties, start, &mut ignore) else {
        return Optimum::stopped(start);
    };
    match first_state(&mut search, start) {
        Ok(state) => {
            search.offer(state.candidate(), f64::INFINITY);
            search.best
        }
        Err(stopped) => search.finish(Err(stopped)),
    }
}

fn search<'a>(
    design: &'a Design<'a>,
    workers: &'a Workers<'a>,
    goal: &Goal,
    penalties: &'a [WeightPenalty],
    start: (&[f64], &[f64]),
    each: &'a mut dyn FnMut(&Optimum),
) -> Result<Search<'a>, Stopped> {
    let margin_loss = MarginLoss::of(goal.loss);
    let objective = Objective::new(margin_loss, goal, design, penalties);
    let first = design.mean(workers, |y, offset| margin_loss.expansion(y, offset).value)?;
    Search::new(design, workers, goal, objective, first, start, each)
}

/// Computes the starting point: the given model, or the intercept alone if its objective is lower. A model whose
/// objective is not finite is not used.
fn first_state(search: &mut Search, (weights, intercept): (&[f64], &[f64])) -> Result<State, Stopped> {
    let (design, margin_loss, workers) = (search.design, search.objective.margin_loss, search.passes.workers);
    let mut point = design.point(weights, intercept.first().copied().unwrap_or(0.0));
    point.iter_mut().zip(search.objective.penalties).for_each(|(w, penalty)| *w = penalty.clamp(*w));
    let mut constants = vec![0.0; point.len()];
    if let Some(constant) = design.constant() {
        let offset = design.mean(workers, |_, offset| offset)?;
        let exposure = design.mean(workers, |_, offset| libm::exp(offset))?;
        constants[constant] = margin_loss.constant(design.mean(workers, |y, _| y)?, offset, exposure);
    }
    let constant = design.constant().map_or(0.0, |constant| constants[constant]);
    // Without a pass, as no column is involved.
    let theirs = design.mean(workers, |y, offset| margin_loss.expansion(y, constant + offset).value)?;
    let objective = search.objective;
    let mut at = |point| State::at(&mut search.passes, &Sample::all(design), &objective, point);
    if point.iter().any(|w| *w != 0.0) {
        let given = at(point)?;
        if given.objective <= theirs + ROUNDING * theirs.abs() || given.objective.is_finite() && !theirs.is_finite() {
            return Ok(given);
        }
    }
    at(if theirs.is_finite() { constants } else { vec![0.0; constants.len()] })
}

fn run(search: &mut Search, start: (&[f64], &[f64])) -> Result<Verdict, Stopped> {
    let state = first_state(search, start)?;
    if let MarginLoss::ClippedLinear(clipped_linear) = search.objective.margin_loss
        && search.objective.margin_loss.has_kink()
    {
        return interior_point(search, state, clipped_linear);
    }
    let limited = matches!(search.objective.margin_loss, MarginLoss::ClippedLinear(clipped_linear) if may_stall(search, clipped_linear));
    search.max_iterations = if limited { MAX_NEWTON_ITERATIONS } else { MAX_ITERATIONS };
    let verdict = if search.objective.penalty_has_kinks {
        proximal_newton(search, MarginProblem { columns: None, design: search.design }, state)?
    } else {
        newton(search, state)?
    };
    match search.objective.margin_loss {
        MarginLoss::ClippedLinear(clipped_linear) if may_stall(search, clipped_linear) => {
            continue_by_interior_point(search, clipped_linear, verdict)
        }
        _ => Ok(verdict),
    }
}

/// Whether Newton steps on a clipped linear loss may stall: its derivative has two limits, or it has one limit and an
/// L1 penalty draws weights across regions without curvature.
fn may_stall(search: &Search, clipped_linear: ClippedLinear) -> bool {
    let has_limits = clipped_linear.low.is_finite() && clipped_linear.high.is_finite();
    has_limits || !clipped_linear.is_unbounded() && search.objective.least_l1() < f64::INFINITY
}

/// Continues with the interior-point method where Newton's method stalled far from the optimum because no relevant row
/// has curvature.
fn continue_by_interior_point(
    search: &mut Search,
    clipped_linear: ClippedLinear,
    verdict: Verdict,
) -> Result<Verdict, Stopped> {
    if !matches!(verdict, Verdict::Stalled | Verdict::Decrement | Verdict::Exhausted) {
        return Ok(verdict);
    }
    let sample = search.rows();
    let point = search.design.point(&search.best.weights, search.best.intercept.first().copied().unwrap_or(0.0));
    let state = State::at(&mut search.passes, &sample, &search.objective, point)?;
    if verdict == Verdict::Decrement && is_stationary(search, &state, clipped_linear)? {
        return Ok(verdict);
    }
    (search.decrement, search.max_iterations) = (f64::INFINITY, MAX_ITERATIONS);
    interior_point(search, state, clipped_linear)
}

/// Whether the gradient is 0 up to rounding, relative to the largest gradient that is possible if all derivatives of
/// the loss are at their limits.
fn is_stationary(search: &mut Search, state: &State, clipped_linear: ClippedLinear) -> Result<bool, Stopped> {
    let (sample, dim) = (search.rows(), state.point.len());
    let shares: Vec<f64> = (0..sample.rows()).map(|r| sample.share(r)).collect();
    let squares = diagonal(&mut search.passes, &sample, &vec![0.0; dim], &shares)?;
    let (largest_derivative, penalties) = (clipped_linear.high.max(-clipped_linear.low), search.objective.penalties);
    let descent_rate = |j: usize| penalties[j].descent_rate(state.point[j], state.gradient[j]);
    Ok((0..dim).all(|j| descent_rate(j) <= MAX_RELATIVE_GRADIENT * largest_derivative * squares[j].sqrt()))
}

/// Objective with a loss of a single margin, in the form that the proximal Newton method takes.
struct MarginProblem<'a> {
    columns: Option<Columns>,
    design: &'a Design<'a>,
}

impl CompositeProblem for MarginProblem<'_> {
    type State = State;

    fn at(&self, search: &mut Search, point: Vec<f64>) -> Result<State, Stopped> {
        State::at(&mut search.passes, &Sample::all(self.design), &search.objective, point)
    }

    fn candidate<'s>(&self, state: &'s State) -> Candidate<'s> {
        state.candidate()
    }

    fn gradient<'s>(&self, state: &'s State) -> &'s [f64] {
        &state.gradient
    }

    fn bound(&self, search: &mut Search, state: &State, before: Option<&State>) -> Result<(), Stopped> {
        let derivatives = || state.derivative.clone();
        let duals = before.map_or_else(derivatives, |before| predicted_duals(&Sample::all(self.design), before, state));
        search.bound(state, Some(duals))
    }

    fn with_model(
        &mut self,
        search: &mut Search,
        state: &State,
        working: &[usize],
        descend: impl FnOnce(&Search, &mut dyn Model) -> Result<Vec<f64>, Stopped>,
    ) -> Result<Vec<f64>, Stopped> {
        let sample = Sample::all(self.design);
        if self.design.shards.is_some() && !Quadratic::is_matrix(&sample) {
            let place = places(state.point.len(), working);
            let mut square = square(search.passes.workers, &sample, &place, working.len(), &state.curvature)?;
            let diagonal = square.iter_mut().step_by(working.len() + 1);
            diagonal.zip(working).for_each(|(h, &j)| *h += state.penalty_curvature[j]);
            return descend(search, &mut SubsetModel::new(working, square, &state.gradient));
        }
        let mut model = Quadratic::new(&mut search.passes, &sample, state, &mut self.columns)?;
        descend(search, &mut model)
    }
}
