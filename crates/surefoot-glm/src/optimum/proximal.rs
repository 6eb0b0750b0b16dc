//! Newton's method with steps by coordinate descent, for an L1 penalty or weights of at least 0: zeros are exact.

use super::gap::foreseen;
use super::quadratic::{Columns, Quadratic};
use super::search::{Search, Verdict};
use super::shares::Stopped;
use super::state::State;

/// Sweeps over the coordinates for one step.
const SWEEPS: usize = 10_000;

/// Each step minimises the quadratic model of the smooth part with the penalty as it is. Coordinates that are 0 and whose
/// gradients do not reach the penalty are left out until they do.
pub(super) fn proximal(search: &mut Search, mut state: State) -> Result<Verdict, Stopped> {
    let sample = search.rows();
    let mut columns: Option<Columns> = None;
    search.bound(&state, Some(state.slope.clone()))?;
    let (mut stalls, mut last, mut precision) = (0, false, 0.1);
    loop {
        let verdict = search.verdict(state.place());
        if let (Some(verdict), true) = (verdict, last) {
            return Ok(verdict);
        }
        last = verdict.is_some();
        let l1 = search.objective.l1;
        let working = working_set(search, &state);
        let step = {
            let mut model = Quadratic::new(&mut search.passes, &sample, &search.objective, &state, &mut columns)?;
            descend(search, &state, &mut model, &working, precision * l1)?
        };
        // What the step is worth to first order; never positive.
        let constant = sample.design.constant();
        let change = |j: usize| {
            let penalty = if Some(j) == constant { 0.0 } else { l1 };
            state.gradient[j] * step[j] + penalty * ((state.point[j] + step[j]).abs() - state.point[j].abs())
        };
        let descent: f64 = (0..step.len()).map(change).sum();
        search.decrement = -descent;
        let Some((next, whole)) = walk(search, &state, &step, descent)? else {
            return Ok(search.verdict(state.place()).unwrap_or(Verdict::Stalled));
        };
        let gained = state.objective - next.objective;
        stalls = if gained <= 1e-15 * state.objective.abs() { stalls + 1 } else { 0 };
        let wanted = 0.02 * search.tolerance;
        precision =
            (gained / state.objective.abs()).clamp(wanted, if whole { 0.1 * precision } else { 0.1 }.max(wanted));
        let duals = if whole { foreseen(&sample, &state, &next) } else { next.slope.clone() };
        state = next;
        search.bound(&state, Some(duals))?;
        if stalls >= 3 {
            return Ok(search.verdict(state.place()).unwrap_or(Verdict::Stalled));
        }
    }
}

/// The coordinates that may leave 0 or stay away from it.
fn working_set(search: &Search, state: &State) -> Vec<usize> {
    let constant = search.design.constant();
    let may = |j: &usize| {
        Some(*j) == constant || state.point[*j] != 0.0 || state.gradient[*j].abs() >= 0.9 * search.objective.l1
    };
    (0..state.point.len()).filter(may).collect()
}

/// Coordinate descent on the model and the penalty, until no subgradient is farther from 0 than `enough`.
fn descend(
    search: &Search,
    state: &State,
    model: &mut Quadratic,
    working: &[usize],
    enough: f64,
) -> Result<Vec<f64>, Stopped> {
    let mut step = vec![0.0; state.point.len()];
    let constant = search.design.constant();
    let mut active: Vec<usize> = working.to_vec();
    let mut whole = true;
    for _ in 0..SWEEPS {
        let mut worst: f64 = 0.0;
        for (k, &j) in active.iter().enumerate() {
            if k % 256 == 0 {
                search.passes.crew.check()?;
            }
            let (at, bend, slope) = (state.point[j] + step[j], model.bend(j), model.slope(j));
            let l1 = if Some(j) == constant { 0.0 } else { search.objective.l1 };
            let target = bend * at - slope;
            let best = if target.abs() <= l1 { 0.0 } else { (target - l1.copysign(target)) / bend };
            let held = search.objective.nonnegative && Some(j) != constant;
            let best = if held { best.max(0.0) } else { best };
            let by = best - at;
            if bend > 0.0 && by != 0.0 && best.is_finite() {
                worst = worst.max(bend * by.abs());
                model.shift(j, by);
                // Exactly 0, not nearly.
                step[j] = best - state.point[j];
            }
        }
        if worst <= enough {
            if whole {
                break;
            }
            active = working.to_vec();
            whole = true;
        } else {
            active.retain(|&j| state.point[j] + step[j] != 0.0 || Some(j) == constant);
            whole = false;
        }
    }
    Ok(step)
}

/// The first point along a step that is good enough, and whether it is that of the whole step.
fn walk(search: &mut Search, state: &State, step: &[f64], descent: f64) -> Result<Option<(State, bool)>, Stopped> {
    let (sample, noise) = (search.rows(), 1e-13 * state.objective.abs());
    let mut length = 1.0;
    for _ in 0..40 {
        // w + (−w) is 0 to the bit.
        let point = state.point.iter().zip(step).map(|(w, step)| w + length * step).collect();
        let next = State::at(&mut search.passes, &sample, &search.objective, point)?;
        if next.objective <= state.objective + 1e-4 * length * descent + noise {
            return Ok(Some((next, length == 1.0)));
        }
        length *= 0.4;
    }
    Ok(None)
}
