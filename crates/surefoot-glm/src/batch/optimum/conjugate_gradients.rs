//! Preconditioned conjugate gradients for the Newton system H·x = −g (inexact Newton, truncated CG), with Hessian H and
//! gradient g.

use super::{
    design::Sample,
    pass::Passes,
    preconditioner::Preconditioner,
    state::State,
    vector_loops::{Kernel, add, dot, widest},
    weight_penalty::{WeightPenalty, squares},
    workers::Stopped,
};

/// Approximate solution x of the Newton system H·x = −g, with Hessian H and gradient g.
pub(super) struct Direction {
    pub(super) step: Vec<f64>,
    /// gᵀM⁻¹g for the preconditioner M ≈ H: an estimate of the squared Newton decrement gᵀH⁻¹g, which is about twice
    /// the remaining decrease of the objective.
    pub(super) decrement: f64,
    /// −gᵀx, the rate at which the objective initially decreases along the step x.
    pub(super) descent: f64,
    pub(super) iterations: usize,
}

/// Stopping rule of conjugate gradients, in terms of the residual (the forcing term of inexact Newton): they end once
/// every limit is met, or after the maximum number of iterations.
pub(super) struct StoppingRule {
    /// Maximum squared norm rᵀM⁻¹r of the residual r, relative to the squared Newton decrement, for a preconditioner M.
    pub(super) share: f64,
    /// Maximum weighted sum of squares of the residual over penalised coordinates, as computed by [`squares`].
    pub(super) residual: f64,
    /// Maximum absolute value of the residual at the coordinate of the intercept.
    pub(super) constant: f64,
    pub(super) iterations: usize,
}

/// Maximum squared Newton decrement, relative to the objective, at which a Newton step may already yield a certificate.
pub(super) const CERTIFICATE_DECREMENT: f64 = 1e-2;

/// Quantities that determine how accurately the Newton direction has to be computed.
pub(super) struct Forcing {
    /// Scale of the objective. The next field is the largest absolute margin of any row.
    pub(super) size: f64,
    pub(super) farthest: f64,
    /// Largest l2 strength of any coordinate; 0 if none has an L2 penalty.
    pub(super) l2: f64,
    pub(super) tolerance: f64,
    /// Whether the step is meant to yield a certificate, which needs a small residual once the Newton decrement is
    /// small.
    pub(super) certified: bool,
}

impl Forcing {
    /// Returns the stopping rule of conjugate gradients at this squared Newton decrement. The relative accuracy is
    /// proportional to the decrement, for fast local convergence, but no higher than the tolerance needs. If the step
    /// is to yield a certificate, the residual is bounded as well.
    pub(super) fn at(&self, decrement: f64) -> StoppingRule {
        let Forcing { size, farthest, l2, tolerance, certified } = *self;
        let share = (decrement / size).max(0.01 * tolerance * size / decrement).clamp(1e-6, 1e-2);
        let near = certified && decrement <= CERTIFICATE_DECREMENT * size && l2 > 0.0;
        let residual = if near { 0.05 * 2.0 * l2 * tolerance * size } else { f64::INFINITY };
        let constant = if near { 0.02 * tolerance * size / farthest } else { f64::INFINITY };
        StoppingRule { share, residual, constant, iterations: 1000 }
    }
}

/// Computes a Newton direction at a point by conjugate gradients: one pass over the rows per iteration.
pub(super) fn direction(
    passes: &mut Passes,
    sample: &Sample,
    state: &State,
    penalties: &[WeightPenalty],
    inverse: &Preconditioner,
    enough: impl Fn(f64) -> StoppingRule,
) -> Result<Direction, Stopped> {
    let constant = sample.design.constant();
    let left = |residual: &[f64]| {
        let at_constant = constant.map_or(0.0, |constant| residual[constant].abs());
        (squares(residual, penalties), at_constant)
    };
    let hessian_product = |x: &[f64], out: &mut [f64]| state.hessian_product(passes, sample, x, out);
    solve(&state.gradient, hessian_product, |x, out| inverse.solve(x, out), left, enough)
}

/// Solves H·x = −g approximately by preconditioned conjugate gradients, given functions that multiply by the Hessian H
/// and by the inverse of the preconditioner. `left` returns two sizes of a residual: its sum of squares at penalised
/// coordinates, and its absolute value at intercepts. `enough` returns the stopping rule for a squared Newton
/// decrement.
pub(super) fn solve(
    gradient: &[f64],
    mut hessian_product: impl FnMut(&[f64], &mut [f64]) -> Result<(), Stopped>,
    inverse: impl Fn(&[f64], &mut [f64]),
    left: impl Fn(&[f64]) -> (f64, f64),
    enough: impl Fn(f64) -> StoppingRule,
) -> Result<Direction, Stopped> {
    let dim = gradient.len();
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut step = vec![0.0; dim];
    let (mut across, mut towards) = (vec![0.0; dim], vec![0.0; dim]);
    inverse(&residual, &mut towards);
    let mut along = towards.clone();
    let mut rho = inner(&residual, &along);
    let decrement = rho;
    let enough = enough(decrement);
    let mut iterations = 0;
    while rho > 0.0 && iterations < enough.iterations {
        hessian_product(&towards, &mut across)?;
        iterations += 1;
        let curvature = inner(&towards, &across);
        let length = rho / curvature;
        if !(curvature > 0.0 && length.is_finite()) {
            break;
        }
        widest(Add(&mut step, length, &towards));
        widest(Add(&mut residual, -length, &across));
        inverse(&residual, &mut along);
        let before = std::mem::replace(&mut rho, inner(&residual, &along));
        if rho <= enough.share * decrement {
            let (squares, constant) = left(&residual);
            if squares <= enough.residual && constant <= enough.constant {
                break;
            }
        }
        let keep = rho / before;
        towards.iter_mut().zip(&along).for_each(|(to, along)| *to = along + keep * *to);
    }
    let descent = -inner(gradient, &step);
    Ok(Direction { step, decrement, descent, iterations })
}

/// Returns the inner product Σ a_i b_i.
pub(super) fn inner(a: &[f64], b: &[f64]) -> f64 {
    let mut out = 0.0;
    widest(Inner(a, b, &mut out));
    out
}

struct Inner<'s>(&'s [f64], &'s [f64], &'s mut f64);

impl Kernel for Inner<'_> {
    #[inline(always)]
    fn run(self) {
        *self.2 = dot(self.0, self.1);
    }
}

/// Inner loop that adds `factor` times the vector x to the vector `to`.
struct Add<'s>(&'s mut [f64], f64, &'s [f64]);

impl Kernel for Add<'_> {
    #[inline(always)]
    fn run(self) {
        add(self.0, self.1, self.2);
    }
}
