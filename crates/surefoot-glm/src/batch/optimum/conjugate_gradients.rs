//! Preconditioned conjugate gradients for the Newton system (inexact Newton, truncated CG).

use super::{
    design::Sample,
    pass::Passes,
    preconditioner::Preconditioner,
    state::State,
    vector_loops::{Kernel, add, dot, widest},
    weight_penalty::{WeightPenalty, squares},
    workers::Stopped,
};

/// An approximate solution x of H·x = −g.
pub(super) struct Direction {
    pub(super) step: Vec<f64>,
    /// gᵀM⁻¹g, the squared Newton decrement with M for H: about twice the decrease that is left.
    pub(super) decrement: f64,
    /// −gᵀx.
    pub(super) descent: f64,
    pub(super) iterations: usize,
}

/// When conjugate gradients stop (the forcing term of inexact Newton).
pub(super) struct StoppingRule {
    /// The squared residual norm rᵀM⁻¹r to reach, relative to the decrement.
    pub(super) share: f64,
    /// The largest [`squares`] of the residual.
    pub(super) residual: f64,
    /// The largest residual at the intercept.
    pub(super) constant: f64,
    pub(super) iterations: usize,
}

/// The decrement, relative to the objective, from which on a step may yield a certificate.
pub(super) const CERTIFICATE_DECREMENT: f64 = 1e-2;

/// The accuracy that the optimisation needs from a direction.
pub(super) struct Forcing {
    /// The scale of the objective, and the largest |margin|.
    pub(super) size: f64,
    pub(super) farthest: f64,
    /// The largest l2 strength.
    pub(super) l2: f64,
    pub(super) tolerance: f64,
    /// Whether the step is to yield a certificate as soon as the decrement is small enough.
    pub(super) certified: bool,
}

impl Forcing {
    /// The stopping rule at this decrement: a relative accuracy in proportion to the decrement, for fast local
    /// convergence, but no more than the tolerance needs; a certificate bounds the residual as well.
    pub(super) fn at(&self, decrement: f64) -> StoppingRule {
        let Forcing { size, farthest, l2, tolerance, certified } = *self;
        let share = (decrement / size).max(0.01 * tolerance * size / decrement).clamp(1e-6, 1e-2);
        let near = certified && decrement <= CERTIFICATE_DECREMENT * size && l2 > 0.0;
        let residual = if near { 0.05 * 2.0 * l2 * tolerance * size } else { f64::INFINITY };
        let constant = if near { 0.02 * tolerance * size / farthest } else { f64::INFINITY };
        StoppingRule { share, residual, constant, iterations: 1000 }
    }
}

/// Conjugate gradients on the Hessian at a point: one pass per iteration.
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

/// Preconditioned conjugate gradients on H·x = −g, with H and M⁻¹ as functions; `left` measures a residual by its
/// squares at penalised coordinates and by its size at intercepts.
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

/// Σ a_i b_i.
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

/// to += factor·x.
struct Add<'s>(&'s mut [f64], f64, &'s [f64]);

impl Kernel for Add<'_> {
    #[inline(always)]
    fn run(self) {
        add(self.0, self.1, self.2);
    }
}
