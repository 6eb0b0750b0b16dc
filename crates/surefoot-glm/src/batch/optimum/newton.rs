//! Newton's method with inexact steps, for objectives that are smooth: no L1.

use super::{
    cholesky::Cholesky,
    conjugate_gradients::{Direction, Forcing, NEAR, direction},
    design::Sample,
    gap::foreseen,
    gram::{cost, gram},
    pass::Passes,
    preconditioner::Preconditioner,
    search::{Search, Verdict},
    state::{State, diagonal},
    weight_penalty::largest_l2,
    workers::Stopped,
};

/// Passes that a whole matrix saves a search.
const WORTH: f64 = 40.0;
/// Columns up to which the whole matrix is factored.
const FEW: usize = 2000;
/// A diagonal, itself one pass, is made anew after this many passes.
pub(super) const RENEWAL: f64 = 4.0;
/// Rows of the smallest sample that is worth a search of its own.
const LEAST_ROWS: usize = 2000;

/// Searches on growing samples of the rows, each from the optimum of the one before, until all rows are certified.
///
/// The first samples are cheap, and what they find is within their statistical error of the optimum; two or three
/// steps on all rows do the rest.
pub(super) fn newton(search: &mut Search, mut state: State) -> Result<Verdict, Stopped> {
    let design = search.design;
    let mut inverse = None;
    let mut stride = 1;
    while design.rows() / (4 * stride) >= LEAST_ROWS.max(10 * design.dim()) && stride < 64 {
        stride *= 4;
    }
    if stride > 1 && !search.is_near(state.candidate()) {
        let mut point = state.point.clone();
        while stride > 1 {
            let sample = Sample::new(design, stride);
            let start = State::at(&mut search.passes, &sample, &search.objective, point)?;
            point =
                Stage { search, sample, inverse: &mut inverse, spent: f64::INFINITY, preparation: 0.0, trust: true }
                    .warm(start)?;
            stride /= 4;
        }
        let found = State::at(&mut search.passes, &Sample::new(design, 1), &search.objective, point)?;
        if found.objective < state.objective {
            state = found;
        }
    }
    let sample = Sample::new(design, 1);
    Stage { search, sample, inverse: &mut inverse, spent: 0.0, preparation: 0.0, trust: true }.certify(state)
}

/// The search on one sample.
struct Stage<'s, 'a> {
    search: &'s mut Search<'a>,
    sample: Sample<'a>,
    inverse: &'s mut Option<Preconditioner>,
    /// Nanoseconds, roughly, that the last conjugate gradients took,
    spent: f64,
    /// and that the preconditioner took: the one is made anew where the other exceeds it.
    preparation: f64,
    /// Whether the last step was about as good as the quadratic model said.
    trust: bool,
}

impl Stage<'_, '_> {
    /// Goes on until what may be gained is below the noise of the sample.
    fn warm(&mut self, mut state: State) -> Result<Vec<f64>, Stopped> {
        let noise = 0.1 * state.point.len().min(self.sample.rows()) as f64 / self.sample.rows() as f64;
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

    /// Goes on until the gap is certified, or there is a reason to give up.
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
            let near = direction.decrement <= NEAR * state.objective.abs();
            let duals = near.then(|| foreseen(&self.sample, &state, &next));
            state = next;
            self.search.bound(&state, duals)?;
            if self.search.stalls >= 3 {
                return Ok(self.search.verdict(state.candidate()).unwrap_or(Verdict::Stalled));
            }
        }
    }

    /// A whole matrix can be factored, and dual points need not be balanced column by column: see `balance_unpenalised.rs`.
    fn is_cheap(&self) -> bool {
        let loose = self.search.objective.penalties.iter().filter(|penalty| penalty.is_unpenalised()).count();
        matches!(self.inverse, Some(Preconditioner::Cholesky(_))) && loose <= usize::from(self.search.design.intercept)
    }

    /// A Newton direction; the preconditioner is made anew where it does not do its work.
    fn direction(&mut self, state: &State, dot_sum: bool) -> Result<Direction, Stopped> {
        let (factored, factoring) = is_factored(&self.sample, WORTH);
        let (pass, trust) = (cost_of_pass(&self.sample), self.trust);
        let search = &mut *self.search;
        if self.spent > self.preparation || self.inverse.is_none() {
            let made = inverse(&mut search.passes, &self.sample, &state.penalty_curvature, &state.curvature, WORTH)?;
            let preparation = if factored { factoring } else { RENEWAL * pass };
            (*self.inverse, self.preparation, self.spent) = (Some(made), preparation, 0.0);
        }
        let inverse = self.inverse.as_ref().expect("made above");
        let (size, l2, tolerance) = (state.objective.abs(), largest_l2(search.objective.penalties), search.tolerance);
        let farthest = state.margin.iter().fold(0.0, |a: f64, m| a.max(m.abs()));
        let wanted = Forcing { size, tolerance, farthest, l2, certified: dot_sum && trust };
        let enough = |decrement| wanted.at(decrement);
        let found = direction(&mut search.passes, &self.sample, state, search.objective.penalties, inverse, enough)?;
        self.spent += if found.iterations > 2 { found.iterations as f64 * pass } else { 0.0 };
        Ok(found)
    }

    /// The point along a direction with the sufficient decrease of Armijo; `None` if there is none.
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
            // The minimum of the parabola through what is known, if it is anywhere near.
            let rise = next.objective - state.objective + length * direction.descent;
            let lowest = 0.5 * length * length * direction.descent / rise;
            length = if lowest.is_finite() { lowest.clamp(0.1 * length, 0.5 * length) } else { 0.25 * length };
        }
        Ok(None)
    }
}

/// A pass over the sample, in nanoseconds, roughly.
pub(super) fn cost_of_pass(sample: &Sample) -> f64 {
    let (dense, pairs) = sample.design.size();
    (0.4 * dense as f64 + 2.0 * pairs as f64) / sample.stride as f64
}

/// Whether a whole matrix is worth its price where it saves so many passes, and that price.
pub(super) fn is_factored(sample: &Sample, worth: f64) -> (bool, f64) {
    let dim = sample.design.dim();
    let factoring = cost(sample) + 0.1 * (dim as f64).powi(3);
    (dim <= 200 || dim <= FEW && factoring <= worth * cost_of_pass(sample), factoring)
}

/// A preconditioner for the Hessian Σ bend_r x_r x_rᵀ + diag(hold).
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
    Ok(Preconditioner::Cholesky(Cholesky::held(passes.workers, square, dim, penalty_curvature)?))
}
