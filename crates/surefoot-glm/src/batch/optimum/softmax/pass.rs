//! Passes over the rows for losses with one margin per class.

use super::state::ClassRows;
use crate::batch::optimum::{
    pass::{CARRIED, NUMBERS_PER_STOP_CHECK, PLAIN, Passes, SIZED, join},
    vector_loops::{
        Kernel, add, add_with_carry, dot, dot_and_size, gather, gather_and_size, scatter, scatter_with_carry, widest,
    },
    workers::{Stopped, Workers},
};
use std::ops::Range;

/// Computes `out` = Σ t_rk x_r for each class k over the rows x_r. The visitor of each block receives the row's number
/// within the block and its margins at `point` (0 without a point), and replaces the margins by the factors t_rk.
/// Points hold the coordinates of class 0, then of class 1, and so on.
pub(super) fn run<V: FnMut(usize, &mut [f64]) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    point: Option<&[f64]>,
    mut visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    let visitors = visitors.iter_mut().map(|visit| move |r: usize, m: &mut [f64], _: f64| visit(r, m)).collect();
    run_kind::<PLAIN, _>(passes, rows, point, visitors, out)
}

/// Runs a pass like [`run`] whose visitors also receive Σ_j|w_j x_rj|, the sum of the absolute values of the terms of a
/// margin, at its maximum over the margins of a row; 0 unless passes are precise.
pub(super) fn run_sized<V: FnMut(usize, &mut [f64], f64) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    point: &[f64],
    visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    match passes.is_precise {
        true => run_kind::<SIZED, _>(passes, rows, Some(point), visitors, out),
        false => run_kind::<PLAIN, _>(passes, rows, Some(point), visitors, out),
    }
}

/// Runs a pass like [`run`] that computes no margins; its rounding error is bounded as for [`Passes::run_sum`].
pub(super) fn run_sum<V: FnMut(usize, &mut [f64]) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    mut visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    let visitors = visitors.iter_mut().map(|visit| move |r: usize, m: &mut [f64], _: f64| visit(r, m)).collect();
    match passes.is_precise {
        true => run_kind::<CARRIED, _>(passes, rows, None, visitors, out),
        false => run_kind::<PLAIN, _>(passes, rows, None, visitors, out),
    }
}

/// Runs a pass of the kind `KIND`, one of the constants from [`PLAIN`] to [`CARRIED`].
fn run_kind<const KIND: u8, V: FnMut(usize, &mut [f64], f64) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    point: Option<&[f64]>,
    visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    let per = Passes::rows_per_block(&rows.sample);
    let len = out.len();
    let mut sums = vec![vec![0.0; if KIND == CARRIED { 2 * len } else { len }]; visitors.len()];
    let work = sums.iter_mut().zip(visitors).enumerate().map(|(k, (sum, visit))| {
        let range = k * per..((k + 1) * per).min(rows.sample.rows());
        Rows::<KIND, V> { rows, range, point, visit, sum, workers: passes.workers }
    });
    passes.workers.run(work.collect(), widest)?;
    join(&mut sums, KIND == CARRIED, out);
    passes.count += 1.0;
    Ok(())
}

/// Inner loop of a pass: computes the margins of each row of one block, and adds the row times the factors that `visit`
/// leaves in their place to `sum`, class by class.
struct Rows<'s, const KIND: u8, V> {
    rows: ClassRows<'s>,
    range: Range<usize>,
    point: Option<&'s [f64]>,
    visit: V,
    sum: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl<const KIND: u8, V: FnMut(usize, &mut [f64], f64)> Kernel for Rows<'_, KIND, V> {
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
                if self.workers.stopped() {
                    return;
                }
                left = NUMBERS_PER_STOP_CHECK + work;
            }
            left -= work;
            margins.fill(0.0);
            let mut most = 0.0_f64;
            if let Some(point) = self.point {
                for (margin, point) in margins.iter_mut().zip(point.chunks_exact(dim)) {
                    let (a, b) = point.split_at(width);
                    if KIND == SIZED {
                        let (dense, sparse) = (dot_and_size(row.dense, a), gather_and_size(row.column, row.value, b));
                        *margin = dense.0 + sparse.0;
                        most = most.max(dense.1 + sparse.1);
                    } else {
                        *margin = dot(row.dense, a) + gather(row.column, row.value, b);
                    }
                }
            }
            (self.visit)(r - first, &mut margins, most);
            let (sums, carries) = self.sum.split_at_mut(dim * self.rows.classes);
            for (k, (&factor, sum)) in margins.iter().zip(sums.chunks_exact_mut(dim)).enumerate() {
                if factor != 0.0 {
                    let (dense, sparse) = sum.split_at_mut(width);
                    if KIND == CARRIED {
                        let (of_dense, of_sparse) = carries[k * dim..][..dim].split_at_mut(width);
                        add_with_carry(dense, of_dense, factor, row.dense);
                        scatter_with_carry(sparse, of_sparse, factor, row.column, row.value);
                    } else {
                        add(dense, factor, row.dense);
                        scatter(sparse, factor, row.column, row.value);
                    }
                }
            }
        }
    }
}
