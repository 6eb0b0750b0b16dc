//! One pass over the rows with a margin for each class.

use super::state::ClassRows;
use crate::batch::optimum::{
    pass::{CARRIED, PLAIN, Passes, SIZED, STRETCH, join},
    vector_loops::{
        Kernel, add, add_with_carry, dot, dot_and_size, gather, gather_and_size, scatter, scatter_with_carry, widest,
    },
    workers::{Stopped, Workers},
};
use std::ops::Range;

/// out_k = Σ t_rk x_r, where the visitor of the row's share makes t_r of the row's number within the share and its margins
/// at `point` (0 without one). Points hold the coordinates of a class behind those of the one before.
pub(super) fn run<V: FnMut(usize, &mut [f64]) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    point: Option<&[f64]>,
    mut visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    let visitors = visitors.iter_mut().map(|visit| move |r: usize, m: &mut [f64], _: f64| visit(r, m)).collect();
    all::<PLAIN, _>(passes, rows, point, visitors, out)
}

/// [`run`], whose visitors are shown the largest sum of the sizes of a margin's terms too, or 0 where rounding is not judged by them.
pub(super) fn run_sized<V: FnMut(usize, &mut [f64], f64) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    point: &[f64],
    visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    match passes.is_precise {
        true => all::<SIZED, _>(passes, rows, Some(point), visitors, out),
        false => all::<PLAIN, _>(passes, rows, Some(point), visitors, out),
    }
}

/// [`run`] without margins, whose rounding is known: see [`Passes::run_sum`].
pub(super) fn run_sum<V: FnMut(usize, &mut [f64]) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    mut visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    let visitors = visitors.iter_mut().map(|visit| move |r: usize, m: &mut [f64], _: f64| visit(r, m)).collect();
    match passes.is_precise {
        true => all::<CARRIED, _>(passes, rows, None, visitors, out),
        false => all::<PLAIN, _>(passes, rows, None, visitors, out),
    }
}

fn all<const HOW: u8, V: FnMut(usize, &mut [f64], f64) + Send>(
    passes: &mut Passes,
    rows: ClassRows,
    point: Option<&[f64]>,
    visitors: Vec<V>,
    out: &mut [f64],
) -> Result<(), Stopped> {
    let per = Passes::rows_per_share(&rows.sample);
    let len = out.len();
    let mut sums = vec![vec![0.0; if HOW == CARRIED { 2 * len } else { len }]; visitors.len()];
    let work = sums.iter_mut().zip(visitors).enumerate().map(|(k, (sum, visit))| {
        let range = k * per..((k + 1) * per).min(rows.sample.rows());
        Rows::<HOW, V> { rows, range, point, visit, sum, workers: passes.workers }
    });
    passes.workers.run(work.collect(), widest)?;
    join(&mut sums, HOW == CARRIED, out);
    passes.count += 1.0;
    Ok(())
}

/// The rows of one share.
struct Rows<'s, const HOW: u8, V> {
    rows: ClassRows<'s>,
    range: Range<usize>,
    point: Option<&'s [f64]>,
    visit: V,
    sum: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl<const HOW: u8, V: FnMut(usize, &mut [f64], f64)> Kernel for Rows<'_, HOW, V> {
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
                left = STRETCH + work;
            }
            left -= work;
            margins.fill(0.0);
            let mut most = 0.0_f64;
            if let Some(point) = self.point {
                for (margin, point) in margins.iter_mut().zip(point.chunks_exact(dim)) {
                    let (a, b) = point.split_at(width);
                    if HOW == SIZED {
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
                    if HOW == CARRIED {
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
