//! What conjugate gradients are preconditioned by: an inverse that is easy to apply, of a matrix near the Hessian.

use super::{cholesky::Cholesky, woodbury::Woodbury};

/// M ≈ H, symmetric and positive definite.
#[derive(Debug)]
pub(super) enum Preconditioner {
    /// One over the diagonal of H.
    Diagonal(Vec<f64>),
    /// A Cholesky factor of the whole.
    Cholesky(Cholesky),
    /// Some rows, and a diagonal.
    Woodbury(Woodbury),
}

impl Preconditioner {
    /// From the diagonal of H. A coordinate without curvature stays where it is.
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
