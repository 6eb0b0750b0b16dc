//! One pass over the rows: margins in, a combination of the rows out.

use super::{
    design::Sample,
    vector_loops::{
        Kernel, add, add_with_carry, dot, dot_and_size, gather, gather_and_size, scatter, scatter_with_carry, widest,
    },
    workers::{Stopped, Workers},
};
use std::ops::Range;

/// Makes passes, keeps the memory that they need, and counts them.
pub(super) struct Passes<'a> {
    pub(super) workers: &'a Workers<'a>,
    /// Passes over all rows; those over a sample count as its share of the rows.
    pub(super) count: f64,
    /// Whether the rounding of sums is judged by their terms: it is once what is known beforehand is not enough.
    pub(super) is_precise: bool,
    /// The share of an objective up to which its rounding does not matter.
    enough: f64,
    sums: Vec<Vec<f64>>,
}

/// The share of the tolerance that rounding may take before more is spent on it.
const NEGLIGIBLE: f64 = 0.01;

/// How many roundings of a product, or of the sum of their sizes, a sum with carries leaves: two of the factor, one of the product, and
/// two of what the carries are added to.
pub(super) const CARRIED_TERMS: f64 = 5.0;

/// Numbers read between two questions whether to stop: well under a millisecond.
pub(super) const STRETCH: usize = 1 << 17;

/// Kinds of pass: margins, margins with the sizes of their terms, sums of squares, or sums that lose no digit.
pub(super) const PLAIN: u8 = 0;
pub(super) const SIZED: u8 = 1;
const SQUARED: u8 = 2;
pub(super) const CARRIED: u8 = 3;

/// In how many shares a sum over rows is made: by what there is to do, never by who does it. A share must be worth the
/// sum of its own that it needs.
fn shares(work: usize, dim: usize) -> usize {
    let most = work / (8 * dim).max(1 << 18);
    let least = if work > 1 << 21 { 2 } else { 1 };
    // A power of two, which most numbers of threads divide.
    1 << most.clamp(least, 8).ilog2()
}

impl<'a> Passes<'a> {
    /// For a search with a relative tolerance.
    pub(super) fn new(workers: &'a Workers<'a>, tolerance: f64) -> Passes<'a> {
        Passes { workers, count: 0.0, is_precise: false, enough: NEGLIGIBLE * tolerance, sums: Vec::new() }
    }

    /// Whether an objective that may be off by `objective_error` asks for a closer look at rounding; from then on it is had.
    pub(super) fn wants_precision(&mut self, objective_error: f64, objective: f64) -> bool {
        let wants = !self.is_precise && objective.is_finite() && objective_error > self.enough * objective.abs();
        self.is_precise |= wants;
        wants
    }

    /// How many roundings of the sum of the sizes of its terms [`run_sum`](Passes::run_sum) may be off by.
    pub(super) fn sum_terms(&self, sample: &Sample) -> f64 {
        if self.is_precise { CARRIED_TERMS } else { Self::plain_terms(sample) }
    }

    /// How many roundings [`run`](Passes::run) may be off by: those of a sum by itself, of each share, and of the shares.
    pub(super) fn plain_terms(sample: &Sample) -> f64 {
        CARRIED_TERMS + (Self::rows_per_share(sample) + 8) as f64
    }

    /// How many rows a share of a pass has.
    pub(super) fn rows_per_share(sample: &Sample) -> usize {
        let (dense, pairs) = sample.design.size();
        let shares = shares((dense + 3 * pairs) / sample.stride, sample.design.dim());
        sample.rows().div_ceil(shares)
    }

    /// out = Σ t_r x_r, where t_r is what the visitor of the row's share makes of the row's number within the share and
    /// its margin at `point` (0 without one).
    pub(super) fn run<V: FnMut(usize, f64) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        point: Option<&[f64]>,
        mut visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let visitors = visitors.iter_mut().map(|visit| move |r: usize, m: f64, _: f64| visit(r, m)).collect();
        self.all::<PLAIN, _>(sample, point, visitors, out)
    }

    /// [`run`](Passes::run), whose visitors are shown the sum of the sizes of a margin's terms too, or 0 where rounding is not judged by them.
    pub(super) fn run_sized<V: FnMut(usize, f64, f64) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        point: &[f64],
        visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        match self.is_precise {
            true => self.all::<SIZED, _>(sample, Some(point), visitors, out),
            false => self.all::<PLAIN, _>(sample, Some(point), visitors, out),
        }
    }

    /// out = Σ t_r x_r², squares number by number.
    pub(super) fn run_squared<V: FnMut(usize) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        mut visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let visitors = visitors.iter_mut().map(|visit| move |r: usize, _: f64, _: f64| visit(r)).collect();
        self.all::<SQUARED, _>(sample, None, visitors, out)
    }

    /// out = Σ t_r x_r, off by at most [`sum_terms`](Passes::sum_terms) roundings of the sum of the sizes of its terms: those of the products,
    /// where precision is asked for.
    pub(super) fn run_sum<V: FnMut(usize) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        mut visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let visitors = visitors.iter_mut().map(|visit| move |r: usize, _: f64, _: f64| visit(r)).collect();
        match self.is_precise {
            true => self.all::<CARRIED, _>(sample, None, visitors, out),
            false => self.all::<PLAIN, _>(sample, None, visitors, out),
        }
    }

    fn all<const HOW: u8, V: FnMut(usize, f64, f64) -> f64 + Send>(
        &mut self,
        sample: &Sample,
        point: Option<&[f64]>,
        visitors: Vec<V>,
        out: &mut [f64],
    ) -> Result<(), Stopped> {
        let (per, dim) = (Self::rows_per_share(sample), sample.design.dim());
        self.sums.resize_with(visitors.len().max(self.sums.len()), Vec::new);
        let work = self.sums.iter_mut().zip(visitors).enumerate().map(|(k, (sum, visit))| {
            sum.clear();
            sum.resize(if HOW == CARRIED { 2 * dim } else { dim }, 0.0);
            let rows = k * per..((k + 1) * per).min(sample.rows());
            Rows::<HOW, V> { sample: *sample, rows, point, visit, sum, workers: self.workers }
        });
        let work: Vec<_> = work.collect();
        let shares = work.len();
        self.workers.run(work, widest)?;
        join(&mut self.sums[..shares], HOW == CARRIED, out);
        self.count += 1.0 / sample.stride as f64;
        Ok(())
    }
}

/// The margins of a step: one pass.
pub(super) fn margins(passes: &mut Passes, sample: &Sample, step: &[f64]) -> Result<Vec<f64>, Stopped> {
    let mut margins = vec![0.0; sample.rows()];
    let visitors = margins.chunks_mut(Passes::rows_per_share(sample));
    let visitors = visitors.map(|margins| {
        move |r: usize, m: f64| {
            margins[r] = m;
            0.0
        }
    });
    passes.run(sample, Some(step), visitors.collect(), &mut vec![0.0; step.len()])?;
    Ok(margins)
}

/// Adds up the sums of shares, behind each of which stand its carries where it has some.
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

/// The rows of one share.
struct Rows<'s, const HOW: u8, V> {
    sample: Sample<'s>,
    rows: Range<usize>,
    point: Option<&'s [f64]>,
    visit: V,
    sum: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl<const HOW: u8, V: FnMut(usize, f64, f64) -> f64> Kernel for Rows<'_, HOW, V> {
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
                left = STRETCH + row.column.len() + width;
            }
            left -= row.column.len() + width;
            // Not `map_or`, which would be compiled for the smallest registers.
            let (margin, size) = match point {
                Some((a, b)) if HOW == SIZED => {
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
            if HOW == SQUARED {
                for (sum, x) in dense.iter_mut().zip(row.dense) {
                    *sum += factor * x * x;
                }
                for (&j, x) in row.column.iter().zip(row.value) {
                    sparse[j as usize] += factor * x * x;
                }
            } else if HOW == CARRIED {
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
