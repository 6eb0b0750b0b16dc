//! The Fenchel gap of a point and a dual point: what [`fenchel`](surefoot::certificate::fenchel()) says, for any dual
//! point, and with all threads.

use super::curve::Curve;
use super::design::Sample;
use super::pass::Passes;
use super::release::{mean, release};
use super::shares::Stopped;
use super::state::{Objective, State};
use crate::sums::Sum;

/// The gap at a point between the objective and the dual objective at `duals`, once these are feasible. ∞ where no dual
/// point is found that is.
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
    for (r, dual) in duals.iter_mut().enumerate() {
        *dual = objective.curve.clip(sample.label(r), *dual);
    }
    let mut balanced = vec![false; state.point.len()];
    if objective.is_loose {
        let Some(minded) = release(passes, sample, objective, state, &mut duals)? else { return Ok(f64::INFINITY) };
        balanced = minded;
    } else if let Some(constant) = sample.design.constant() {
        balance(sample, objective, &mut duals);
        balanced[constant] = true;
    }
    let mut mean = mean(passes, sample, &duals)?;
    let factor = objective.prices.iter().zip(&mean).map(|(price, z)| price.shrink(*z)).fold(1.0, f64::min);
    if factor != 1.0 {
        mean.iter_mut().chain(&mut duals).for_each(|x| *x *= factor);
    }
    let (missed, size) = misses(passes, sample, objective, state, &duals)?;
    // What rounding has left of a balance, that is all there is to it.
    let (mut priced, mut rest, mut along) = (0.0, 0.0, 0.0);
    for (j, (&w, &z)) in state.point.iter().zip(&mean).enumerate() {
        if balanced[j] {
            rest += (w * z).abs();
        } else {
            priced += objective.prices[j].miss(w, z);
            along += (w * z).abs();
        }
    }
    let gap = missed + priced + rest + 4.0 * f64::EPSILON * (size + along);
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
