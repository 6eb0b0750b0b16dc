//! Passes over the rows for losses with one margin per class.

use super::state::ClassRows;
use crate::{
    batch::optimum::{
        pass::{CARRIED, NUMBERS_PER_STOP_CHECK, PLAIN, Passes, SIZED, take_vector, with_vector},
        row_blocks::Block,
        vector_loops::{
            Kernel, add, add_with_carry, dot, dot_and_size, gather, gather_and_size, scatter, scatter_with_carry,
            widest,
        },
        workers::{Stopped, Workers},
    },
    shards::Partial,
};

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
    run_kind::<PLAIN, _>(passes, rows, point, visitors, out).map(drop)
}

/// Runs a pass like [`run`] whose visitors also receive Σ_j|w_j x_rj|, the sum of the absolute values of the terms of a
/// margin, at its maximum over the margins of a row; 0 unless passes are precise. Returns the further numbers of the
/// visitors.
pub(super) fn run_sized<V: VisitClasses>(
    passes: &mut Passes,
    rows: ClassRows,
    point: &[f64],
    visitors: Vec<V>,
    out: &mut [f64],
) -> Result<Partial, Stopped> {
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
        true => run_kind::<CARRIED, _>(passes, rows, None, visitors, out).map(drop),
        false => run_kind::<PLAIN, _>(passes, rows, None, visitors, out).map(drop),
    }
}

/// Runs a pass of the kind `KIND`, one of the constants from [`PLAIN`] to [`CARRIED`].
fn run_kind<const KIND: u8, V: VisitClasses>(
    passes: &mut Passes,
    rows: ClassRows,
    point: Option<&[f64]>,
    visitors: Vec<V>,
    out: &mut [f64],
) -> Result<Partial, Stopped> {
    let (workers, len) = (passes.workers, out.len());
    let total = workers.combine(&rows.sample, &rows.sample.blocks(), visitors, |block, mut visit| {
        let mut sum = vec![0.0; if KIND == CARRIED { 2 * len } else { len }];
        widest(Rows::<KIND, V> { rows, block, point, visit: &mut visit, sum: &mut sum, workers });
        with_vector(KIND == CARRIED, sum, visit.finish())
    })?;
    passes.count += 1.0;
    Ok(take_vector(KIND == CARRIED, total, out))
}

/// Visitor of the rows of one block during a pass.
pub(super) trait VisitClasses: Send {
    /// Receives the number of a row within the block, its margins and, in precise passes, the largest sum of the
    /// absolute values of the terms of a margin; replaces the margins by the factors of the row.
    fn row(&mut self, r: usize, margins: &mut [f64], size: f64);

    /// Returns further numbers to add up over all rows. They must not have `compensated` ones in a compensated pass.
    fn finish(self) -> Partial
    where
        Self: Sized,
    {
        Partial::default()
    }
}

impl<F: FnMut(usize, &mut [f64], f64) + Send> VisitClasses for F {
    #[inline(always)]
    fn row(&mut self, r: usize, margins: &mut [f64], size: f64) {
        self(r, margins, size);
    }
}

/// Inner loop of a pass: computes the margins of each row of one block, and adds the row times the factors that `visit`
/// leaves in their place to `sum`, class by class.
struct Rows<'s, const KIND: u8, V> {
    rows: ClassRows<'s>,
    block: &'s Block,
    point: Option<&'s [f64]>,
    visit: &'s mut V,
    sum: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl<const KIND: u8, V: VisitClasses> Kernel for Rows<'_, KIND, V> {
    #[inline(always)]
    fn run(self) {
        let design = self.rows.sample.design;
        let (width, dim) = (design.width, design.dim());
        let mut margins = vec![0.0; self.rows.classes];
        let mut left = 0;
        for r in 0..self.block.len() {
            let row = self.rows.sample.row(self.block.row(r));
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
            self.visit.row(r, &mut margins, most);
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
