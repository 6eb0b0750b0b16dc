//! Weighted Gram matrix Σ t_r x_r x_rᵀ of the rows x_r with factors t_r, for few columns.

use super::{
    design::Sample,
    pass::NUMBERS_PER_STOP_CHECK,
    row_blocks::Block,
    vector_loops::{Kernel, add, widest},
    workers::{Stopped, Workers},
};
use crate::shards::Partial;

/// Number of rows per block of the dense part, so that a block stays in the first-level cache.
const BLOCK_ROWS: usize = 32;
/// Number of columns of a tile (a submatrix that is accumulated in registers): two AVX-512 registers.
const TILE_COLUMNS: usize = 16;
/// Number of rows of a tile (a submatrix that is accumulated in registers).
const TILE_ROWS: usize = 4;

/// Computes the lower triangle of Σ t_r x_r x_rᵀ over the rows x_r, where t_r are the `factors`, row by row in a square
/// array.
///
/// *Cost*: half the squared number of nonzeros per row; memory for up to four d×d matrices for d columns.
pub(super) fn gram(workers: &Workers, sample: &Sample, factors: &[f64]) -> Result<Vec<f64>, Stopped> {
    let (dim, blocks) = (sample.design.dim(), sample.at_most(blocks(sample)));
    let total = workers.combine(sample, &blocks, blocks.split(factors, 1), |block, factors| {
        let mut square = vec![0.0; dim * dim];
        widest(GramRows { sample: *sample, block, factors, out: &mut square, workers });
        Partial { sums: lower_triangle(&square, dim), ..Partial::default() }
    })?;
    Ok(square_of(&total.sums, dim))
}

/// Returns the entries of the lower triangle of a square matrix, row by row.
fn lower_triangle(square: &[f64], dim: usize) -> Vec<f64> {
    square.chunks_exact(dim.max(1)).enumerate().flat_map(|(i, row)| row[..=i].iter().copied()).collect()
}

/// Returns the square array whose lower triangle has these entries, and which is 0 above it.
fn square_of(mut triangle: &[f64], dim: usize) -> Vec<f64> {
    let mut square = vec![0.0; dim * dim];
    for (i, row) in square.chunks_exact_mut(dim.max(1)).enumerate() {
        let (of_row, rest) = triangle.split_at(i + 1);
        row[..=i].copy_from_slice(of_row);
        triangle = rest;
    }
    square
}

/// Estimates the time to compute the Gram matrix, in nanoseconds. The estimate depends on the data alone, so that the
/// choice between methods is the same on every machine.
pub(super) fn cost(sample: &Sample) -> f64 {
    let (rows, width) = (sample.all_rows() as f64, sample.design.width as f64);
    let nonzeros = sample.design.size().1 as f64 / sample.design.all_rows() as f64;
    rows * (0.04 * width * (width + 8.0) + 0.3 * nonzeros * width + 0.5 * nonzeros * (nonzeros + 1.0))
}

fn blocks(sample: &Sample) -> usize {
    let square = (sample.design.dim() * sample.design.dim()) as f64;
    ((cost(sample) / (4e5 + 2.0 * square)) as usize).clamp(1, 4)
}

struct GramRows<'s> {
    sample: Sample<'s>,
    block: &'s Block,
    factors: &'s [f64],
    out: &'s mut [f64],
    workers: &'s Workers<'s>,
}

impl Kernel for GramRows<'_> {
    #[inline(always)]
    fn run(mut self) {
        self.dense();
        self.sparse();
    }
}

impl GramRows<'_> {
    /// Adds the products of pairs of dense columns to the Gram matrix, in tiles (submatrices) that stay in registers.
    #[inline(always)]
    fn dense(&mut self) {
        let (width, dim) = (self.sample.design.width, self.sample.design.dim());
        let wide = width.next_multiple_of(TILE_COLUMNS);
        let (mut plain, mut scaled) = (vec![0.0; BLOCK_ROWS * wide], vec![0.0; BLOCK_ROWS * wide]);
        let mut square = vec![0.0; wide * wide];
        let mut left = 0;
        for from in (0..self.block.len()).step_by(BLOCK_ROWS) {
            let count = BLOCK_ROWS.min(self.block.len() - from);
            for r in 0..count {
                let (row, factor) = (self.sample.row(self.block.row(from + r)).dense, self.factors[from + r]);
                plain[r * wide..][..width].copy_from_slice(row);
                scaled[r * wide..][..width].iter_mut().zip(row).for_each(|(to, x)| *to = factor * x);
            }
            for i in (0..wide).step_by(TILE_ROWS) {
                // Checks for a stop every fraction of a millisecond.
                if left < count * wide {
                    if self.workers.stopped() {
                        return;
                    }
                    left = 8 * NUMBERS_PER_STOP_CHECK + count * wide;
                }
                left -= count * wide;
                for j in (0..i + TILE_ROWS).step_by(TILE_COLUMNS) {
                    tile(&mut square, &scaled, &plain, wide, count, (i, j));
                }
            }
        }
        for i in 0..width {
            self.out[i * dim..][..=i].copy_from_slice(&square[i * wide..][..=i]);
        }
    }

    /// Adds to the Gram matrix the products of pairs of columns of which at least one is sparse.
    #[inline(always)]
    fn sparse(&mut self) {
        let (width, dim) = (self.sample.design.width, self.sample.design.dim());
        let mut left = 0;
        for r in 0..self.block.len() {
            let (row, factor) = (self.sample.row(self.block.row(r)), self.factors[r]);
            let work = row.column.len() * (row.column.len() + width) + 1;
            if left < work {
                if self.workers.stopped() {
                    return;
                }
                left = NUMBERS_PER_STOP_CHECK + work;
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

/// Adds the sum of the outer products scaled[i..]·plain[j..]ᵀ over `count` rows to the tile of the matrix `square` that
/// starts at row i and column j.
#[inline(always)]
fn tile(square: &mut [f64], scaled: &[f64], plain: &[f64], wide: usize, count: usize, (i, j): (usize, usize)) {
    let mut sums = [[0.0; TILE_COLUMNS]; TILE_ROWS];
    for r in 0..count {
        let down: &[f64; TILE_ROWS] = scaled[r * wide + i..][..TILE_ROWS].try_into().expect("a slice of that length");
        let across: &[f64; TILE_COLUMNS] =
            plain[r * wide + j..][..TILE_COLUMNS].try_into().expect("a slice of that length");
        for (sums, a) in sums.iter_mut().zip(down) {
            for k in 0..TILE_COLUMNS {
                sums[k] += a * across[k];
            }
        }
    }
    for (k, sums) in sums.iter().enumerate() {
        add(&mut square[(i + k) * wide + j..][..TILE_COLUMNS], 1.0, sums);
    }
}
