//! Preconditioners of conjugate gradients: easily applied inverses of matrices close to the Hessian.

use super::{cholesky::Cholesky, woodbury::Woodbury};

/// M ≈ H, symmetric and positive definite.
#[derive(Debug)]
pub(super) enum Preconditioner {
    /// The reciprocal diagonal of H (Jacobi).
    Diagonal(Vec<f64>),
    /// A Cholesky factor of the whole matrix.
    Cholesky(Cholesky),
    /// Some rows exactly, and the diagonal of the others.
    Woodbury(Woodbury),
}

impl Preconditioner {
    /// From the diagonal of H. Coordinates without curvature do not move.
    pub(super) fn diagonal(mut diagonal: Vec<f64>) -> Preconditioner {
        diagonal.iter_mut().for_each(|h| *h = if *h > 0.0 && (1.0 / *h).is_finite() { 1.0 / *h } else { 0.0 });
        Preconditioner::Diagonal(diagonal)
    }

    /// out = M⁻¹·x.
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
