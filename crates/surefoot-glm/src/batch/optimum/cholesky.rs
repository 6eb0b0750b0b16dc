//! Cholesky factorisation of positive semidefinite matrices, and the solution of linear systems with it.

use super::{
    vector_loops::{Kernel, add, dot, widest},
    workers::{Stopped, Workers},
};

/// H = S⁻¹·L·Lᵀ·S⁻¹, where S scales the diagonal to ones, so that the units of columns do not matter.
#[derive(Debug)]
pub(super) struct Cholesky {
    /// L row by row in a square array, with the reciprocals of its diagonal.
    lower: Vec<f64>,
    scale: Vec<f64>,
}

/// The least pivot of a direction with curvature, relative to a unit diagonal.
const LEAST_PIVOT: f64 = 1e-12;
/// Pivots up to this are rounding errors of 0, a direction without curvature: the coordinate's solution is 0.
const NO_PIVOT: f64 = 64.0 * f64::EPSILON;

impl Cholesky {
    /// Factors H, given by its lower triangle, row by row in a square array: d³/6 multiplications.
    pub(super) fn new(workers: &Workers, square: Vec<f64>, dim: usize) -> Result<Cholesky, Stopped> {
        Cholesky::with_penalty(workers, square, dim, &[])
    }

    /// Factors an H whose diagonal is known to contain `penalty_curvature`: a penalised coordinate has curvature even
    /// where rounding hides it, so its pivot is at least [`LEAST_PIVOT`].
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

    /// x = H⁻¹·x.
    pub(super) fn solve(&self, x: &mut [f64]) {
        widest(Solve { factor: self, x });
    }
}

/// The next row of the factor.
struct RowOf<'s> {
    above: &'s [f64],
    row: &'s mut [f64],
    dim: usize,
    /// Pivots up to this count as 0.
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

/// x = H⁻¹·x.
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
