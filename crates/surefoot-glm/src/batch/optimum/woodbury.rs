//! Low-rank-plus-diagonal preconditioner by Woodbury's identity, for many columns: represents the rows of largest
//! curvature exactly, and the other rows by the diagonal of their matrix.

use super::{
    cholesky::Cholesky,
    design::{Row, Sample},
    pass::Passes,
    state::diagonal,
    vector_loops::{add, dot, gather, scatter},
    workers::Stopped,
};

/// Maximum number of rows that the preconditioner represents exactly.
const MAX_ROWS: usize = 1000;

/// Preconditioner M = D + Σ curvature_r x_r x_rᵀ over the rows x_r of largest curvature, where the diagonal D
/// represents all other rows. By Woodbury's identity M⁻¹ = D⁻¹ − D⁻¹Xᵀ(B⁻¹ + X·D⁻¹·Xᵀ)⁻¹X·D⁻¹, with B the curvatures;
/// the matrix in parentheses has one row per chosen row.
#[derive(Debug)]
pub(super) struct Woodbury {
    /// Reciprocals of the diagonal entries of D.
    inverse: Vec<f64>,
    /// Rows that are represented exactly, each as its dense part and the columns and values of its sparse part.
    rows: Vec<(Vec<f64>, Vec<u32>, Vec<f64>)>,
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
        let mut chosen: Vec<usize> = (0..curvature.len()).filter(|&r| curvature[r] > 0.0).collect();
        chosen.sort_by(|&a, &b| curvature[b].total_cmp(&curvature[a]).then(a.cmp(&b)));
        chosen.truncate(MAX_ROWS);
        let mut others = curvature.to_vec();
        chosen.iter().for_each(|&r| others[r] = 0.0);
        let diagonal = diagonal(passes, sample, penalty_curvature, &others)?;
        // Coordinates without other curvature (the intercept, if all rows are chosen) get a small share of the largest.
        let largest = diagonal.iter().fold(0.0, |a: f64, b| a.max(*b));
        let inverse: Vec<f64> = diagonal.iter().map(|d| 1.0 / d.max(1e-6 * largest).max(f64::MIN_POSITIVE)).collect();
        let width = sample.design.width;
        let copy = |row: Row| (row.dense.to_vec(), row.column.to_vec(), row.value.to_vec());
        let rows: Vec<_> = chosen.iter().map(|&r| copy(sample.row(r))).collect();
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
            square[a * count + a] += 1.0 / curvature[chosen[a]];
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

/// Computes to += factor·row, for a row given by its dense part and by the columns and values of its sparse part.
fn add_row(to: &mut [f64], factor: f64, (first, column, value): &(Vec<f64>, Vec<u32>, Vec<f64>)) {
    let (dense, sparse) = to.split_at_mut(first.len());
    add(dense, factor, first);
    scatter(sparse, factor, column, value);
}
