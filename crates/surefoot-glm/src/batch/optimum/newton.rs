//! Inexact Newton method for smooth objectives (no L1 penalty, no bounds): conjugate gradients with a preconditioner
//! that is kept across steps, and an Armijo line search.

use super::{
    cholesky::Cholesky,
    conjugate_gradients::{CERTIFICATE_DECREMENT, Direction, Forcing, direction},
    design::Sample,
    gap::predicted_duals,
    gram::{cost, gram},
    pass::Passes,
    preconditioner::Preconditioner,
    search::Search,
    state::{State, diagonal},
    stopping::Verdict,
    weight_penalty::largest_l2,
    workers::Stopped,
};

/// Number of passes that a Cholesky factor is assumed to save an optimisation over a diagonal preconditioner.
const PASSES_SAVED_BY_FACTORING: f64 = 40.0;
/// Maximum number of columns for which the whole Hessian is factored.
const MAX_DENSE_COLUMNS: usize = 2000;
/// Number of passes that conjugate gradients may take before a diagonal preconditioner, which costs one pass, is
/// recomputed.
pub(super) const DIAGONAL_LIFETIME: f64 = 4.0;
/// Minimum number of rows of a subsample that is worth optimising on.
const MIN_SAMPLE_ROWS: usize = 2000;

/// Optimises on growing subsamples of the rows, each from the optimum of the previous one, then on all rows until the
/// gap is certified.
///
/// The first subsamples are cheap, and their optima are within statistical error of the optimum over all rows, which
/// then needs only two or three steps on all rows.
pub(super) fn newton(search: &mut Search, mut state: State) -> Result<Verdict, Stopped> {
    let design = search.design;
    let mut inverse = None;
    let mut stride = 1;
    while design.all_rows() / (4 * stride) >= MIN_SAMPLE_ROWS.max(10 * design.dim()) && stride < 64 {
        stride *= 4;
    }
    if stride > 1 && !search.is_near(state.candidate()) {
        let mut point = state.point.clone();
        while stride > 1 {
            let sample = Sample::new(design, stride, search.passes.workers)?;
            let start = State::at(&mut search.passes, &sample, &search.objective, point)?;
            point =
                Stage { search, sample, inverse: &mut inverse, spent: f64::INFINITY, preparation: 0.0, trust: true }
                    .approach(start)?;
            stride /= 4;
        }
        let found = State::at(&mut search.passes, &Sample::all(design), &search.objective, point)?;
        if found.objective < state.objective {
            state = found;
        }
    }
    let sample = Sample::all(design);
    Stage { search, sample, inverse: &mut inverse, spent: 0.0, preparation: 0.0, trust: true }.certify(state)
}

/// State of the Newton iterations on one subsample of the rows: the preconditioner, and estimates of the time spent on
/// computing and on using it.
struct Stage<'s, 'a> {
    search: &'s mut Search<'a>,
    sample: Sample<'a>,
    inverse: &'s mut Option<Preconditioner>,
    /// Estimated nanoseconds spent on conjugate gradients since the preconditioner was last computed.
    spent: f64,
    /// Estimated nanoseconds spent on computing the preconditioner, which is recomputed once `spent` exceeds this
    /// number.
    preparation: f64,
    /// Whether the last step decreased the objective about as much as the quadratic model predicted.
    trust: bool,
}

impl Stage<'_, '_> {
    /// Iterates until the predicted decrease is below the statistical error of the subsample, and returns the point
    /// reached, which is the starting point for more rows.
    fn approach(&mut self, mut state: State) -> Result<Vec<f64>, Stopped> {
        let rows = self.sample.all_rows();
        let noise = 0.1 * state.point.len().min(rows) as f64 / rows as f64;
        let noise = noise.clamp(self.search.tolerance.min(1e-2), 1e-2);
        for _ in 0..20 {
            let direction = self.direction(&state, false)?;
            let small = direction.decrement <= noise * state.objective.abs();
            let Some(next) = self.step(&state, &direction)? else { break };
            state = next;
            if small {
                break;
            }
        }
        Ok(state.point)
    }

    /// Iterates until the gap is certified, or until another criterion ends the optimisation.
    fn certify(&mut self, mut state: State) -> Result<Verdict, Stopped> {
        self.search.bound_start(&state)?;
        self.search.stalls = 0;
        let mut last = false;
        loop {
            if let Some(verdict) = self.search.verdict(state.candidate())
                && (last || !self.is_cheap())
            {
                return Ok(verdict);
            }
            last = self.search.verdict(state.candidate()).is_some();
            let direction = self.direction(&state, true)?;
            self.search.decrement = direction.decrement.min(direction.descent.abs());
            let Some(next) = self.step(&state, &direction)? else {
                return Ok(self.search.verdict(state.candidate()).unwrap_or(Verdict::Stalled));
            };
            let gained = state.objective - next.objective;
            self.search.count_stall(gained, state.objective);
            let near = direction.decrement <= CERTIFICATE_DECREMENT * state.objective.abs();
            let duals = near.then(|| predicted_duals(&self.sample, &state, &next));
            state = next;
            self.search.bound(&state, duals)?;
            if self.search.has_stalled() {
                return Ok(self.search.verdict(state.candidate()).unwrap_or(Verdict::Stalled));
            }
        }
    }

    /// Whether one more step after certification is cheap: the Hessian is factored, and no unpenalised column except
    /// the intercept requires the dual points to be balanced (see `unpenalised.rs`).
    fn is_cheap(&self) -> bool {
        let unpenalised = self.search.objective.penalties.iter().filter(|penalty| penalty.is_unpenalised()).count();
        matches!(self.inverse, Some(Preconditioner::Cholesky(_)))
            && unpenalised <= usize::from(self.search.design.intercept)
    }

    /// Computes a Newton direction. Recomputes the preconditioner first if it has become ineffective.
    fn direction(&mut self, state: &State, certified: bool) -> Result<Direction, Stopped> {
        let (factored, factoring) = is_factored(&self.sample, PASSES_SAVED_BY_FACTORING);
        let (pass, trust) = (cost_of_pass(&self.sample), self.trust);
        let search = &mut *self.search;
        if self.spent > self.preparation || self.inverse.is_none() {
            let made = inverse(
                &mut search.passes,
                &self.sample,
                &state.penalty_curvature,
                &state.curvature,
                PASSES_SAVED_BY_FACTORING,
            )?;
            let preparation = if factored { factoring } else { DIAGONAL_LIFETIME * pass };
            (*self.inverse, self.preparation, self.spent) = (Some(made), preparation, 0.0);
        }
        let inverse = self.inverse.as_ref().expect("made above");
        let (size, l2, tolerance) = (state.objective.abs(), largest_l2(search.objective.penalties), search.tolerance);
        let farthest = state.margin.iter().fold(0.0, |a: f64, m| a.max(m.abs()));
        let farthest = search.passes.workers.largest(&self.sample, farthest)?;
        let wanted = Forcing { size, tolerance, farthest, l2, certified: certified && trust };
        let enough = |decrement| wanted.at(decrement);
        let found = direction(&mut search.passes, &self.sample, state, search.objective.penalties, inverse, enough)?;
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
            let next = State::at(&mut self.search.passes, &self.sample, &self.search.objective, point)?;
            let least = state.objective - 1e-4 * length * direction.descent + noise;
            if next.objective.is_finite() && next.objective <= least {
                self.trust = state.objective - next.objective >= 0.25 * direction.descent - noise;
                return Ok(Some(next));
            }
            // The minimiser of the parabola through the known values, safeguarded.
            let rise = next.objective - state.objective + length * direction.descent;
            let lowest = 0.5 * length * length * direction.descent / rise;
            length = if lowest.is_finite() { lowest.clamp(0.1 * length, 0.5 * length) } else { 0.25 * length };
        }
        Ok(None)
    }
}

/// Estimates the cost of a pass over the sample, in nanoseconds.
pub(super) fn cost_of_pass(sample: &Sample) -> f64 {
    let (dense, pairs) = sample.design.size();
    (0.4 * dense as f64 + 2.0 * pairs as f64) / sample.stride as f64
}

/// Returns whether factoring the Hessian pays off, because there are few columns or because it costs less than `worth`
/// passes, and its estimated cost in nanoseconds.
pub(super) fn is_factored(sample: &Sample, worth: f64) -> (bool, f64) {
    let dim = sample.design.dim();
    let factoring = cost(sample) + 0.1 * (dim as f64).powi(3);
    (dim <= 200 || dim <= MAX_DENSE_COLUMNS && factoring <= worth * cost_of_pass(sample), factoring)
}

/// Builds a preconditioner for the Hessian Σ curvature_r x_r x_rᵀ + diag(penalty_curvature) over rows x_r: its Cholesky
/// factor if that pays off when it saves `worth` passes, else its diagonal.
pub(super) fn inverse(
    passes: &mut Passes,
    sample: &Sample,
    penalty_curvature: &[f64],
    curvature: &[f64],
    worth: f64,
) -> Result<Preconditioner, Stopped> {
    if !is_factored(sample, worth).0 {
        return Ok(Preconditioner::diagonal(diagonal(passes, sample, penalty_curvature, curvature)?));
    }
    let dim = sample.design.dim();
    let mut square = gram(passes.workers, sample, curvature)?;
    penalty_curvature.iter().enumerate().for_each(|(j, penalty_curvature)| square[j * dim + j] += penalty_curvature);
    Ok(Preconditioner::Cholesky(Cholesky::with_penalty(passes.workers, square, dim, penalty_curvature)?))
}
