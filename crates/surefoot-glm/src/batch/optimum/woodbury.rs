//! Low-rank-plus-diagonal preconditioner by Woodbury's identity, for many columns: represents the rows of largest
//! curvature exactly, and the other rows by the diagonal of their matrix.

use super::{
    cholesky::Cholesky,
    design::Sample,
    pass::Passes,
    row_blocks::Block,
    state::diagonal,
    vector_loops::{add, dot, gather, scatter},
    workers::{Stopped, Workers},
};
use crate::shards::Partial;

/// Maximum number of rows that the preconditioner represents exactly.
const MAX_ROWS: usize = 1000;

/// Row as its dense part and the columns and values of its sparse part.
type RowCopy = (Vec<f64>, Vec<u32>, Vec<f64>);

/// Preconditioner M = D + Σ curvature_r x_r x_rᵀ over the rows x_r of largest curvature, where the diagonal D
/// represents all other rows. By Woodbury's identity M⁻¹ = D⁻¹ − D⁻¹Xᵀ(B⁻¹ + X·D⁻¹·Xᵀ)⁻¹X·D⁻¹, with B the curvatures;
/// the matrix in parentheses has one row per chosen row.
#[derive(Debug)]
pub(super) struct Woodbury {
    /// Reciprocals of the diagonal entries of D.
    inverse: Vec<f64>,
    /// Rows that are represented exactly, each as its dense part and the columns and values of its sparse part.
    rows: Vec<RowCopy>,
    middle: Cholesky,
}

impl Woodbury {
    /// Builds the preconditioner for Σ curvature_r x_r x_rᵀ + diag(penalty_curvature) over the rows x_r.
    ///
    /// *Cost*: m² sparse dot products for m chosen rows, m³/6 multiplications, and one pass.
    pub(super) fn new(
        passes: &mut Passes,
        sample: &Sample,
        penalty_curvature: &[f64],
        curvature: &[f64],
    ) -> Result<Woodbury, Stopped> {
        let chosen = chosen_rows(passes.workers, sample, curvature)?;
        let mut others = curvature.to_vec();
        chosen.iter().for_each(|&r| others[r] = 0.0);
        let (curvatures, rows) = copies(passes.workers, sample, curvature, &chosen)?;
        let diagonal = diagonal(passes, sample, penalty_curvature, &others)?;
        // Coordinates without other curvature (the intercept, if all rows are chosen) get a small share of the largest.
        let largest = diagonal.iter().fold(0.0, |a: f64, b| a.max(*b));
        let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d.max(1e-6 * largest).max(f64::MIN_POSITIVE)).collect();
        let width = sample.design.width;
        let count = rows.len();
        let (mut square, mut scaled) = (vec![0.0; count * count], vec![0.0; inverse.len()]);
        for (a, row) in rows.iter().enumerate() {
            passes.workers.check()?;
            scaled.fill(0.0);
            add_row(&mut scaled, 1.0, row);
            scaled.iter_mut().zip(&inverse).for_each(|(x, inverse)| *x *= inverse);
            let (dense, sparse) = scaled.split_at(width);
            for (b, (first, column, value)) in rows[..=a].iter().enumerate() {
                square[a * count + b] = dot(first, dense) + gather(column, value, sparse);
            }
            square[a * count + a] += 1.0 / curvatures[a];
        }
        Ok(Woodbury { inverse, rows, middle: Cholesky::new(passes.workers, square, count)? })
    }

    /// Computes out = M⁻¹·x, where M is this preconditioner.
    pub(super) fn solve(&self, x: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(x.iter().zip(&self.inverse)).for_each(|(out, (x, inverse))| *out = x * inverse);
        let margin = |(first, column, value): &(Vec<f64>, Vec<u32>, Vec<f64>)| {
            let (dense, sparse) = out.split_at(first.len());
            dot(first, dense) + gather(column, value, sparse)
        };
        let mut margins: Vec<f64> = self.rows.iter().map(margin).collect();
        self.middle.solve(&mut margins);
        let mut sum = vec![0.0; x.len()];
        self.rows.iter().zip(&margins).for_each(|(row, margin)| add_row(&mut sum, *margin, row));
        out.iter_mut().zip(sum.iter().zip(&self.inverse)).for_each(|(out, (sum, inverse))| *out -= sum * inverse);
    }
}

/// Returns the rows of this process that are among those of largest curvature in all processes.
fn chosen_rows(workers: &Workers, sample: &Sample, curvature: &[f64]) -> Result<Vec<usize>, Stopped> {
    let largest_first = |block: &Block| {
        let mut rows: Vec<usize> = block.rows.clone().filter(|&r| curvature[r] > 0.0).collect();
        rows.sort_by(|&a, &b| curvature[b].total_cmp(&curvature[a]).then(a.cmp(&b)));
        rows.truncate(MAX_ROWS);
        rows
    };
    // The number of the block, the number of its candidates, and their curvatures.
    let total = workers.over_rows(sample, |block| {
        let rows = largest_first(block);
        let head = [block.number as f64, rows.len() as f64];
        let list = head.into_iter().chain(rows.iter().map(|&r| curvature[r])).collect();
        Partial { list, ..Partial::default() }
    })?;
    let mut candidates: Vec<(f64, usize)> = Vec::new();
    let mut list = total.list.into_iter();
    while let (Some(number), Some(count)) = (list.next(), list.next()) {
        candidates.extend(list.by_ref().take(count as usize).map(|curvature| (curvature, number as usize)));
    }
    // A stable sort, so that earlier rows come first among equal ones.
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
    candidates.truncate(MAX_ROWS);
    let of_block = |block: &Block| {
        let count = candidates.iter().filter(|(_, number)| *number == block.number).count();
        largest_first(block).into_iter().take(count).collect::<Vec<_>>()
    };
    Ok(sample.blocks().own.iter().flat_map(of_block).collect())
}

/// Returns the curvatures and copies of the chosen rows of all processes.
fn copies(
    workers: &Workers,
    sample: &Sample,
    curvature: &[f64],
    chosen: &[usize],
) -> Result<(Vec<f64>, Vec<RowCopy>), Stopped> {
    let width = sample.design.width;
    // For each row its curvature, the number of its sparse nonzeros, its dense part, and these nonzeros.
    let total = workers.over_rows(sample, |block| {
        let mut list = Vec::new();
        for &r in chosen.iter().filter(|r| block.rows.contains(r)) {
            let row = sample.row(r);
            list.extend([curvature[r], row.column.len() as f64]);
            list.extend(row.dense);
            list.extend(row.column.iter().map(|&j| f64::from(j)));
            list.extend(row.value);
        }
        Partial { list, ..Partial::default() }
    })?;
    let mut copies = Vec::new();
    let mut list = total.list.into_iter();
    while let (Some(curvature), Some(nonzeros)) = (list.next(), list.next()) {
        let dense = list.by_ref().take(width).collect();
        let column = list.by_ref().take(nonzeros as usize).map(|j| j as u32).collect();
        let value = list.by_ref().take(nonzeros as usize).collect();
        copies.push((curvature, (dense, column, value)));
    }
    // Largest first: the Cholesky factor loses digits otherwise. A stable sort, so that equal ones keep their order.
    copies.sort_by(|a: &(f64, RowCopy), b| b.0.total_cmp(&a.0));
    Ok(copies.into_iter().unzip())
}

/// Computes to += factor·row, for a row given by its dense part and by the columns and values of its sparse part.
fn add_row(to: &mut [f64], factor: f64, (first, column, value): &RowCopy) {
    let (dense, sparse) = to.split_at_mut(first.len());
    add(dense, factor, first);
    scatter(sparse, factor, column, value);
}
