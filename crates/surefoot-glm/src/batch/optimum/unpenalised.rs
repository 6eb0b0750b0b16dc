//! Dual points for weights that nothing holds.
//!
//! Of a column without a penalty the conjugate is finite only where Σω_iθ_i x_ij = 0, as for the intercept; of one with a bound on one
//! side, where that does not drive the weight to the other. After a Newton step dual points miss this by what the step was not
//! solved for. One more Newton step, along these columns alone and for the dual points alone, θ_i − φ''_i·x_iᵀs with Hs = Xᵀθ, makes
//! up for it; dual points that it takes out of their range stay on its edge and do not move any more.

use super::{
    at_point::AtPoint,
    conjugate_gradients::{StoppingRule, solve},
    design::Sample,
    pass::{Passes, margins},
    state::diagonal,
    workers::Stopped,
};

/// Steps: mostly two, more where dual points reach the edge of their range.
const ROUNDS: usize = 40;
/// What rounding leaves of a sum of as many terms as there are rows, against the sum of squares.
const ROUNDING: f64 = 1e-12;

/// Moves dual points until no weight is driven for ever, and says which coordinates had to be minded: what is left there is rounding.
/// `None` where that could not be done.
///
/// *Cost*: two passes a round, and one for each iteration of conjugate gradients, of which there are about as many as such columns.
pub(super) fn balance_unpenalised(
    passes: &mut Passes,
    at_point: AtPoint,
    duals: &mut [f64],
) -> Result<Option<Vec<bool>>, Stopped> {
    let AtPoint { sample, objective, state } = at_point;
    let lengths = &sample.design.lengths;
    let dim = state.point.len();
    let shares: Vec<f64> = (0..sample.rows()).map(|r| sample.share(r)).collect();
    let mut curvature = state.curvature.clone();
    // Those without any bound must be balanced whatever they are driven to.
    let mut balanced: Vec<bool> =
        objective.penalties.iter().map(|penalty| penalty.is_unpenalised() && !penalty.is_bounded()).collect();
    for _ in 0..ROUNDS {
        let drive = mean(passes, sample, duals)?;
        let size = duals.iter().zip(&shares).map(|(dual, share)| share * dual * dual).sum::<f64>().sqrt();
        let matters = |j: usize| drive[j].abs() > ROUNDING * size * lengths[j];
        let driven = drive.iter().zip(objective.penalties).map(|(z, penalty)| penalty.is_unbounded_for(*z));
        balanced.iter_mut().zip(driven).for_each(|(balanced, driven)| *balanced |= driven);
        if !(0..dim).any(|j| balanced[j] && matters(j)) {
            return Ok(Some(balanced));
        }
        let by = along(passes, sample, &balanced, &curvature, &drive)?;
        for (r, dual) in duals.iter_mut().enumerate() {
            let moved = *dual + if shares[r] > 0.0 { curvature[r] / shares[r] * by[r] } else { 0.0 };
            *dual = objective.margin_loss.clip(sample.label(r), moved);
            curvature[r] = if *dual == moved { curvature[r] } else { 0.0 };
        }
    }
    Ok(None)
}

/// −Σω_iθ_i x_i: one pass.
pub(super) fn mean(passes: &mut Passes, sample: &Sample, duals: &[f64]) -> Result<Vec<f64>, Stopped> {
    let per = Passes::rows_per_share(sample);
    let visitors = duals.chunks(per).enumerate();
    let visitors = visitors.map(|(k, duals)| move |r: usize| -sample.share(k * per + r) * duals[r]);
    let mut mean = vec![0.0; sample.design.dim()];
    passes.run_sum(sample, visitors.collect(), &mut mean)?;
    Ok(mean)
}

/// The margins of the s with H·s = z on the minded coordinates, H of these bends; s is 0 elsewhere.
fn along(
    passes: &mut Passes,
    sample: &Sample,
    balanced: &[bool],
    curvature: &[f64],
    drive: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let (dim, per) = (balanced.len(), Passes::rows_per_share(sample));
    let diagonal = diagonal(passes, sample, &vec![0.0; dim], curvature)?;
    let inverse = |x: &[f64], out: &mut [f64]| {
        for (j, out) in out.iter_mut().enumerate() {
            *out = if balanced[j] && diagonal[j] > 0.0 { x[j] / diagonal[j] } else { 0.0 };
        }
    };
    let hessian_product = |x: &[f64], out: &mut [f64]| {
        let visitors = curvature.chunks(per).map(|curvature| move |r: usize, m: f64| curvature[r] * m);
        passes.run(sample, Some(x), visitors.collect(), out)?;
        out.iter_mut().zip(balanced).for_each(|(out, balanced)| *out = if *balanced { *out } else { 0.0 });
        Ok(())
    };
    let gradient: Vec<f64> = drive.iter().zip(balanced).map(|(z, balanced)| if *balanced { -z } else { 0.0 }).collect();
    let enough =
        |_: f64| StoppingRule { share: 1e-20, residual: f64::INFINITY, constant: f64::INFINITY, iterations: 200 };
    let step = solve(&gradient, hessian_product, inverse, |_| (0.0, 0.0), enough)?.step;
    margins(passes, sample, &step)
}
