//! One pass over the rows: margins in, a combination of the rows out.

use super::design::Sample;
use super::kernel::{Kernel, add, dot, gather, scatter, widest};
use super::shares::{Crew, Stopped};
use std::ops::Range;

/// Makes passes, keeps the memory that they need, and counts them.
pub(super) struct Passes<'a> {
    pub(super) crew: &'a Crew<'a>,
    /// Passes over all rows; those over a sample count as its share of the rows.
    pub(super) count: f64,
    sums: Vec<Vec<f64>>,
}

/// Numbers read between two questions whether to stop: well under a millisecond.
pub(super) const STRETCH: usize = 1 << 17;

/// In how many shares a sum over rows is made: by what there is to do, never by who does it. A share must be worth the
/// sum of its own that it needs.
fn shares(work: usize, dim: usize) -> usize {
    let most = work / (8 * dim).max(1 << 18);
    let least = if work > 1 << 21 { 2 } else { 1 };
    // A power of two, which most numbers of threads divide.
    1 << most.clamp(least, 8).ilog2()
}

impl<'a> Passes<'a> {
    pub(super) fn new(crew: &'a Crew<'a>) -> Passes<'a> {
        Passes { crew, count: 0.0, sums: Vec::new() }
    }

    /// How many rows a share of a pass has.
    pub(super) fn rows_per_share(sample: &Sample) -> usize {
        let (dense, pairs) = sample.design.size();
        let shares = shares((dense + 3 * pairs) / sample.stride, sample.design.dim());
        sample.rows().div_ceil(shares)
    }

    /// out = Σ t_r x_r, where t_r is what the visitor of the row's share makes of the row's number within the share and
    /// its margin at `point` (0 without one). With `SQUARED` it is the squares of the numbers of x_r that are added.
    pub(super) fn run<const SQUARED: bool, V: FnMut(usize, f64) -> f64 + Send>(
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
            sum.resize(dim, 0.0);
            let rows = k * per..((k + 1) * per).min(sample.rows());
            Rows::<SQUARED, V> { sample: *sample, rows, point, visit, sum, crew: self.crew }
        });
        let work: Vec<_> = work.collect();
        let shares = work.len();
        self.crew.run(work, widest)?;
        out.copy_from_slice(&self.sums[0]);
        for sum in &self.sums[1..shares] {
            add(out, 1.0, sum);
        }
        self.count += 1.0 / sample.stride as f64;
        Ok(())
    }
}

/// The rows of one share.
struct Rows<'s, const SQUARED: bool, V> {
    sample: Sample<'s>,
    rows: Range<usize>,
    point: Option<&'s [f64]>,
    visit: V,
    sum: &'s mut [f64],
    crew: &'s Crew<'s>,
}

impl<const SQUARED: bool, V: FnMut(usize, f64) -> f64> Kernel for Rows<'_, SQUARED, V> {
    #[inline(always)]
    fn run(mut self) {
        let width = self.sample.design.width;
        let (dense, sparse) = self.sum.split_at_mut(width);
        let point = self.point.map(|point| point.split_at(width));
        let first = self.rows.start;
        let mut left = 0;
        for r in self.rows {
            let row = self.sample.row(r);
            if left < row.column.len() + width {
                if self.crew.stopped() {
                    return;
                }
                left = STRETCH + row.column.len() + width;
            }
            left -= row.column.len() + width;
            // Not `map_or`, which would be compiled for the smallest registers.
            let margin = match point {
                Some((a, b)) => dot(row.dense, a) + gather(row.column, row.value, b),
                None => 0.0,
            };
            let factor = (self.visit)(r - first, margin);
            if factor == 0.0 {
                continue;
            }
            if SQUARED {
                for (sum, x) in dense.iter_mut().zip(row.dense) {
                    *sum += factor * x * x;
                }
                for (&j, x) in row.column.iter().zip(row.value) {
                    sparse[j as usize] += factor * x * x;
                }
            } else {
                add(dense, factor, row.dense);
                scatter(sparse, factor, row.column, row.value);
            }
        }
    }
}
