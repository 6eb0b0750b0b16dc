//! Optimisation of the softmax (multinomial logistic) loss by the inexact Newton method over columns and classes.

mod blocks;
mod gap;
mod model;
mod pass;
mod refined_duals;
mod state;

use super::{
    Goal, Optimum,
    conjugate_gradients::{CERTIFICATE_DECREMENT, Direction, Forcing, solve},
    design::{Design, Sample},
    margin_loss::MarginLoss,
    newton::{DIAGONAL_LIFETIME, cost_of_pass, is_factored},
    proximal_newton::proximal_newton,
    search::Search,
    single_margin::ROUNDING,
    state::Objective,
    stopping::Verdict,
    weight_penalty::{WeightPenalty, largest_l2, squares},
    workers::{Stopped, Workers},
};
use blocks::Blocks;
use gap::{gap, predicted_duals};
use model::SoftmaxProblem;
use refined_duals::refined;
use state::{ClassRows, State};

/// Number of passes that Cholesky factors of all classes are assumed to save an optimisation over diagonal
/// preconditioners.
const PASSES_SAVED_BY_FACTORING: f64 = 400.0;

/// Runs [`optimise`](super::optimise) for the softmax loss.
///
/// Without an L1 penalty and bounds, the weights of a column sum to 0 over classes at the optimum, because only the
/// penalty depends on their sum.
pub(super) fn optimise(
    design: &Design,
    workers: &Workers,
    goal: &Goal,
    start: (&[f64], &[f64]),
    each: &mut dyn FnMut(&Optimum),
) -> Optimum {
    let classes = goal.classes.max(1);
    let penalties = WeightPenalty::all(goal, design);
    let objective = Objective::new(MarginLoss::Logistic, goal, design, &penalties);
    let Ok(mut search) = Search::new(design, workers, goal, objective, (classes as f64).ln(), start, each) else {
        return Optimum::stopped(start);
    };
    let ended = run(&mut search, classes, start);
    search.finish(ended)
}

fn run(search: &mut Search, classes: usize, start: (&[f64], &[f64])) -> Result<Verdict, Stopped> {
    let rows = ClassRows { sample: Sample::all(search.design), classes };
    let state = first_state(search, rows, start)?;
    if search.objective.penalty_has_kinks {
        return proximal_newton(search, SoftmaxProblem::new(rows), state);
    }
    Stage { search, rows, inverse: None, spent: 0.0, preparation: 0.0 }.certify(state)
}

/// Computes the starting point: the given model, or the intercepts alone if their objective is lower. A model whose
/// objective is not finite is not used.
fn first_state(search: &mut Search, rows: ClassRows, start: (&[f64], &[f64])) -> Result<State, Stopped> {
    let (design, classes) = (search.design, rows.classes);
    let (constants, given) = (first_point(search, classes, (&[], &[]))?, first_point(search, classes, start)?);
    // Without a pass, as no column is involved: ln Σ_k e^(b_k) − b_y of each row.
    let theirs = match design.constant() {
        None => search.loss_at_zero,
        Some(constant) => {
            let constants: Vec<f64> = constants.iter().skip(constant).step_by(design.dim()).copied().collect();
            let all = libm::log(constants.iter().map(|b| libm::exp(*b)).sum());
            design.mean(search.passes.workers, |y, _| all - constants[(y as usize).min(classes - 1)])?
        }
    };
    let is_given = given != constants;
    let state = State::at(&mut search.passes, rows, &search.objective, given)?;
    if !is_given || state.objective <= theirs + ROUNDING * theirs {
        return Ok(state);
    }
    State::at(&mut search.passes, rows, &search.objective, constants)
}

/// Returns the given starting point as a vector of coordinates. If it is 0, returns that of the intercepts that fit the
/// class proportions instead.
fn first_point(search: &Search, classes: usize, (weights, intercept): (&[f64], &[f64])) -> Result<Vec<f64>, Stopped> {
    let design = search.design;
    let empty = weights.iter().chain(intercept).all(|w| *w == 0.0);
    let of = |k: usize| {
        let weights: Vec<f64> = weights.iter().skip(k).step_by(classes).copied().collect();
        let constant = match empty {
            true => libm::log(design.mean(search.passes.workers, |y, _| f64::from(y == k as f64))?).max(-15.0),
            false => intercept.get(k).copied().unwrap_or(0.0),
        };
        Ok(design.point(&weights, constant))
    };
    let mut point = Vec::new();
    for k in 0..classes {
        point.extend(of(k)?);
    }
    if search.objective.penalty_has_kinks {
        let penalties = search.objective.penalties.iter().cycle();
        point.iter_mut().zip(penalties).for_each(|(w, penalty)| *w = penalty.clamp(*w));
    } else {
        centre(&mut point, classes);
    }
    Ok(point)
}

/// Subtracts from each weight, and from each intercept, its mean over the classes.
fn centre(point: &mut [f64], classes: usize) {
    let dim = point.len() / classes;
    for j in 0..dim {
        let mean = point.iter().skip(j).step_by(dim).sum::<f64>() / classes as f64;
        point.iter_mut().skip(j).step_by(dim).for_each(|w| *w -= mean);
    }
}

/// Bounds the duality gap at a point, and offers the point with this bound as a candidate for the best one so far.
/// `duals` are the dual points; with `None` the bound is ∞.
fn bound(search: &mut Search, rows: ClassRows, state: &State, duals: Option<Vec<f64>>) -> Result<(), Stopped> {
    // Dual points of several margins are balanced for intercepts only.
    let has_dual = !search.objective.has_no_penalty && !search.objective.is_unpenalised;
    let bound = match duals.filter(|_| has_dual) {
        Some(duals) => best_gap(search, rows, state, duals)?,
        None => f64::INFINITY,
    };
    search.offer(state.candidate(), bound);
    Ok(())
}

/// Computes the duality gap at the dual points. If rounding, not the distance from the optimum, makes it wide, repeats
/// the computation with compensated sums, and then at refined dual points.
fn best_gap(search: &mut Search, rows: ClassRows, state: &State, duals: Vec<f64>) -> Result<f64, Stopped> {
    let enough = search.tolerance * search.size(state.objective);
    let mut found = gap(&mut search.passes, rows, &search.objective, state, duals.clone())?;
    if found <= enough || !search.is_wider_than_distance(found, state.objective) {
        return Ok(found);
    }
    if !search.passes.is_precise {
        search.passes.is_precise = true;
        found = found.min(gap(&mut search.passes, rows, &search.objective, state, duals.clone())?);
    }
    if found > enough
        && search.has_stalled_gap(found)
        && let Some(duals) = refined(&mut search.passes, rows, &search.objective, state, duals)?
    {
        found = found.min(gap(&mut search.passes, rows, &search.objective, state, duals)?);
    }
    Ok(found)
}

/// State of the Newton iterations for the softmax loss on all rows: the preconditioner, and estimates of the time spent
/// on computing and on using it.
struct Stage<'s, 'a> {
    search: &'s mut Search<'a>,
    rows: ClassRows<'a>,
    inverse: Option<Blocks>,
    /// Estimated nanoseconds spent on conjugate gradients since the preconditioner was last computed.
    spent: f64,
    /// Estimated nanoseconds spent on computing the preconditioner, which is recomputed once `spent` exceeds this
    /// number.
    preparation: f64,
}

impl Stage<'_, '_> {
    /// Iterates until the gap is certified, or until another criterion ends the optimisation.
    fn certify(&mut self, mut state: State) -> Result<Verdict, Stopped> {
        let duals = state.means.clone();
        bound(self.search, self.rows, &state, Some(duals))?;
        loop {
            if let Some(verdict) = self.search.verdict(state.candidate()) {
                return Ok(verdict);
            }
            let direction = self.direction(&state)?;
            self.search.decrement = direction.decrement.min(direction.descent.abs());
            let Some(next) = self.step(&state, &direction)? else {
                return Ok(self.search.verdict(state.candidate()).unwrap_or(Verdict::Stalled));
            };
            let gained = state.objective - next.objective;
            self.search.count_stall(gained, state.objective);
            let near = direction.decrement <= CERTIFICATE_DECREMENT * state.objective.abs();
            let duals = near.then(|| predicted_duals(self.rows, &state, &next));
            state = next;
            bound(self.search, self.rows, &state, duals)?;
            if self.search.has_stalled() {
                return Ok(self.search.verdict(state.candidate()).unwrap_or(Verdict::Stalled));
            }
        }
    }

    /// Computes a Newton direction. Recomputes the preconditioner first if it has become ineffective.
    fn direction(&mut self, state: &State) -> Result<Direction, Stopped> {
        let (sample, classes) = (self.rows.sample, self.rows.classes as f64);
        let (pass, (factored, factoring)) =
            (classes * cost_of_pass(&sample), is_factored(&sample, PASSES_SAVED_BY_FACTORING));
        let search = &mut *self.search;
        if self.spent > self.preparation || self.inverse.is_none() {
            self.inverse =
                Some(Blocks::new(&mut search.passes, self.rows, &search.objective.penalty_curvature(), state)?);
            (self.preparation, self.spent) =
                (if factored { classes * factoring } else { DIAGONAL_LIFETIME * pass }, 0.0);
        }
        let inverse = self.inverse.as_ref().expect("made above");
        let (size, l2, tolerance) = (state.objective.abs(), largest_l2(search.objective.penalties), search.tolerance);
        let farthest = state.margin.iter().fold(0.0, |a: f64, m| a.max(m.abs()));
        let farthest = search.passes.workers.largest(&sample, farthest)?;
        let wanted = Forcing { size, tolerance, farthest, l2, certified: true };
        let enough = |decrement| wanted.at(decrement);
        let (dim, constant) = (sample.design.dim(), sample.design.constant());
        let penalties = search.objective.penalties;
        let left = |residual: &[f64]| {
            let constants = constant.map(|j| residual.iter().skip(j).step_by(dim).map(|r| r * r).sum::<f64>());
            let others = residual.chunks(dim).map(|of_class| squares(of_class, penalties)).sum();
            (others, constants.unwrap_or(0.0).sqrt())
        };
        let (passes, objective, rows) = (&mut search.passes, &search.objective, self.rows);
        let hessian_product = |x: &[f64], out: &mut [f64]| state.hessian_product(passes, rows, objective, x, out);
        let found = solve(&state.gradient, hessian_product, |x, out| inverse.solve(x, out), left, enough)?;
        self.spent += if found.iterations > 2 { found.iterations as f64 * pass } else { 0.0 };
        Ok(found)
    }

    /// Takes a step along the direction by a backtracking line search with the Armijo condition; `None` if no step
    /// length satisfies the condition.
    fn step(&mut self, state: &State, direction: &Direction) -> Result<Option<State>, Stopped> {
        let mut length = 1.0;
        let noise = 1e-13 * state.objective.abs();
        for _ in 0..60 {
            let point = state.point.iter().zip(&direction.step).map(|(w, step)| w + length * step).collect();
            let next = State::at(&mut self.search.passes, self.rows, &self.search.objective, point)?;
            if next.objective <= state.objective - 1e-4 * length * direction.descent + noise {
                return Ok(Some(next));
            }
            length *= 0.4;
        }
        Ok(None)
    }
}
