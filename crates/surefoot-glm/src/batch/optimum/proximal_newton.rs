//! Newton's method with steps by coordinate descent, for an L1 penalty or bounds of weights: zeros are exact, and so are bounds.

use super::{
    candidate::Candidate,
    cholesky::Cholesky,
    rounding::EPS,
    search::{Search, Verdict},
    weight_penalty::WeightPenalty,
    workers::{Stopped, Workers},
};

/// Sweeps over the coordinates for one step.
const SWEEPS: usize = 10_000;
/// Sweeps after which coordinates that pull at each other are moved together; from then on whenever their number has doubled.
const PATIENCE: usize = 16;
/// Coordinates up to which they are.
const TOGETHER: usize = 500;

/// What is minimised, as far as this method knows it.
pub(super) trait CompositeProblem {
    /// A point with what a pass finds there.
    type State;

    fn at(&self, search: &mut Search, point: Vec<f64>) -> Result<Self::State, Stopped>;
    fn candidate<'s>(&self, state: &'s Self::State) -> Candidate<'s>;
    /// The gradient of the smooth part.
    fn gradient<'s>(&self, state: &'s Self::State) -> &'s [f64];
    /// Bounds the gap at `state` by the dual points foreseen from `before` if there is one, else by those at the slopes.
    fn bound(&self, search: &mut Search, state: &Self::State, before: Option<&Self::State>) -> Result<(), Stopped>;
    /// Calls back with the quadratic model of the smooth part.
    fn with_model(
        &mut self,
        search: &mut Search,
        state: &Self::State,
        descend: impl FnOnce(&Search, &mut dyn Model) -> Result<Vec<f64>, Stopped>,
    ) -> Result<Vec<f64>, Stopped>;
}

/// A quadratic model, moved along coordinates.
pub(super) trait Model {
    /// H_jj.
    fn curvature(&self, j: usize) -> f64;
    /// (g + HΔ)_j.
    fn derivative(&self, j: usize) -> f64;
    /// Δ_j += by.
    fn shift(&mut self, j: usize, by: f64);
    /// Leaves out, of coordinates in ascending order, those that no curvature tells from the others.
    fn leave_out(&self, _coordinates: &mut Vec<usize>) {}
    /// The lower triangle of H on these coordinates, row by row in a square; `None` where that would cost more than sweeps do.
    fn square(&self, coordinates: &[usize]) -> Option<Vec<f64>>;
}

/// Each step minimises the quadratic model of the smooth part with the penalty as it is. Coordinates that are 0 and whose
/// gradients do not reach the penalty are left out until they do.
pub(super) fn proximal_newton<P: CompositeProblem>(
    search: &mut Search,
    mut problem: P,
    mut state: P::State,
) -> Result<Verdict, Stopped> {
    problem.bound(search, &state, None)?;
    let (mut last, mut precision) = (false, 0.1);
    search.stalls = 0;
    loop {
        let verdict = search.verdict(problem.candidate(&state));
        if let (Some(verdict), true) = (verdict, last) {
            return Ok(verdict);
        }
        last = verdict.is_some();
        let (penalties, Candidate { point, objective: before, .. }) =
            (search.objective.penalties, problem.candidate(&state));
        let working = working_set(penalties, point, problem.gradient(&state));
        // Without L1 the size of the gradient itself is what subgradients are compared with.
        let least = search.objective.least_l1();
        let unit = if least < f64::INFINITY { least } else { largest(problem.gradient(&state)) };
        let step = problem.with_model(search, &state, |search, model| {
            let descent = Descent { workers: search.passes.workers, penalties, point };
            descent.run(model, &working, precision * unit)
        })?;
        // What the step is worth to first order; never positive.
        let change = |j: usize| {
            let l1 = of(penalties, j).l1;
            problem.gradient(&state)[j] * step[j] + l1 * ((point[j] + step[j]).abs() - point[j].abs())
        };
        let descent: f64 = (0..step.len()).map(change).sum();
        search.decrement = -descent;
        let Some((next, whole)) = walk(search, &problem, &state, &step, descent)? else {
            return Ok(search.verdict(problem.candidate(&state)).unwrap_or(Verdict::Stalled));
        };
        let gained = before - problem.candidate(&next).objective;
        search.count_stall(gained, before);
        let wanted = 0.02 * search.tolerance;
        precision = (gained / before.abs()).clamp(wanted, if whole { 0.1 * precision } else { 0.1 }.max(wanted));
        problem.bound(search, &next, whole.then_some(&state))?;
        state = next;
        if search.stalls >= 3 {
            return Ok(search.verdict(problem.candidate(&state)).unwrap_or(Verdict::Stalled));
        }
    }
}

fn largest(gradient: &[f64]) -> f64 {
    gradient.iter().fold(0.0, |a: f64, g| a.max(g.abs()))
}

/// The price of a coordinate; classes have the same.
fn of(penalties: &[WeightPenalty], j: usize) -> &WeightPenalty {
    &penalties[j % penalties.len()]
}

/// The coordinates that may leave 0 or stay away from it.
fn working_set(penalties: &[WeightPenalty], point: &[f64], gradient: &[f64]) -> Vec<usize> {
    let may = |j: &usize| point[*j] != 0.0 || gradient[*j].abs() >= 0.9 * of(penalties, *j).l1;
    (0..point.len()).filter(may).collect()
}

/// Coordinate descent on a model and the penalty.
struct Descent<'s> {
    workers: &'s Workers<'s>,
    penalties: &'s [WeightPenalty],
    point: &'s [f64],
}

impl Descent<'_> {
    /// A step, once no subgradient is farther from 0 than `enough`.
    fn run(&self, model: &mut dyn Model, working: &[usize], enough: f64) -> Result<Vec<f64>, Stopped> {
        let point = self.point;
        let mut step = vec![0.0; point.len()];
        let mut active: Vec<usize> = working.to_vec();
        let (mut whole, mut is_last) = (true, false);
        for sweep in 0..SWEEPS {
            if sweep >= PATIENCE && sweep.is_power_of_two() {
                self.joint_step(model, working, enough, &mut step)?;
            }
            let (mut worst, mut fine): (f64, f64) = (0.0, 0.0);
            for (k, &j) in active.iter().enumerate() {
                if k % 256 == 0 {
                    self.workers.check()?;
                }
                let (at, curvature, derivative) = (point[j] + step[j], model.curvature(j), model.derivative(j));
                let (penalty, target) = (of(self.penalties, j), curvature * at - derivative);
                let l1 = penalty.l1;
                let best = if target.abs() <= l1 { 0.0 } else { (target - l1.copysign(target)) / curvature };
                let best = penalty.clamp(best);
                let by = best - at;
                // Where nothing curves, l1 alone draws a weight back to where something does.
                if (curvature > 0.0 || l1 > 0.0) && by != 0.0 && best.is_finite() {
                    // Moves of one digit lead nowhere by themselves.
                    let size = if by.abs() > EPS * at.abs() { &mut worst } else { &mut fine };
                    *size = size.max(curvature * by.abs());
                    model.shift(j, by);
                    // Exactly 0, not nearly.
                    step[j] = best - point[j];
                }
            }
            if worst <= enough {
                if whole && (is_last || fine <= enough) {
                    break;
                }
                if whole {
                    self.joint_step(model, working, enough, &mut step)?;
                    is_last = true;
                }
                active = working.to_vec();
                whole = true;
            } else {
                active.retain(|&j| point[j] + step[j] != 0.0 || !of(self.penalties, j).has_corner());
                whole = false;
            }
        }
        Ok(step)
    }

    /// Newton steps of the coordinates that are at no corner, each as far as to where the first of them comes to one: where columns are all but
    /// the same, sweeps would take as many as the square of mean over spread.
    fn joint_step(
        &self,
        model: &mut dyn Model,
        working: &[usize],
        enough: f64,
        step: &mut [f64],
    ) -> Result<(), Stopped> {
        let mut before = f64::INFINITY;
        for _ in 0..working.len() + 8 {
            let at = |j: usize| self.point[j] + step[j];
            let mut free: Vec<usize> = working
                .iter()
                .copied()
                .filter(|&j| of(self.penalties, j).is_smooth(at(j)) && model.curvature(j) > 0.0)
                .collect();
            if free.is_empty() || free.len() > TOGETHER {
                return Ok(());
            }
            model.leave_out(&mut free);
            let mut by: Vec<f64> =
                free.iter().map(|&j| -of(self.penalties, j).l1_derivative(at(j)) - model.derivative(j)).collect();
            // A whole step leaves nothing but rounding, of which a second one takes a part.
            let left = largest(&by);
            if left <= enough || left > 0.5 * before {
                return Ok(());
            }
            let Some(square) = model.square(&free) else { return Ok(()) };
            Cholesky::new(self.workers, square, free.len())?.solve(&mut by);
            let room = |(&j, by): (&usize, &f64)| of(self.penalties, j).part_to_kink(at(j), *by);
            let part = free.iter().zip(&by).map(room).fold(1.0, f64::min);
            before = if part < 1.0 { f64::INFINITY } else { left };
            for (&j, by) in free.iter().zip(&by) {
                let (at, penalty) = (self.point[j] + step[j], of(self.penalties, j));
                let to =
                    if penalty.part_to_kink(at, *by) <= part { penalty.next_kink(at, *by) } else { at + part * by };
                if to.is_finite() && to != at {
                    model.shift(j, to - at);
                    step[j] = to - self.point[j];
                }
            }
        }
        Ok(())
    }
}

/// The first point along a step that is good enough, and whether it is that of the whole step.
fn walk<P: CompositeProblem>(
    search: &mut Search,
    problem: &P,
    state: &P::State,
    step: &[f64],
    descent: f64,
) -> Result<Option<(P::State, bool)>, Stopped> {
    let Candidate { point, objective, .. } = problem.candidate(state);
    let noise = 1e-13 * objective.abs();
    let mut length = 1.0;
    for _ in 0..40 {
        // w + (−w) is 0 to the bit.
        let penalties = search.objective.penalties.iter().cycle();
        let moved = point.iter().zip(step).zip(penalties);
        let point = moved.map(|((w, step), penalty)| penalty.snapped(*w, w + length * step)).collect();
        let next = problem.at(search, point)?;
        if problem.candidate(&next).objective <= objective + 1e-4 * length * descent + noise {
            return Ok(Some((next, length == 1.0)));
        }
        length *= 0.4;
    }
    Ok(None)
}
