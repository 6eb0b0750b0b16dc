//! One pass over the rows with a margin for each class.

use super::super::kernel::{Kernel, add, dot, gather, scatter, widest};
use super::super::pass::{Passes, STRETCH};
use super::super::shares::{Crew, Stopped};
use super::state::Classes;
use std::ops::Range;

/// out_k = Σ t_rk x_r, where the visitor of the row's share makes t_r of the row's number within the share and its margins
/// at `point` (0 without one). Points hold the coordinates of a class behind those of the one before.
pub(super) fn run<V: FnMut(usize, &mut [f64]) + Send>(
    passes: &mut Passes,
    rows: Classes,
    point: Option<&[f64]>,
    visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    let per = Passes::rows_per_share(&rows.sample);
    let mut sums = vec![vec![0.0; out.len()]; visitors.len()];
    let work = sums.iter_mut().zip(visitors).enumerate().map(|(k, (sum, visit))| {
        let range = k * per..((k + 1) * per).min(rows.sample.rows());
        Rows { rows, range, point, visit, sum, crew: passes.crew }
    });
    passes.crew.run(work.collect(), widest)?;
    out.copy_from_slice(&sums[0]);
    sums[1..].iter().for_each(|sum| add(out, 1.0, sum));
    passes.count += 1.0;
    Ok(())
}

/// The rows of one share.
struct Rows<'s, V> {
    rows: Classes<'s>,
    range: Range<usize>,
    point: Option<&'s [f64]>,
    visit: V,
    sum: &'s mut [f64],
    crew: &'s Crew<'s>,
}

impl<V: FnMut(usize, &mut [f64])> Kernel for Rows<'_, V> {
    #[inline(always)]
    fn run(mut self) {
        let design = self.rows.sample.design;
        let (width, dim, first) = (design.width, design.dim(), self.range.start);
        let mut margins = vec![0.0; self.rows.classes];
        let mut left = 0;
        for r in self.range {
            let row = self.rows.sample.row(r);
            let work = (row.column.len() + width + 1) * self.rows.classes;
            if left < work {
                if self.crew.stopped() {
                    return;
                }
                left = STRETCH + work;
            }
            left -= work;
            margins.fill(0.0);
            if let Some(point) = self.point {
                for (margin, point) in margins.iter_mut().zip(point.chunks_exact(dim)) {
                    let (a, b) = point.split_at(width);
                    *margin = dot(row.dense, a) + gather(row.column, row.value, b);
                }
            }
            (self.visit)(r - first, &mut margins);
            for (&factor, sum) in margins.iter().zip(self.sum.chunks_exact_mut(dim)) {
                if factor != 0.0 {
                    let (dense, sparse) = sum.split_at_mut(width);
                    add(dense, factor, row.dense);
                    scatter(sparse, factor, row.column, row.value);
                }
            }
        }
    }
}
