//! Proximal Newton method for an L1 penalty or bounds on weights. Solves the subproblems by coordinate descent, so that
//! weights at 0 or at a bound are exact.

use super::{
    candidate::Candidate,
    cholesky::Cholesky,
    rounding::EPS,
    search::Search,
    stopping::Verdict,
    subset_model::MAX_COORDINATES,
    weight_penalty::WeightPenalty,
    workers::{Stopped, Workers},
};

/// Maximum number of coordinate-descent sweeps over the coordinates, per quadratic subproblem.
const MAX_SWEEPS: usize = 10_000;
/// Number of sweeps after which correlated coordinates are first moved jointly, and again whenever the number of sweeps
/// has doubled.
pub(super) const SWEEPS_BEFORE_JOINT_STEP: usize = 16;
/// Maximum number of coordinates that are moved jointly.
const MAX_JOINT_COORDINATES: usize = 2000;

/// Objective that is the sum of a smooth loss and a separable penalty with kinks, as the proximal Newton method sees
/// it.
pub(super) trait CompositeProblem {
    /// Point (weights and intercept) together with its objective and derivatives.
    type State;

    fn at(&self, search: &mut Search, point: Vec<f64>) -> Result<Self::State, Stopped>;
    fn candidate<'s>(&self, state: &'s Self::State) -> Candidate<'s>;
    /// Returns the gradient of the smooth part of the objective.
    fn gradient<'s>(&self, state: &'s Self::State) -> &'s [f64];
    /// Bounds the duality gap at `state`, at the dual points predicted from the previous state `before` if given, else
    /// at the derivatives of the loss.
    fn bound(&self, search: &mut Search, state: &Self::State, before: Option<&Self::State>) -> Result<(), Stopped>;
    /// Calls `descend` with the quadratic model of the smooth part of the objective at `state`, for steps along the
    /// `working` coordinates.
    fn with_model(
        &mut self,
        search: &mut Search,
        state: &Self::State,
        working: &[usize],
        descend: impl FnOnce(&Search, &mut dyn Model) -> Result<Vec<f64>, Stopped>,
    ) -> Result<Vec<f64>, Stopped>;
}

/// Quadratic model ½ΔᵀHΔ + gᵀΔ of the smooth part of the objective, for a step Δ that changes one coordinate at a time.
/// g is the gradient and H the Hessian.
pub(super) trait Model {
    /// Returns H_jj, the second derivative of the model along coordinate j.
    fn curvature(&self, j: usize) -> f64;
    /// Returns (g + HΔ)_j, the derivative of the model along coordinate j at the current step Δ.
    fn derivative(&self, j: usize) -> f64;
    /// Adds `by` to coordinate j of the step Δ.
    fn shift(&mut self, j: usize, by: f64);
    /// Removes from `coordinates`, in ascending order, those that are linearly dependent on earlier ones in the model,
    /// that is, add no curvature of their own. By default removes none.
    fn drop_redundant(&self, _coordinates: &mut Vec<usize>) {}
    /// Returns the lower triangle of H restricted to these coordinates, row by row in a square array; `None` if
    /// computing it would cost more than the coordinate-descent sweeps that it saves.
    fn square(&self, coordinates: &[usize]) -> Option<Vec<f64>>;
    /// Returns the number of coordinate-descent sweeps after which a joint step is worth the cost of its
    /// [`square`](Model::square).
    fn sweeps_before_joint_step(&self) -> usize {
        SWEEPS_BEFORE_JOINT_STEP
    }
}

/// Minimises the objective from a starting point. Each step minimises the quadratic model of the smooth part plus the
/// exact penalty, followed by a line search. Coordinates that are 0 and whose gradients are well below the L1 strength
/// are skipped (working set).
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
        let mut working = working_set(penalties, point, problem.gradient(&state));
        if search.design.shards.is_some() {
            keep_steepest(&mut working, penalties, point, problem.gradient(&state));
        }
        // Without L1 subgradients are measured relative to the largest gradient.
        let least = search.objective.least_l1();
        let unit = if least < f64::INFINITY { least } else { largest(problem.gradient(&state)) };
        let step = problem.with_model(search, &state, &working, |search, model| {
            let descent = Descent { workers: search.passes.workers, penalties, point };
            descent.run(model, &working, precision * unit)
        })?;
        // The predicted decrease to first order, as a change: never positive.
        let change = |j: usize| {
            let l1 = penalty_of(penalties, j).l1;
            problem.gradient(&state)[j] * step[j] + l1 * ((point[j] + step[j]).abs() - point[j].abs())
        };
        let descent: f64 = (0..step.len()).map(change).sum();
        search.decrement = -descent;
        let Some((next, whole)) = line_search(search, &problem, &state, &step, descent)? else {
            return Ok(search.verdict(problem.candidate(&state)).unwrap_or(Verdict::Stalled));
        };
        let gained = before - problem.candidate(&next).objective;
        search.count_stall(gained, before);
        let wanted = 0.02 * search.tolerance;
        precision = (gained / before.abs()).clamp(wanted, if whole { 0.1 * precision } else { 0.1 }.max(wanted));
        problem.bound(search, &next, whole.then_some(&state))?;
        state = next;
        if search.has_stalled() {
            return Ok(search.verdict(problem.candidate(&state)).unwrap_or(Verdict::Stalled));
        }
    }
}

fn largest(gradient: &[f64]) -> f64 {
    gradient.iter().fold(0.0, |a: f64, g| a.max(g.abs()))
}

/// Returns the penalty of coordinate j of a point. All classes have the same penalties.
fn penalty_of(penalties: &[WeightPenalty], j: usize) -> &WeightPenalty {
    &penalties[j % penalties.len()]
}

/// Returns the working set: the coordinates that are not 0, or whose gradient is large enough, relative to the L1
/// strength, that they may leave 0.
fn working_set(penalties: &[WeightPenalty], point: &[f64], gradient: &[f64]) -> Vec<usize> {
    let may = |j: &usize| point[*j] != 0.0 || gradient[*j].abs() >= 0.9 * penalty_of(penalties, *j).l1;
    (0..point.len()).filter(may).collect()
}

/// Keeps of the working set the coordinates along which the objective decreases fastest, as many as a
/// [`SubsetModel`](super::subset_model::SubsetModel) takes. The others have their turn in later steps.
fn keep_steepest(working: &mut Vec<usize>, penalties: &[WeightPenalty], point: &[f64], gradient: &[f64]) {
    if working.len() > MAX_COORDINATES {
        let rate = |j: usize| penalty_of(penalties, j).descent_rate(point[j], gradient[j]);
        working.sort_by(|&a, &b| rate(b).total_cmp(&rate(a)).then(a.cmp(&b)));
        working.truncate(MAX_COORDINATES);
        working.sort_unstable();
    }
}

/// Coordinate descent that minimises, from a point, a quadratic model of the smooth part of the objective plus the
/// exact penalty.
struct Descent<'s> {
    workers: &'s Workers<'s>,
    penalties: &'s [WeightPenalty],
    point: &'s [f64],
}

impl Descent<'_> {
    /// Minimises the model by sweeps over the `working` coordinates until each changes the derivative of the model by
    /// at most `enough`. Returns the step from the point.
    fn run(&self, model: &mut dyn Model, working: &[usize], enough: f64) -> Result<Vec<f64>, Stopped> {
        let point = self.point;
        let mut step = vec![0.0; point.len()];
        let mut active: Vec<usize> = working.to_vec();
        let (mut whole, mut is_last) = (true, false);
        for sweep in 0..MAX_SWEEPS {
            if sweep >= model.sweeps_before_joint_step() && sweep.is_power_of_two() {
                self.joint_step(model, working, enough, &mut step)?;
            }
            let (mut worst, mut fine): (f64, f64) = (0.0, 0.0);
            for (k, &j) in active.iter().enumerate() {
                if k % 256 == 0 {
                    self.workers.check()?;
                }
                let (at, curvature, derivative) = (point[j] + step[j], model.curvature(j), model.derivative(j));
                let (penalty, target) = (penalty_of(self.penalties, j), curvature * at - derivative);
                let l1 = penalty.l1;
                let best = if target.abs() <= l1 { 0.0 } else { (target - l1.copysign(target)) / curvature };
                let best = penalty.clamp(best);
                let by = best - at;
                // Without curvature, l1 alone draws a weight back to 0 or to where there is curvature.
                if (curvature > 0.0 || l1 > 0.0) && by != 0.0 && best.is_finite() {
                    // Moves in the last digit alone make no progress.
                    let size = if by.abs() > EPS * at.abs() { &mut worst } else { &mut fine };
                    *size = size.max(curvature * by.abs());
                    model.shift(j, by);
                    // Such that point + step is exactly `best`, in particular 0.
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
                active.retain(|&j| point[j] + step[j] != 0.0 || !penalty_of(self.penalties, j).has_kink());
                whole = false;
            }
        }
        Ok(step)
    }

    /// Takes joint Newton steps on all coordinates that are at no kink of their penalty, each step up to the first kink
    /// on its way. For nearly collinear columns, sweeps alone would take about (mean / standard deviation)² sweeps.
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
                .filter(|&j| penalty_of(self.penalties, j).is_smooth(at(j)) && model.curvature(j) > 0.0)
                .collect();
            if free.is_empty() || free.len() > MAX_JOINT_COORDINATES {
                return Ok(());
            }
            model.drop_redundant(&mut free);
            let mut by: Vec<f64> = free
                .iter()
                .map(|&j| -penalty_of(self.penalties, j).l1_derivative(at(j)) - model.derivative(j))
                .collect();
            // A full step leaves rounding errors alone, which a second one reduces.
            let left = largest(&by);
            if left <= enough || left > 0.5 * before {
                return Ok(());
            }
            let Some(square) = model.square(&free) else { return Ok(()) };
            Cholesky::new(self.workers, square, free.len())?.solve(&mut by);
            let room = |(&j, by): (&usize, &f64)| penalty_of(self.penalties, j).part_to_kink(at(j), *by);
            let part = free.iter().zip(&by).map(room).fold(1.0, f64::min);
            before = if part < 1.0 { f64::INFINITY } else { left };
            for (&j, by) in free.iter().zip(&by) {
                let (at, penalty) = (self.point[j] + step[j], penalty_of(self.penalties, j));
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

/// Runs a backtracking line search with the Armijo condition. Returns the next point, and whether the full step was
/// taken; `None` if no step length satisfies the condition.
fn line_search<P: CompositeProblem>(
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
        // w + (−w) is exactly 0.
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
