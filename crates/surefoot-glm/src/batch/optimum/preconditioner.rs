//! Preconditioners for conjugate gradients: matrices close to the Hessian whose inverse is cheap to apply.

use super::{cholesky::Cholesky, woodbury::Woodbury};

/// Symmetric positive definite approximation M of the Hessian H, stored in a form that makes M⁻¹·x cheap.
#[derive(Debug)]
pub(super) enum Preconditioner {
    /// Reciprocal diagonal of H (Jacobi preconditioner).
    Diagonal(Vec<f64>),
    /// Cholesky factor of the whole matrix H.
    Cholesky(Cholesky),
    /// Exact contribution of the rows of largest curvature, plus the diagonal of the contributions of all other rows.
    Woodbury(Woodbury),
}

impl Preconditioner {
    /// Builds the diagonal preconditioner from the diagonal of H. At coordinates without curvature, M⁻¹ is 0, so that
    /// they do not move.
    pub(super) fn diagonal(mut diagonal: Vec<f64>) -> Preconditioner {
        diagonal.iter_mut().for_each(|h| *h = if *h > 0.0 && (1.0 / *h).is_finite() { 1.0 / *h } else { 0.0 });
        Preconditioner::Diagonal(diagonal)
    }

    /// Computes out = M⁻¹·x, where M is this preconditioner.
    pub(super) fn solve(&self, x: &[f64], out: &mut [f64]) {
        match self {
            Preconditioner::Diagonal(inverse) => {
                out.iter_mut().zip(x.iter().zip(inverse)).for_each(|(out, (x, inverse))| *out = x * inverse);
            }
            Preconditioner::Woodbury(rows) => rows.solve(x, out),
            Preconditioner::Cholesky(factor) => {
                out.copy_from_slice(x);
                factor.solve(out);
            }
        }
    }
}
