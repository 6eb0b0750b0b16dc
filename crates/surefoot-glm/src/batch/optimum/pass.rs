//! Passes over the rows: a pass computes the margins Xw of all rows and a linear combination Xᵀt of the rows.

use super::{
    design::Sample,
    row_blocks::Block,
    vector_loops::{
        Kernel, add, add_with_carry, dot, dot_and_size, gather, gather_and_size, scatter, scatter_with_carry, widest,
    },
    workers::{Stopped, Workers},
};
use crate::shards::Partial;

/// Runner of passes over the rows (computations of all margins and of linear combinations of the rows), with a count of
/// the passes.
pub(super) struct Passes<'a> {
    pub(super) workers: &'a Workers<'a>,
    /// Number of passes over all rows; a pass over a subsample counts as its fraction of the rows.
    pub(super) count: f64,
    /// Whether sums are compensated and rounding errors are bounded by the absolute values of the actual terms. Set
    /// once the cheaper a-priori bounds prove too wide.
    pub(super) is_precise: bool,
    /// Maximum rounding error of an objective, relative to the objective, that is negligible.
    enough: f64,
}

/// Visitor of the rows of one block during a pass.
pub(super) trait Visit: Send {
    /// Receives the number of a row within the block, its margin and, in precise passes, the sum of the absolute values
    /// of the terms of the margin; returns the factor of the row in the linear combination.
    fn row(&mut self, r: usize, margin: f64, size: f64) -> f64;

    /// Returns further numbers to add up over all rows. They must not have `compensated` ones in a compensated pass.
    fn finish(self) -> Partial
    where
        Self: Sized,
    {
        Partial::default()
    }
}

impl<F: FnMut(usize, f64, f64) -> f64 + Send> Visit for F {
    #[inline(always)]
    fn row(&mut self, r: usize, margin: f64, size: f64) -> f64 {
        self(r, margin, size)
    }
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

impl<'a> Passes<'a> {
    /// Creates a runner of passes for an optimisation to a relative tolerance.
    pub(super) fn new(workers: &'a Workers<'a>, tolerance: f64) -> Passes<'a> {
        Passes { workers, count: 0.0, is_precise: false, enough: MAX_ROUNDING_SHARE * tolerance }
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
        let joins = sample.design.shards.as_ref().map_or(8, |shards| shards.total.max(8));
        CARRIED_TERMS + (sample.longest_block() + joins) as f64
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
        self.run_kind::<PLAIN, _>(sample, point, visitors, out).map(drop)
    }

    /// Runs a pass like [`run`](Passes::run) whose visitors also receive Σ|w_j x_rj|, the sum of the absolute values of
    /// the terms of the row's margin; 0 unless passes are precise. Returns the further numbers of the visitors.
    pub(super) fn run_sized<V: Visit>(
        &mut self,
        sample: &Sample,
        point: &[f64],
        visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<Partial, Stopped> {
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
        self.run_kind::<SQUARED, _>(sample, None, visitors, out).map(drop)
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
            true => self.run_kind::<CARRIED, _>(sample, None, visitors, out).map(drop),
            false => self.run_kind::<PLAIN, _>(sample, None, visitors, out).map(drop),
        }
    }

    /// Runs a pass of the kind `KIND`, one of the constants from [`PLAIN`] to [`CARRIED`].
    fn run_kind<const KIND: u8, V: Visit>(
        &mut self,
        sample: &Sample,
        point: Option<&[f64]>,
        visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<Partial, Stopped> {
        let (workers, dim) = (self.workers, sample.design.dim());
        let total = workers.combine(sample, &sample.blocks(), visitors, |block, mut visit| {
            let mut sum = vec![0.0; if KIND == CARRIED { 2 * dim } else { dim }];
            widest(Rows::<KIND, V> { sample: *sample, block, point, visit: &mut visit, sum: &mut sum, workers });
            with_vector(KIND == CARRIED, sum, visit.finish())
        })?;
        self.count += 1.0 / sample.stride as f64;
        Ok(take_vector(KIND == CARRIED, total, out))
    }
}

/// Puts the vector that a pass has summed in front of the further numbers of its visitor.
pub(super) fn with_vector(is_compensated: bool, mut sum: Vec<f64>, further: Partial) -> Partial {
    if is_compensated {
        return Partial { compensated: sum, ..further };
    }
    sum.extend(&further.sums);
    Partial { sums: sum, ..further }
}

/// Moves the vector that a pass has summed to `out`, and returns the further numbers.
pub(super) fn take_vector(is_compensated: bool, mut total: Partial, out: &mut [f64]) -> Partial {
    if is_compensated {
        out.copy_from_slice(&total.compensated_sums());
        return Partial { compensated: Vec::new(), ..total };
    }
    out.copy_from_slice(&total.sums[..out.len()]);
    total.sums.drain(..out.len());
    total
}

/// Computes the margins Xs of all rows for a step s of the weights. One pass.
pub(super) fn margins(passes: &mut Passes, sample: &Sample, step: &[f64]) -> Result<Vec<f64>, Stopped> {
    let mut margins = vec![0.0; sample.rows()];
    let blocks = sample.blocks();
    let with = blocks.split_mut(&mut margins, 1);
    let workers = passes.workers;
    let items = blocks.own.iter().zip(with).collect();
    workers.run(items, |(block, margins): (&Block, &mut [f64])| {
        let mut visit = |r: usize, m: f64, _: f64| {
            margins[r] = m;
            0.0
        };
        widest(Rows::<PLAIN, _> {
            sample: *sample,
            block,
            point: Some(step),
            visit: &mut visit,
            sum: &mut [],
            workers,
        });
    })?;
    passes.count += 1.0 / sample.stride as f64;
    Ok(margins)
}

/// Inner loop of a pass: computes the margin of each row of one block, and adds the row times the factor that `visit`
/// returns to `sum`.
struct Rows<'s, const KIND: u8, V> {
    sample: Sample<'s>,
    block: &'s Block,
    point: Option<&'s [f64]>,
    visit: &'s mut V,
    /// Sum of the rows times their factors; may be empty if all factors are 0.
    sum: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl<const KIND: u8, V: Visit> Kernel for Rows<'_, KIND, V> {
    #[inline(always)]
    fn run(self) {
        let width = self.sample.design.width;
        let (sums, carry) = self.sum.split_at_mut(self.sample.design.dim().min(self.sum.len()));
        let (dense, sparse) = sums.split_at_mut(width.min(sums.len()));
        let point = self.point.map(|point| point.split_at(width));
        let mut left = 0;
        for r in 0..self.block.len() {
            let row = self.sample.row(self.block.row(r));
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
            let factor = self.visit.row(r, margin, size);
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
