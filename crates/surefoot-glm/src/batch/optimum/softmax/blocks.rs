//! Block-diagonal preconditioner for the Hessian of the softmax loss: one block per class.

use super::{
    PASSES_SAVED_BY_FACTORING, centre,
    model::others,
    state::{ClassRows, State},
};
use crate::batch::optimum::{newton::inverse, pass::Passes, preconditioner::Preconditioner, workers::Stopped};

/// Preconditioner made of the diagonal blocks Σ ω_i p_k(1 − p_k) x xᵀ + (curvature of the penalty) for each class k,
/// where ω_i is the weight of a row x and p_k its probability of class k, on the subspace where coordinates sum to 0
/// over classes.
///
/// On this subspace no eigenvalue of the preconditioned Hessian exceeds 2, because diag(p) − ppᵀ is at most twice its
/// diagonal. Outside it, along equal weights of all classes, the only curvature is that of the penalty.
pub(super) struct Blocks(Vec<Preconditioner>);

impl Blocks {
    pub(super) fn new(
        passes: &mut Passes,
        rows: ClassRows,
        penalty_curvature: &[f64],
        state: &State,
    ) -> Result<Blocks, Stopped> {
        let block = |k: usize| {
            let curvature = |(r, p): (usize, &[f64])| rows.sample.share(r) * p[k] * others(p, k);
            let curvature: Vec<f64> = state.means.chunks_exact(rows.classes).enumerate().map(curvature).collect();
            inverse(passes, &rows.sample, penalty_curvature, &curvature, PASSES_SAVED_BY_FACTORING)
        };
        (0..rows.classes).map(block).collect::<Result<_, _>>().map(Blocks)
    }

    /// Computes out = M⁻¹·x for this preconditioner M, where the coordinates of x sum to 0 over classes; those of `out`
    /// then do too.
    pub(super) fn solve(&self, x: &[f64], out: &mut [f64]) {
        let dim = x.len() / self.0.len();
        for (block, (x, out)) in self.0.iter().zip(x.chunks(dim).zip(out.chunks_mut(dim))) {
            block.solve(x, out);
        }
        centre(out, self.0.len());
    }
}
