//! Dual points for weights that nothing holds.
//!
//! Of a column without a penalty the conjugate is finite only where Σω_iθ_i x_ij = 0, as for the intercept; of one with a bound on one
//! side, where that does not drive the weight to the other. After a Newton step dual points miss this by what the step was not
//! solved for. One more Newton step, along these columns alone and for the dual points alone, θ_i − φ''_i·x_iᵀs with Hs = Xᵀθ, makes
//! up for it; dual points that it takes out of their range stay on its edge and do not move any more.

use super::{
    design::Sample,
    direction::{Enough, solve},
    gap::Around,
    pass::Passes,
    shares::Stopped,
    state::diagonal,
};

/// Steps: mostly two, more where dual points reach the edge of their range.
const ROUNDS: usize = 40;
/// What rounding leaves of a sum of as many terms as there are rows, against the sum of squares.
const ROUNDING: f64 = 1e-12;

/// Moves dual points until no weight is driven for ever, and says which coordinates had to be minded: what is left there is rounding.
/// `None` where that could not be done.
///
/// *Cost*: two passes a round, and one for each iteration of conjugate gradients, of which there are about as many as such columns.
pub(super) fn release(passes: &mut Passes, around: Around, duals: &mut [f64]) -> Result<Option<Vec<bool>>, Stopped> {
    let Around { sample, objective, state } = around;
    let lengths = &sample.design.lengths;
    let dim = state.point.len();
    let shares: Vec<f64> = (0..sample.rows()).map(|r| sample.share(r)).collect();
    let mut bend = state.bend.clone();
    // Those without any bound must be balanced whatever they are driven to.
    let mut minded: Vec<bool> = objective.prices.iter().map(|price| price.is_loose() && !price.is_bounded()).collect();
    for _ in 0..ROUNDS {
        let drive = mean(passes, sample, duals)?;
        let size = duals.iter().zip(&shares).map(|(dual, share)| share * dual * dual).sum::<f64>().sqrt();
        let matters = |j: usize| drive[j].abs() > ROUNDING * size * lengths[j];
        let driven = drive.iter().zip(objective.prices).map(|(z, price)| price.is_driven(*z));
        minded.iter_mut().zip(driven).for_each(|(minded, driven)| *minded |= driven);
        if !(0..dim).any(|j| minded[j] && matters(j)) {
            return Ok(Some(minded));
        }
        let by = along(passes, sample, &minded, &bend, &drive)?;
        for (r, dual) in duals.iter_mut().enumerate() {
            let moved = *dual + if shares[r] > 0.0 { bend[r] / shares[r] * by[r] } else { 0.0 };
            *dual = objective.curve.clip(sample.label(r), moved);
            bend[r] = if *dual == moved { bend[r] } else { 0.0 };
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
    minded: &[bool],
    bend: &[f64],
    drive: &[f64],
) -> Result<Vec<f64>, Stopped> {
    let (dim, per) = (minded.len(), Passes::rows_per_share(sample));
    let diagonal = diagonal(passes, sample, &vec![0.0; dim], bend)?;
    let inverse = |x: &[f64], out: &mut [f64]| {
        for (j, out) in out.iter_mut().enumerate() {
            *out = if minded[j] && diagonal[j] > 0.0 { x[j] / diagonal[j] } else { 0.0 };
        }
    };
    let curvature = |x: &[f64], out: &mut [f64]| {
        let visitors = bend.chunks(per).map(|bend| move |r: usize, m: f64| bend[r] * m);
        passes.run(sample, Some(x), visitors.collect(), out)?;
        out.iter_mut().zip(minded).for_each(|(out, minded)| *out = if *minded { *out } else { 0.0 });
        Ok(())
    };
    let gradient: Vec<f64> = drive.iter().zip(minded).map(|(z, minded)| if *minded { -z } else { 0.0 }).collect();
    let enough = |_: f64| Enough { share: 1e-20, residual: f64::INFINITY, constant: f64::INFINITY, iterations: 200 };
    let step = solve(&gradient, curvature, inverse, |_| (0.0, 0.0), enough)?.step;
    super::interior::margins(passes, sample, &step)
}
