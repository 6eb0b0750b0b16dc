//! Dual feasibility for unpenalised weights: dual points θ whose sums Σω_iθ_i x_ij are 0 up to rounding, for row
//! weights ω_i and each unpenalised column j.
//!
//! Without a penalty the conjugate is finite only where Σω_iθ_i x_ij = 0, as for the intercept; with a bound on one
//! side of the weight, only where this sum does not drive the weight to the other side. After a Newton step the dual
//! points violate this by the residual of the Newton system. One more Newton step, along these columns and for the dual
//! points alone, θ_i − φ''_i·x_iᵀs with Hs = Xᵀθ, removes the residual; dual points that would leave their domain are
//! clipped to its boundary and then fixed.

use super::{
    at_point::AtPoint,
    conjugate_gradients::{StoppingRule, solve},
    design::Sample,
    gap::length,
    pass::{Passes, margins},
    state::diagonal,
    workers::Stopped,
};

/// Maximum number of Newton steps for the dual points: usually two suffice, more where dual points reach the boundary
/// of their domain.
const MAX_NEWTON_STEPS: usize = 40;
/// Rounding error of a sum over all rows, relative to the square root of the sum of the squares of its terms.
const ROUNDING: f64 = 1e-12;

/// Moves dual points θ until, except for rounding, no conjugate of a penalty is infinite. Returns for each coordinate j
/// whether its sum Σω_iθ_i x_ij had to be made 0 (balanced); `None` if that fails.
///
/// *Cost*: two passes per step, and one per iteration of conjugate gradients, about as many as there are unpenalised
/// columns.
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
    // Weights without any bound have to be balanced in any case.
    let mut balanced: Vec<bool> =
        objective.penalties.iter().map(|penalty| penalty.is_unpenalised() && !penalty.is_bounded()).collect();
    for _ in 0..MAX_NEWTON_STEPS {
        let means = mean(passes, sample, duals)?;
        let size = length(passes.workers, sample, duals)?;
        let matters = |j: usize| means[j].abs() > ROUNDING * size * lengths[j];
        let unbounded = means.iter().zip(objective.penalties).map(|(z, penalty)| penalty.is_unbounded_for(*z));
        balanced.iter_mut().zip(unbounded).for_each(|(balanced, unbounded)| *balanced |= unbounded);
        if !(0..dim).any(|j| balanced[j] && matters(j)) {
            return Ok(Some(balanced));
        }
        let by = newton_margins(passes, sample, &balanced, &curvature, &means)?;
        for (r, dual) in duals.iter_mut().enumerate() {
            let moved = *dual + if shares[r] > 0.0 { curvature[r] / shares[r] * by[r] } else { 0.0 };
            *dual = objective.margin_loss.clip(sample.label(r), moved);
            curvature[r] = if *dual == moved { curvature[r] } else { 0.0 };
        }
    }
    Ok(None)
}

/// Computes z = −Σω_iθ_i x_i, the mean of dual points θ_i times each column, over rows x_i of weight ω_i. One pass.
pub(super) fn mean(passes: &mut Passes, sample: &Sample, duals: &[f64]) -> Result<Vec<f64>, Stopped> {
    let blocks = sample.blocks();
    let visitors = blocks.own.iter().zip(blocks.split(duals, 1));
    let visitors = visitors.map(|(block, duals)| move |r: usize| -sample.share(block.row(r)) * duals[r]);
    let mut mean = vec![0.0; sample.design.dim()];
    passes.run_sum(sample, visitors.collect(), &mut mean)?;
    Ok(mean)
}

/// Computes the margins Xs of a Newton step s: H·s = z on the balanced coordinates, and s = 0 elsewhere, where H = Σ
/// curvature_r x_r x_rᵀ over rows x_r, and z are the `means`.
fn newton_margins(
    passes: &mut Passes,
    sample: &Sample,
    balanced: &[bool],
    curvature: &[f64],
    means: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let (dim, blocks) = (balanced.len(), sample.blocks());
    let diagonal = diagonal(passes, sample, &vec![0.0; dim], curvature)?;
    let inverse = |x: &[f64], out: &mut [f64]| {
        for (j, out) in out.iter_mut().enumerate() {
            *out = if balanced[j] && diagonal[j] > 0.0 { x[j] / diagonal[j] } else { 0.0 };
        }
    };
    let hessian_product = |x: &[f64], out: &mut [f64]| {
        let parts = blocks.split(curvature, 1).into_iter();
        let visitors = parts.map(|curvature| move |r: usize, m: f64| curvature[r] * m);
        passes.run(sample, Some(x), visitors.collect(), out)?;
        out.iter_mut().zip(balanced).for_each(|(out, balanced)| *out = if *balanced { *out } else { 0.0 });
        Ok(())
    };
    let gradient: Vec<f64> = means.iter().zip(balanced).map(|(z, balanced)| if *balanced { -z } else { 0.0 }).collect();
    let enough =
        |_: f64| StoppingRule { share: 1e-20, residual: f64::INFINITY, constant: f64::INFINITY, iterations: 200 };
    let step = solve(&gradient, hessian_product, inverse, |_| (0.0, 0.0), enough)?.step;
    margins(passes, sample, &step)
}
