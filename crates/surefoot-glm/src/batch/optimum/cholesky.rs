//! Cholesky factorisation of positive semidefinite matrices, and the solution of linear systems by it.

use super::{
    vector_loops::{Kernel, add, dot, widest},
    workers::{Stopped, Workers},
};

/// Cholesky factorisation H = S⁻¹·L·Lᵀ·S⁻¹, where the diagonal matrix S scales the diagonal of H to ones, so that the
/// scales of the columns do not matter.
#[derive(Debug)]
pub(super) struct Cholesky {
    /// Lower triangular factor L, row by row in a square array, with the reciprocals of its diagonal entries in their
    /// positions.
    lower: Vec<f64>,
    scale: Vec<f64>,
}

/// Minimum pivot of a coordinate that is known to have positive curvature, relative to a unit diagonal; smaller pivots
/// are replaced by it.
const LEAST_PIVOT: f64 = 1e-12;
/// Pivots up to this number (relative to a unit diagonal) count as rounding errors of 0, so the coordinate has no
/// curvature, and solutions are 0 there.
const NO_PIVOT: f64 = 64.0 * f64::EPSILON;

impl Cholesky {
    /// Factors the positive semidefinite matrix H, given by its lower triangle, row by row in a square array. d³/6
    /// multiplications for d rows.
    pub(super) fn new(workers: &Workers, square: Vec<f64>, dim: usize) -> Result<Cholesky, Stopped> {
        Cholesky::with_penalty(workers, square, dim, &[])
    }

    /// Factors the positive semidefinite matrix H, whose diagonal is known to include `penalty_curvature`. A penalised
    /// coordinate has curvature even where rounding hides it, so its pivot is at least [`LEAST_PIVOT`].
    pub(super) fn with_penalty(
        workers: &Workers,
        mut square: Vec<f64>,
        dim: usize,
        penalty_curvature: &[f64],
    ) -> Result<Cholesky, Stopped> {
        let scale = (0..dim).map(|i| 1.0 / square[i * dim + i].sqrt());
        let scale: Vec<f64> = scale.map(|s| if s.is_finite() { s } else { 0.0 }).collect();
        for i in 0..dim {
            workers.check()?;
            let (above, row) = square.split_at_mut(i * dim);
            row[..i].iter_mut().zip(&scale).for_each(|(h, s)| *h *= s * scale[i]);
            row[i] *= scale[i] * scale[i];
            let zero = if penalty_curvature.get(i).is_some_and(|penalty_curvature| *penalty_curvature > 0.0) {
                f64::NEG_INFINITY
            } else {
                NO_PIVOT
            };
            widest(RowOf { above, row: &mut row[..=i], dim, zero });
        }
        Ok(Cholesky { lower: square, scale })
    }

    /// Solves the linear system of the factored matrix H in place: replaces x by H⁻¹·x.
    pub(super) fn solve(&self, x: &mut [f64]) {
        widest(Solve { factor: self, x });
    }
}

/// Inner loop that computes one row of the Cholesky factor from the rows `above` it, in place.
struct RowOf<'s> {
    above: &'s [f64],
    row: &'s mut [f64],
    dim: usize,
    /// Pivots up to this number count as 0; −∞ for a coordinate that is known to have positive curvature.
    zero: f64,
}

impl Kernel for RowOf<'_> {
    #[inline(always)]
    fn run(self) {
        let i = self.row.len() - 1;
        for j in 0..i {
            let other = &self.above[j * self.dim..][..=j];
            self.row[j] = (self.row[j] - dot(&other[..j], &self.row[..j])) * other[j];
        }
        let pivot = self.row[i] - dot(&self.row[..i], &self.row[..i]);
        self.row[i] = if pivot > self.zero { 1.0 / pivot.max(LEAST_PIVOT).sqrt() } else { 0.0 };
    }
}

/// Inner loop that replaces x by H⁻¹·x, for a factored matrix H.
struct Solve<'s> {
    factor: &'s Cholesky,
    x: &'s mut [f64],
}

impl Kernel for Solve<'_> {
    #[inline(always)]
    fn run(self) {
        let (Cholesky { lower, scale }, x) = (self.factor, self.x);
        let dim = x.len();
        x.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
        for i in 0..dim {
            let row = &lower[i * dim..][..=i];
            x[i] = (x[i] - dot(&row[..i], &x[..i])) * row[i];
        }
        for i in (0..dim).rev() {
            let row = &lower[i * dim..][..=i];
            x[i] *= row[i];
            let factor = -x[i];
            add(&mut x[..i], factor, &row[..i]);
        }
        x.iter_mut().zip(scale).for_each(|(x, s)| *x *= s);
    }
}
