//! The weighted Gram matrix Σ t_r x_r x_rᵀ of few columns.

use super::{
    design::Sample,
    pass::STRETCH,
    vector_loops::{Kernel, add, widest},
    workers::{Stopped, Workers},
};
use std::ops::Range;

/// Rows that the dense block is worked on at a time, so that they stay in the fastest memory.
const ROWS: usize = 32;
/// Columns of a tile: two registers of AVX-512.
const ACROSS: usize = 16;
/// Rows of a tile.
const DOWN: usize = 4;

/// The lower triangle of Σ t_r x_r x_rᵀ, row by row in a full square.
///
/// *Cost*: half a square of the row's pairs a row; memory for up to four squares.
pub(super) fn gram(workers: &Workers, sample: &Sample, factors: &[f64]) -> Result<Vec<f64>, Stopped> {
    let (dim, shares) = (sample.design.dim(), shares(sample));
    let per = sample.rows().div_ceil(shares);
    let mut squares = vec![vec![0.0; dim * dim]; shares];
    let work = squares.iter_mut().zip(factors.chunks(per)).enumerate();
    let work = work.map(|(k, (out, factors))| {
        let rows = k * per..((k + 1) * per).min(sample.rows());
        Block { sample: *sample, rows, factors, out, workers }
    });
    workers.run(work.collect(), widest)?;
    let (first, others) = squares.split_at_mut(1);
    others.iter().for_each(|other| add(&mut first[0], 1.0, other));
    Ok(squares.swap_remove(0))
}

/// Nanoseconds, roughly, that the matrix takes: to choose by, and the same on every machine.
pub(super) fn cost(sample: &Sample) -> f64 {
    let (rows, width) = (sample.rows() as f64, sample.design.width as f64);
    let pairs = sample.design.size().1 as f64 / sample.design.rows() as f64;
    rows * (0.04 * width * (width + 8.0) + 0.3 * pairs * width + 0.5 * pairs * (pairs + 1.0))
}

fn shares(sample: &Sample) -> usize {
    let square = (sample.design.dim() * sample.design.dim()) as f64;
    ((cost(sample) / (4e5 + 2.0 * square)) as usize).clamp(1, 4)
}

struct Block<'s> {
    sample: Sample<'s>,
    rows: Range<usize>,
    factors: &'s [f64],
    out: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl Kernel for Block<'_> {
    #[inline(always)]
    fn run(mut self) {
        self.dense();
        self.sparse();
    }
}

impl Block<'_> {
    /// The square of the dense columns, in tiles that stay in registers.
    #[inline(always)]
    fn dense(&mut self) {
        let (width, dim) = (self.sample.design.width, self.sample.design.dim());
        let wide = width.next_multiple_of(ACROSS);
        let (mut plain, mut scaled) = (vec![0.0; ROWS * wide], vec![0.0; ROWS * wide]);
        let mut square = vec![0.0; wide * wide];
        let first = self.rows.start;
        let mut left = 0;
        for from in self.rows.clone().step_by(ROWS) {
            let count = ROWS.min(self.rows.end - from);
            for r in 0..count {
                let (row, factor) = (self.sample.row(from + r).dense, self.factors[from + r - first]);
                plain[r * wide..][..width].copy_from_slice(row);
                scaled[r * wide..][..width].iter_mut().zip(row).for_each(|(to, x)| *to = factor * x);
            }
            for i in (0..wide).step_by(DOWN) {
                // Every other share of a millisecond.
                if left < count * wide {
                    if self.workers.stopped() {
                        return;
                    }
                    left = 8 * STRETCH + count * wide;
                }
                left -= count * wide;
                for j in (0..i + DOWN).step_by(ACROSS) {
                    tile(&mut square, &scaled, &plain, wide, count, (i, j));
                }
            }
        }
        for i in 0..width {
            self.out[i * dim..][..=i].copy_from_slice(&square[i * wide..][..=i]);
        }
    }

    /// All pairs with a sparse column.
    #[inline(always)]
    fn sparse(&mut self) {
        let (width, dim) = (self.sample.design.width, self.sample.design.dim());
        let first = self.rows.start;
        let mut left = 0;
        for r in self.rows.clone() {
            let (row, factor) = (self.sample.row(r), self.factors[r - first]);
            let work = row.column.len() * (row.column.len() + width) + 1;
            if left < work {
                if self.workers.stopped() {
                    return;
                }
                left = STRETCH + work;
            }
            left -= work;
            if factor == 0.0 {
                continue;
            }
            for (a, (&i, &x)) in row.column.iter().zip(row.value).enumerate() {
                let factor = factor * x;
                let (dense, sparse) = self.out[(width + i as usize) * dim..][..dim].split_at_mut(width);
                add(dense, factor, row.dense);
                for (&j, &x) in row.column[..=a].iter().zip(row.value) {
                    sparse[j as usize] += factor * x;
                }
            }
        }
    }
}

/// square[i.., j..] += Σ over rows of scaled[i..]·plain[j..].
#[inline(always)]
fn tile(square: &mut [f64], scaled: &[f64], plain: &[f64], wide: usize, count: usize, (i, j): (usize, usize)) {
    let mut sums = [[0.0; ACROSS]; DOWN];
    for r in 0..count {
        let down: &[f64; DOWN] = scaled[r * wide + i..][..DOWN].try_into().expect("a slice of that length");
        let across: &[f64; ACROSS] = plain[r * wide + j..][..ACROSS].try_into().expect("a slice of that length");
        for (sums, a) in sums.iter_mut().zip(down) {
            for k in 0..ACROSS {
                sums[k] += a * across[k];
            }
        }
    }
    for (k, sums) in sums.iter().enumerate() {
        add(&mut square[(i + k) * wide + j..][..ACROSS], 1.0, sums);
    }
}
