//! A primal-dual interior-point method, for losses with a kink.

use super::curve::Jet;
use super::design::Sample;
use super::direction::{Enough, direction};
use super::newton::inverse;
use super::pass::Passes;
use super::ramp::Ramp;
use super::search::{Search, Verdict};
use super::shares::Stopped;
use super::state::State;

/// Of the way to where a dual point would reach its limit, the part that is gone.
const REACH: f64 = 0.99;
/// Passes that a whole matrix saves a step: without it conjugate gradients take hundreds, as curvatures are far apart.
const WORTH: f64 = 400.0;
/// How near a limit a dual point may begin, as a part of half the way between both.
const NEAREST: f64 = 1e-9;

/// A dual point strictly between its limits, and how far its margin is beyond the kink on either side: u = above − below.
///
/// At the optimum (dual − low)·below = (high − dual)·above = 0. On the central path both are the same for all rows.
#[derive(Clone, Copy, Debug)]
struct Between {
    low: f64,
    high: f64,
    dual: f64,
    below: f64,
    above: f64,
}

/// How a [`Between`] is to change.
#[derive(Clone, Copy, Debug)]
struct Change {
    dual: f64,
    below: f64,
    above: f64,
}

impl Between {
    /// On the central path, where both products are `product`.
    fn central(low: f64, high: f64, u: f64, product: f64) -> Between {
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
        let dual = centre + u * half * half / (product + (product * product + u * u * half * half).sqrt());
        // Rounding may leave it on a limit.
        let dual = dual.clamp(low + NEAREST * half, high - NEAREST * half);
        Between { low, high, dual, below: product / (dual - low), above: product / (high - dual) }
    }

    fn product(&self) -> f64 {
        0.5 * ((self.dual - self.low) * self.below + (self.high - self.dual) * self.above)
    }

    /// One over the curvature of the row: dual points change by that of u over it.
    fn stiffness(&self) -> f64 {
        self.below / (self.dual - self.low) + self.above / (self.high - self.dual)
    }

    /// How far u is from where both products are `product`.
    fn short(&self, u: f64, product: f64) -> f64 {
        product / (self.high - self.dual) - product / (self.dual - self.low) - u
    }

    /// What Newton's method makes of both products and u = above − below, when u is to be u + `by`.
    fn change(&self, u: f64, by: f64, product: f64) -> Change {
        let dual = (by - self.short(u, product)) / self.stiffness();
        let below = (product - self.below * dual) / (self.dual - self.low) - self.below;
        let above = (product + self.above * dual) / (self.high - self.dual) - self.above;
        Change { dual, below, above }
    }

    /// The largest part of a change, up to 1, that leaves everything inside.
    fn room(&self, change: &Change) -> f64 {
        let until = |room: f64, by: f64| if by < -room { room / -by } else { 1.0 };
        let sides = until(self.below, change.below).min(until(self.above, change.above));
        sides.min(until(self.dual - self.low, change.dual)).min(until(self.high - self.dual, -change.dual))
    }

    fn shift(&mut self, part: f64, change: &Change) {
        self.dual += part * change.dual;
        self.below += part * change.below;
        self.above += part * change.above;
    }
}

/// Follows the central path: Newton steps for dual points and margins at once, towards products that shrink.
///
/// Eliminating all but the weights leaves the system of a Newton step on the primal problem, with slopes and bends that come from
/// the dual points: they stay bounded where those of a smoothed kink jump. The certificate is that of the loss as it is, at the dual
/// points (Wright 1997, *Primal-Dual Interior-Point Methods*).
pub(super) fn interior(search: &mut Search, first: State, ramp: Ramp) -> Result<Verdict, Stopped> {
    let sample = search.rows();
    search.bound(&first, Some(first.slope.clone()))?;
    if let Some(verdict) = search.verdict(first.place()) {
        return Ok(verdict);
    }
    let mut product = first.objective.abs();
    let rows = first.margin.iter().enumerate();
    let mut rows: Vec<Between> =
        rows.map(|(r, &m)| Between::central(ramp.low, ramp.high, ramp.place(sample.label(r), m).1, product)).collect();
    let (mut point, mut shrink) = (first.point, 0.1);
    loop {
        let mean: f64 = rows.iter().enumerate().map(|(r, row)| sample.share(r) * row.product()).sum();
        product = shrink * mean;
        let state = State::by(&mut search.passes, &sample, &search.objective, point.clone(), |r, y, m| {
            let ((sign, u), row) = (ramp.place(y, m), &rows[r]);
            let stiffness = row.stiffness();
            let slope = row.dual - row.short(u, product) / stiffness;
            Jet { value: ramp.jet(y, m).value, slope: sign * slope, bend: 1.0 / stiffness }
        })?;
        let duals = rows.iter().enumerate().map(|(r, row)| ramp.place(sample.label(r), 0.0).0 * row.dual).collect();
        search.bound(&state, Some(duals))?;
        if let Some(verdict) = search.verdict(state.place()) {
            return Ok(verdict);
        }
        let step = newton_step(search, &sample, &state)?;
        let by = margins(&mut search.passes, &sample, &step)?;
        let changes: Vec<Change> = rows
            .iter()
            .enumerate()
            .map(|(r, row)| {
                let (sign, u) = ramp.place(sample.label(r), state.margin[r]);
                row.change(u, sign * by[r], product)
            })
            .collect();
        let room = rows.iter().zip(&changes).map(|(row, change)| row.room(change)).fold(1.0, f64::min);
        let part = if room < 1.0 { REACH * room } else { 1.0 };
        if !(part > 1e-8) || product <= f64::MIN_POSITIVE {
            return Ok(Verdict::Stalled);
        }
        rows.iter_mut().zip(&changes).for_each(|(row, change)| row.shift(part, change));
        point.iter_mut().zip(&step).for_each(|(w, step)| *w += part * step);
        // Towards the centre where steps are short.
        shrink = (1.0 - part).powi(2).clamp(0.1, 0.8);
    }
}

/// What the weights are to change by.
fn newton_step(search: &mut Search, sample: &Sample, state: &State) -> Result<Vec<f64>, Stopped> {
    let objective = search.objective;
    let inverse = inverse(&mut search.passes, sample, objective.l2, &state.bend, WORTH)?;
    let (size, tolerance) = (state.objective.abs(), search.tolerance);
    let enough = |_: f64| Enough {
        share: 1e-6,
        residual: 0.01 * 2.0 * objective.l2 * tolerance * size,
        constant: f64::INFINITY,
        iterations: 1000,
    };
    Ok(direction(&mut search.passes, sample, &objective, state, &inverse, enough)?.step)
}

/// The margins of a step: one pass.
fn margins(passes: &mut Passes, sample: &Sample, step: &[f64]) -> Result<Vec<f64>, Stopped> {
    let mut margins = vec![0.0; sample.rows()];
    let visitors = margins.chunks_mut(Passes::rows_per_share(sample));
    let visitors = visitors.map(|margins| {
        move |r: usize, m: f64| {
            margins[r] = m;
            0.0
        }
    });
    passes.run::<false, _>(sample, Some(step), visitors.collect(), &mut vec![0.0; step.len()])?;
    Ok(margins)
}
