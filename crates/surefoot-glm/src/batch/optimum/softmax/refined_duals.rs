//! Dual points of the softmax loss whose z_jk (mean of dual points times column j, for class k) are the values that the
//! penalty requires, as nearly as rounding permits.
//!
//! A residual of z_jk adds its square over 2·l2 to the gap, or, under an L1 penalty alone, requires that all dual
//! points are scaled down. Without an intercept, columns with a large mean relative to their standard deviation make
//! the residual large, although the point is optimal. An exponential tilt q'_ik ∝ q_ik·exp(Σ_j s_jk x_ij) of the dual
//! points q removes it: with H = Σ ω x xᵀ ⊗ (diag(q) − qqᵀ), a Newton step solves H·s = z − z* for the required values
//! z*, and q' is in the simplex for any s. The tilt changes the Fenchel–Young gaps of the rows to second order only.

use super::{
    gap::means,
    state::{ClassRows, State},
};
use crate::{
    batch::optimum::{
        cholesky::Cholesky,
        dual_feasibility::{each_row, places},
        pass::Passes,
        state::Objective,
        workers::Stopped,
    },
    shards::Partial,
};
use std::ops::Range;

/// Maximum number of means z_jk (of dual points times column j, for class k) that are corrected; with more of them none
/// is.
const MAX_MEANS: usize = 256;
/// Maximum number of Newton steps for the dual points: about three suffice, more where rounding errors are large.
const MAX_STEPS: usize = 16;

/// Tilts the dual points exponentially so that each z_jk (mean of dual points times column) becomes the value that the
/// penalty requires. Returns `None` if there is an intercept, with which columns are centred and need no refinement, or
/// if there are too many z_jk.
///
/// *Cost*: per step one pass and, for k means, k² operations per row and k³/6.
pub(super) fn refined(
    passes: &mut Passes,
    rows: ClassRows,
    objective: &Objective,
    state: &State,
    mut duals: Vec<f64>,
) -> Result<Option<Vec<f64>>, Stopped> {
    if rows.sample.design.intercept {
        return Ok(None);
    }
    let mut z = means(passes, rows, &duals, state.point.len())?;
    let Some(system) = System::new(rows, objective, state, &z) else { return Ok(None) };
    let mut best = duals.clone();
    let mut least = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let mut step: Vec<f64> = system.wanted.iter().map(|wanted| wanted.target - z[wanted.at]).collect();
        let residual = system.size(rows, &step);
        if residual < least {
            best.copy_from_slice(&duals);
        }
        // A whole step leaves only rounding errors, which do not decrease.
        if residual == 0.0 || residual > 0.5 * least {
            break;
        }
        least = residual;
        let hessian = system.hessian(passes, rows, &duals)?;
        Cholesky::new(passes.workers, hessian, step.len())?.solve(&mut step);
        system.tilt(passes, rows, &step, &mut duals)?;
        z = means(passes, rows, &duals, state.point.len())?;
    }
    Ok(Some(best))
}

/// Equation of the linear system: the value `target` that the penalty requires for z_jk, the mean of the dual points of
/// class k times column j.
struct WantedMean {
    /// Coordinate of the point (column and class) whose mean z_jk is to be set.
    at: usize,
    class: usize,
    /// Index of the column j among the columns that occur in the linear system.
    column: usize,
    target: f64,
}

/// Drops required means (coordinate, value) of one column without an L2 penalty that no dual points can satisfy
/// together: the means of a column sum to 0 over classes, and those not required are at most l1 in absolute value.
/// Drops those whose weights are smallest among the prevailing sign, as if these weights were 0.
fn free_excess(found: &mut Vec<(usize, f64)>, is_of_column: impl Fn(usize) -> bool, point: &[f64], classes: usize) {
    loop {
        let of = || found.iter().enumerate().filter(|(_, (at, _))| is_of_column(*at));
        let (count, sum) = of().fold((0, 0.0), |(count, sum), (_, (_, target))| (count + 1, sum + target.signum()));
        if f64::abs(sum) <= (classes - count) as f64 {
            return;
        }
        let prevailing = of().filter(|(_, (_, target))| target.signum() == f64::signum(sum));
        let smallest = prevailing.min_by(|(_, a), (_, b)| point[a.0].abs().total_cmp(&point[b.0].abs()));
        let Some(i) = smallest.map(|(i, _)| i) else { return };
        found.remove(i);
    }
}

/// Linear equations for the exponential tilt of the dual points that gives all means z_jk (of dual points times column)
/// the values that the penalty requires.
struct System {
    wanted: Vec<WantedMean>,
    /// Index of each coordinate of a point among the columns of the system; `usize::MAX` for coordinates that do not
    /// occur in it.
    place: Vec<usize>,
    /// Number of columns of the system.
    columns: usize,
}

impl System {
    fn new(rows: ClassRows, objective: &Objective, state: &State, z: &[f64]) -> Option<System> {
        let (design, dim) = (rows.sample.design, rows.sample.design.dim());
        let target = |at: usize| {
            let (w, penalty) = (state.point[at], &objective.penalties[at % dim]);
            let l2 = if penalty.is_smooth(w) { penalty.l2 } else { 0.0 };
            Some(penalty.required_mean(w, z[at])? + l2 * w)
        };
        let mut found: Vec<(usize, f64)> =
            (0..z.len()).filter(|at| design.lengths[at % dim] > 0.0).filter_map(|at| Some((at, target(at)?))).collect();
        for j in (0..dim).filter(|j| objective.penalties[*j].l2 == 0.0) {
            free_excess(&mut found, |at| at % dim == j, &state.point, rows.classes);
        }
        if found.is_empty() || found.len() > MAX_MEANS {
            return None;
        }
        let mut columns: Vec<usize> = found.iter().map(|(at, _)| at % dim).collect();
        columns.sort_unstable();
        columns.dedup();
        let place = places(dim, &columns);
        let wanted =
            found.into_iter().map(|(at, target)| WantedMean { at, class: at / dim, column: place[at % dim], target });
        Some(System { wanted: wanted.collect(), columns: columns.len(), place })
    }

    /// Returns the largest absolute residual, where each residual is relative to the norm of its column.
    fn size(&self, rows: ClassRows, residuals: &[f64]) -> f64 {
        let dim = rows.sample.design.dim();
        let relative = self.wanted.iter().zip(residuals).map(|(w, r)| r.abs() / rows.sample.design.lengths[w.at % dim]);
        relative.fold(0.0, |a: f64, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
    }

    /// Calls `visit` with the required means, each row number, and the row's values (one per column of the system).
    fn each(
        &self,
        passes: &Passes,
        rows: ClassRows,
        range: Range<usize>,
        mut visit: impl FnMut(&[WantedMean], usize, &[f64]),
    ) -> Result<(), Stopped> {
        let System { wanted, place, columns } = self;
        let mut values = vec![0.0; *columns];
        each_row(passes.workers, &rows.sample, place, range, |r, pairs| {
            values.fill(0.0);
            pairs.iter().for_each(|&(column, x)| values[column] = x);
            visit(wanted, r, &values);
        })
    }

    /// Computes the lower triangle of the matrix H of the equations. If the means of all classes of a column are
    /// required, H is singular along equal changes of all classes, which no loss depends on; curvature is added there.
    fn hessian(&self, passes: &Passes, rows: ClassRows, duals: &[f64]) -> Result<Vec<f64>, Stopped> {
        let (width, classes) = (self.wanted.len(), rows.classes);
        let total = passes.workers.over_rows(&rows.sample, |block| {
            let mut square = vec![0.0; width * width];
            // A request to stop is reported by the caller.
            let _ = self.each(passes, rows, block.rows.clone(), |wanted, r, values| {
                let (share, q) = (rows.sample.share(r), &duals[r * classes..(r + 1) * classes]);
                for (i, a) in wanted.iter().enumerate() {
                    for (j, b) in wanted[..=i].iter().enumerate() {
                        let same = if a.class == b.class { 1.0 } else { 0.0 };
                        square[i * width + j] +=
                            share * values[a.column] * values[b.column] * q[a.class] * (same - q[b.class]);
                    }
                }
            });
            Partial { sums: square, ..Partial::default() }
        })?;
        let mut square = total.sums;
        let diagonal: Vec<f64> = (0..width).map(|i| square[i * width + i]).collect();
        for column in 0..self.columns {
            let of: Vec<usize> = (0..width).filter(|&i| self.wanted[i].column == column).collect();
            let sum: f64 = of.iter().map(|&i| diagonal[i]).sum();
            if of.len() == classes && sum > 0.0 {
                for (n, &i) in of.iter().enumerate() {
                    of[..=n].iter().for_each(|&j| square[i * width + j] += diagonal[i] * diagonal[j] / sum);
                }
            }
        }
        Ok(square)
    }

    /// Multiplies the dual points q_ik of each row x_i by exp(−Σ_j step_jk x_ij), and normalises them to sum to 1 over
    /// classes.
    fn tilt(&self, passes: &Passes, rows: ClassRows, step: &[f64], duals: &mut [f64]) -> Result<(), Stopped> {
        let mut exponents = vec![0.0; rows.classes];
        self.each(passes, rows, 0..rows.sample.rows(), |wanted, r, values| {
            exponents.fill(0.0);
            wanted.iter().zip(step).for_each(|(w, step)| exponents[w.class] -= step * values[w.column]);
            let largest = exponents.iter().fold(f64::NEG_INFINITY, |a: f64, b| a.max(*b));
            let q = &mut duals[r * rows.classes..(r + 1) * rows.classes];
            q.iter_mut().zip(&exponents).for_each(|(q, exponent)| *q *= libm::exp(exponent - largest));
            let sum: f64 = q.iter().sum();
            q.iter_mut().for_each(|q| *q /= sum);
        })
    }
}
