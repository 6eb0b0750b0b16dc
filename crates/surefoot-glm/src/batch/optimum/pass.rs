//! Passes over the rows: a pass computes the margins Xw of all rows and a linear combination Xᵀt of the rows.

use super::{
    design::Sample,
    vector_loops::{
        Kernel, add, add_with_carry, dot, dot_and_size, gather, gather_and_size, scatter, scatter_with_carry, widest,
    },
    workers::{Stopped, Workers},
};
use std::ops::Range;

/// Runner of passes over the rows (computations of all margins and of linear combinations of the rows), with reusable
/// buffers and a count of the passes.
pub(super) struct Passes<'a> {
    pub(super) workers: &'a Workers<'a>,
    /// Number of passes over all rows; a pass over a subsample counts as its fraction of the rows.
    pub(super) count: f64,
    /// Whether sums are compensated and rounding errors are bounded by the absolute values of the actual terms. Set
    /// once the cheaper a-priori bounds prove too wide.
    pub(super) is_precise: bool,
    /// Maximum rounding error of an objective, relative to the objective, that is negligible.
    enough: f64,
    sums: Vec<Vec<f64>>,
}

/// Maximum rounding error of an objective, relative to the tolerance, that is acceptable; if it is larger, passes
/// switch to compensated sums.
const MAX_ROUNDING_SHARE: f64 = 0.01;

/// Bound on the error of a compensated sum of products, in units of ε times the sum of the absolute values: two for the
/// factor, one for the product, and two for adding the compensation.
pub(super) const CARRIED_TERMS: f64 = 5.0;

/// Number of matrix entries read between two calls of the stop callback: well under a millisecond of work.
pub(super) const NUMBERS_PER_STOP_CHECK: usize = 1 << 17;

/// Kinds of passes: `PLAIN` computes margins; `SIZED` also the sums of the absolute values of their terms; `SQUARED`
/// sums of squares; `CARRIED` compensated sums.
pub(super) const PLAIN: u8 = 0;
pub(super) const SIZED: u8 = 1;
const SQUARED: u8 = 2;
pub(super) const CARRIED: u8 = 3;

/// Returns the number of blocks of rows that are summed separately. It depends on the amount of work, never on the
/// number of threads. Blocks are large enough that the time for their sum vectors (of length `dim`) is negligible.
fn blocks(work: usize, dim: usize) -> usize {
    let most = work / (8 * dim).max(1 << 18);
    let least = if work > 1 << 21 { 2 } else { 1 };
    // A power of two, which most numbers of threads divide.
    1 << most.clamp(least, 8).ilog2()
}

impl<'a> Passes<'a> {
    /// Creates a runner of passes for an optimisation to a relative tolerance.
    pub(super) fn new(workers: &'a Workers<'a>, tolerance: f64) -> Passes<'a> {
        Passes { workers, count: 0.0, is_precise: false, enough: MAX_ROUNDING_SHARE * tolerance, sums: Vec::new() }
    }

    /// Whether the rounding error of an objective calls for precise (compensated) passes. If so, switches to precise
    /// passes.
    pub(super) fn wants_precision(&mut self, objective_error: f64, objective: f64) -> bool {
        let wants = !self.is_precise && objective.is_finite() && objective_error > self.enough * objective.abs();
        self.is_precise |= wants;
        wants
    }

    /// Bounds the error of [`run_sum`](Passes::run_sum), in units of ε times the sum of the absolute values of its
    /// terms.
    pub(super) fn sum_terms(&self, sample: &Sample) -> f64 {
        if self.is_precise { CARRIED_TERMS } else { Self::plain_terms(sample) }
    }

    /// Bounds the error of [`run`](Passes::run), in units of ε times the sum of the absolute values of its terms: the
    /// roundings within a block, and those of adding up the blocks.
    pub(super) fn plain_terms(sample: &Sample) -> f64 {
        CARRIED_TERMS + (Self::rows_per_block(sample) + 8) as f64
    }

    /// Returns the number of rows per block (the rows that are summed by one thread).
    pub(super) fn rows_per_block(sample: &Sample) -> usize {
        let (dense, nonzeros) = sample.design.size();
        let blocks = blocks((dense + 3 * nonzeros) / sample.stride, sample.design.dim());
        sample.rows().div_ceil(blocks)
    }

    /// Computes `out` = Σ t_r x_r over the rows x_r. The visitor of each block receives the row's number within the
    /// block and its margin at `point` (0 without a point), and returns the factor t_r.
    pub(super) fn run<V: FnMut(usize, f64) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        point: Option<&[f64]>,
        mut visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let visitors = visitors.iter_mut().map(|visit| move |r: usize, m: f64, _: f64| visit(r, m)).collect();
        self.run_kind::<PLAIN, _>(sample, point, visitors, out)
    }

    /// Runs a pass like [`run`](Passes::run) whose visitors also receive Σ|w_j x_rj|, the sum of the absolute values of
    /// the terms of the row's margin; 0 unless passes are precise.
    pub(super) fn run_sized<V: FnMut(usize, f64, f64) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        point: &[f64],
        visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        match self.is_precise {
            true => self.run_kind::<SIZED, _>(sample, Some(point), visitors, out),
            false => self.run_kind::<PLAIN, _>(sample, Some(point), visitors, out),
        }
    }

    /// Computes `out` = Σ t_r x_r² over the rows x_r, with elementwise squares. Visitors receive the row's number
    /// within the block and return the factor t_r.
    pub(super) fn run_squared<V: FnMut(usize) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        mut visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let visitors = visitors.iter_mut().map(|visit| move |r: usize, _: f64, _: f64| visit(r)).collect();
        self.run_kind::<SQUARED, _>(sample, None, visitors, out)
    }

    /// Computes `out` = Σ t_r x_r over the rows x_r without margins. The error is at most
    /// [`sum_terms`](Passes::sum_terms) roundings of the sum of the absolute values of the terms; sums are compensated
    /// if passes are precise.
    pub(super) fn run_sum<V: FnMut(usize) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        mut visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let visitors = visitors.iter_mut().map(|visit| move |r: usize, _: f64, _: f64| visit(r)).collect();
        match self.is_precise {
            true => self.run_kind::<CARRIED, _>(sample, None, visitors, out),
            false => self.run_kind::<PLAIN, _>(sample, None, visitors, out),
        }
    }

    /// Runs a pass of the kind `KIND`, one of the constants from [`PLAIN`] to [`CARRIED`].
    fn run_kind<const KIND: u8, V: FnMut(usize, f64, f64) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        point: Option<&[f64]>,
        visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let (per, dim) = (Self::rows_per_block(sample), sample.design.dim());
        self.sums.resize_with(visitors.len().max(self.sums.len()), Vec::new);
        let work = self.sums.iter_mut().zip(visitors).enumerate().map(|(k, (sum, visit))| {
            sum.clear();
            sum.resize(if KIND == CARRIED { 2 * dim } else { dim }, 0.0);
            let rows = k * per..((k + 1) * per).min(sample.rows());
            Rows::<KIND, V> { sample: *sample, rows, point, visit, sum, workers: self.workers }
        });
        let work: Vec<_> = work.collect();
        let blocks = work.len();
        self.workers.run(work, widest)?;
        join(&mut self.sums[..blocks], KIND == CARRIED, out);
        self.count += 1.0 / sample.stride as f64;
        Ok(())
    }
}

/// Computes the margins Xs of all rows for a step s of the weights. One pass.
pub(super) fn margins(passes: &mut Passes, sample: &Sample, step: &[f64]) -> Result<Vec<f64>, Stopped> {
    let mut margins = vec![0.0; sample.rows()];
    let visitors = margins.chunks_mut(Passes::rows_per_block(sample));
    let visitors = visitors.map(|margins| {
        move |r: usize, m: f64| {
            margins[r] = m;
            0.0
        }
    });
    passes.run(sample, Some(step), visitors.collect(), &mut vec![0.0; step.len()])?;
    Ok(margins)
}

/// Adds up the partial sums of all blocks of rows into `out`. If `carried`, each partial sum is followed by the
/// rounding errors that were accumulated with it.
pub(super) fn join(sums: &mut [Vec<f64>], carried: bool, out: &mut [f64]) {
    let dim = out.len();
    let (first, others) = sums.split_at_mut(1);
    let (sum, carry) = first[0].split_at_mut(dim);
    for other in others {
        if carried {
            let (other, lost) = other.split_at(dim);
            add_with_carry(sum, carry, 1.0, other);
            add(carry, 1.0, lost);
        } else {
            add(sum, 1.0, other);
        }
    }
    out.copy_from_slice(sum);
    add(out, 1.0, carry);
}

/// Inner loop of a pass: computes the margin of each row of one block, and adds the row times the factor that `visit`
/// returns to `sum`.
struct Rows<'s, const KIND: u8, V> {
    sample: Sample<'s>,
    rows: Range<usize>,
    point: Option<&'s [f64]>,
    visit: V,
    sum: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl<const KIND: u8, V: FnMut(usize, f64, f64) -> f64> Kernel for Rows<'_, KIND, V> {
    #[inline(always)]
    fn run(mut self) {
        let width = self.sample.design.width;
        let (sums, carry) = self.sum.split_at_mut(self.sample.design.dim());
        let (dense, sparse) = sums.split_at_mut(width);
        let point = self.point.map(|point| point.split_at(width));
        let first = self.rows.start;
        let mut left = 0;
        for r in self.rows {
            let row = self.sample.row(r);
            if left < row.column.len() + width {
                if self.workers.stopped() {
                    return;
                }
                left = NUMBERS_PER_STOP_CHECK + row.column.len() + width;
            }
            left -= row.column.len() + width;
            // Not `map_or`, whose closure would be compiled for the narrowest registers.
            let (margin, size) = match point {
                Some((a, b)) if KIND == SIZED => {
                    let (dense, sparse) = (dot_and_size(row.dense, a), gather_and_size(row.column, row.value, b));
                    (dense.0 + sparse.0, dense.1 + sparse.1)
                }
                Some((a, b)) => (dot(row.dense, a) + gather(row.column, row.value, b), 0.0),
                None => (0.0, 0.0),
            };
            let factor = (self.visit)(r - first, margin, size);
            if factor == 0.0 {
                continue;
            }
            if KIND == SQUARED {
                for (sum, x) in dense.iter_mut().zip(row.dense) {
                    *sum += factor * x * x;
                }
                for (&j, x) in row.column.iter().zip(row.value) {
                    sparse[j as usize] += factor * x * x;
                }
            } else if KIND == CARRIED {
                let (of_dense, of_sparse) = carry.split_at_mut(width);
                add_with_carry(dense, of_dense, factor, row.dense);
                scatter_with_carry(sparse, of_sparse, factor, row.column, row.value);
            } else {
                add(dense, factor, row.dense);
                scatter(sparse, factor, row.column, row.value);
            }
        }
    }
}
