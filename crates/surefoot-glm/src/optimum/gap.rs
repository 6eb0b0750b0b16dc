//! The Fenchel gap of a point and a dual point: what [`fenchel`](surefoot::certificate::fenchel()) says, for any dual
//! point, and with all threads.

use super::curve::Curve;
use super::design::Sample;
use super::pass::Passes;
use super::shares::Stopped;
use super::state::{Objective, State};
use crate::sums::Sum;
use surefoot::certificate::{ElasticNet, Penalty};

/// The gap at a point between the objective and the dual objective at `duals`, once these are feasible. ∞ where no dual
/// point is.
///
/// At θ_i = φ'(margin) it is of the order of ‖∇P‖²/l2. After a Newton step the dual points that the quadratic model
/// foresees, φ'(m) + φ''(m)·Δm, are far better: they satisfy Σω_iθ_i a_i = −l2·w as well as the step was solved for, so
/// that what is left is of the order of the third derivative, and the gap that of the objective itself.
///
/// Rounding is allowed for in the sums over margins and coordinates, not in the margins and the dual mean themselves: gaps near
/// 1e-12 of the objective are the core's to certify.
///
/// *Cost*: one pass.
pub(super) fn gap(
    passes: &mut Passes,
    sample: &Sample,
    objective: &Objective,
    state: &State,
    mut duals: Vec<f64>,
) -> Result<f64, Stopped> {
    let net = ElasticNet::new(objective.l1, objective.l2);
    for (r, dual) in duals.iter_mut().enumerate() {
        *dual = objective.curve.clip(sample.label(r), *dual);
    }
    if sample.design.intercept {
        balance(sample, objective, &mut duals);
    }
    let per = Passes::rows_per_share(sample);
    let visitors = duals.chunks(per).enumerate();
    let visitors = visitors.map(|(k, duals)| move |r: usize, _: f64| -sample.share(k * per + r) * duals[r]);
    let mut mean = vec![0.0; state.point.len()];
    passes.run::<false, _>(sample, None, visitors.collect(), &mut mean)?;
    // The penalty does not see the intercept.
    let constant = sample.design.constant();
    let rest = constant.map_or(0.0, |constant| state.point[constant] * mean[constant]);
    let dim = mean.len() - usize::from(constant.is_some());
    let at = |j: usize| if constant.is_some_and(|constant| j >= constant) { j + 1 } else { j };
    // Weights of at least 0 make Ω*(v) that of the positive part of v, and the rest of v a price w·(−v) of its own.
    let held = |v: f64| if objective.nonnegative { v.max(0.0) } else { v };
    let factor = net.shrink(dim, |j| held(mean[at(j)]), 0.0);
    if factor != 1.0 {
        mean.iter_mut().chain(&mut duals).for_each(|x| *x *= factor);
    }
    let (missed, size) = misses(passes, sample, objective, state, &duals)?;
    let penalty = net.gap(dim, |j| state.point[at(j)], |j| held(mean[at(j)]));
    let priced = (0..dim).map(|j| state.point[at(j)] * (held(mean[at(j)]) - mean[at(j)])).sum::<f64>();
    let size = size + (0..dim).map(|j| (state.point[at(j)] * mean[at(j)]).abs()).sum::<f64>();
    let gap = missed + penalty + priced + rest.abs() + 4.0 * f64::EPSILON * size;
    Ok(if gap.is_finite() { gap } else { f64::INFINITY })
}

/// The dual points that the quadratic model at `state` foresees for `next`.
pub(super) fn foreseen(sample: &Sample, state: &State, next: &State) -> Vec<f64> {
    let mut duals = vec![0.0; state.slope.len()];
    for (r, dual) in duals.iter_mut().enumerate() {
        let share = sample.share(r);
        let bend = if share > 0.0 { state.bend[r] / share } else { 0.0 };
        *dual = state.slope[r] + bend * (next.margin[r] - state.margin[r]);
    }
    duals
}

/// Σ ω_i(φ_i(m_i) + φ_i*(θ_i) − θ_i·m_i), and Σ|ω_iθ_i·m_i|, by which rounding is judged.
fn misses(
    passes: &Passes,
    sample: &Sample,
    objective: &Objective,
    state: &State,
    duals: &[f64],
) -> Result<(f64, f64), Stopped> {
    let per = Passes::rows_per_share(sample);
    let mut found = vec![(Sum::default(), 0.0); duals.len().div_ceil(per)];
    // There slopes may not be those of the margins. Elsewhere dual points that are slopes miss nothing.
    let ramp = matches!(objective.curve, Curve::Ramp(_));
    let shares = found.iter_mut().zip(duals.chunks(per)).enumerate().collect();
    passes.crew.run(shares, |(k, ((sum, size), duals)): (usize, (&mut (Sum, f64), &[f64]))| {
        for (r, &dual) in (k * per..).zip(duals) {
            let (margin, share) = (state.margin[r], sample.share(r));
            *size += (share * dual * margin).abs();
            if dual != state.slope[r] || ramp {
                sum.add(share * objective.curve.miss(sample.label(r), margin, dual));
            }
        }
    })?;
    let mut sum = Sum::default();
    found.iter().for_each(|(part, _)| sum.add(part.value()));
    Ok((sum.value(), found.iter().map(|(_, size)| size).sum()))
}

/// Makes Σω_iθ_i = 0, up to rounding: the mean is subtracted where any dual point will do, else the heavier of the
/// positive and the negative ones are scaled down.
fn balance(sample: &Sample, objective: &Objective, duals: &mut [f64]) {
    if objective.curve.shifts() {
        let mut sum = Sum::default();
        duals.iter().enumerate().for_each(|(r, dual)| sum.add(sample.share(r) * dual));
        duals.iter_mut().for_each(|dual| *dual -= sum.value());
        return;
    }
    let (mut above, mut below) = (Sum::default(), Sum::default());
    for (r, dual) in duals.iter().enumerate() {
        if *dual > 0.0 { above.add(sample.share(r) * dual) } else { below.add(-sample.share(r) * dual) }
    }
    let (above, below) = (above.value(), below.value());
    let down = if above > below { below / above } else { 1.0 };
    let up = if below > above { above / below } else { 1.0 };
    duals.iter_mut().for_each(|dual| *dual *= if *dual > 0.0 { down } else { up });
}
