//! A preconditioner for the Hessian of all classes: that of each class by itself.

use super::{
    WORTH, centre,
    model::others,
    state::{ClassRows, State},
};
use crate::batch::optimum::{newton::inverse, pass::Passes, preconditioner::Preconditioner, workers::Stopped};

/// The blocks of the diagonal, Σ ω_i p_k(1 − p_k) x xᵀ and the curvature of the penalty, on the points whose classes sum to 0.
///
/// On those no eigenvalue of the preconditioned matrix is above 2, as diag(p) − ppᵀ is at most twice its diagonal; elsewhere,
/// where all classes have the same weights, the curvature would be that of the penalty alone.
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
            inverse(passes, &rows.sample, penalty_curvature, &curvature, WORTH)
        };
        (0..rows.classes).map(block).collect::<Result<_, _>>().map(Blocks)
    }

    /// out = M⁻¹·x, for an x whose classes sum to 0, and such an out.
    pub(super) fn solve(&self, x: &[f64], out: &mut [f64]) {
        let dim = x.len() / self.0.len();
        for (block, (x, out)) in self.0.iter().zip(x.chunks(dim).zip(out.chunks_mut(dim))) {
            block.solve(x, out);
        }
        centre(out, self.0.len());
    }
}
