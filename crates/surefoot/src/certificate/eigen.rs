//! Eigenvalues and eigenvectors of symmetric matrices stored row by row.

/// Returns an upper bound on the largest eigenvalue of the positive semidefinite `matrix` M, at most 1 part in 1000 too
/// large. λ·I − M has positive pivots exactly if λ exceeds the largest eigenvalue, so each step of the bisection proves
/// an upper bound.
pub(super) fn largest(matrix: &[f64], scratch: &mut [f64], dim: usize) -> f64 {
    let diagonal = |i: usize| matrix[i * dim + i];
    let trace: f64 = (0..dim).map(diagonal).sum();
    let mut low = (0..dim).map(diagonal).fold(trace / dim as f64, f64::max);
    let mut high = trace;
    while high > low * 1.001 && low > 0.0 && high.is_finite() {
        // Multiplies the square roots, since the product low·high may over- or underflow.
        let middle = low.sqrt() * high.sqrt();
        if dominates(matrix, scratch, dim, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high * (1.0 + 4.0 * dim as f64 * f64::EPSILON)
}

/// Whether `lambda` = λ exceeds all eigenvalues of the symmetric `matrix` M: true if all pivots of λ·I − M are
/// positive.
fn dominates(matrix: &[f64], scratch: &mut [f64], dim: usize, lambda: f64) -> bool {
    scratch.iter_mut().zip(matrix).for_each(|(a, m)| *a = -m);
    for k in 0..dim {
        scratch[k * dim + k] += lambda;
        let pivot = scratch[k * dim + k];
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        // The matrix is symmetric, so only its upper triangle is updated.
        for i in k + 1..dim {
            let (above, below) = scratch.split_at_mut(i * dim);
            let (row, under) = (&above[k * dim + i..(k + 1) * dim], &mut below[i..dim]);
            let factor = row[0] / pivot;
            under.iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    true
}

/// Computes the eigenvectors of the symmetric `matrix` into the rows of `vectors` and its eigenvalues, unordered, into
/// the diagonal of `matrix`, whose entries are overwritten. Uses Jacobi rotations until the off-diagonal entries are
/// negligible: O(d³) per sweep, about ten sweeps.
///
/// Source: Golub and Van Loan, Matrix Computations, section on Jacobi methods.
pub(super) fn decompose(matrix: &mut [f64], vectors: &mut [f64], dim: usize) {
    vectors.fill(0.0);
    (0..dim).for_each(|i| vectors[i * dim + i] = 1.0);
    let size: f64 = (0..dim).map(|i| matrix[i * dim + i].abs()).sum();
    for _ in 0..50 {
        let mut off = 0.0_f64;
        for p in 0..dim {
            for q in p + 1..dim {
                off = off.max(matrix[p * dim + q].abs());
                rotate(matrix, vectors, dim, p, q);
            }
        }
        if off <= f64::EPSILON / 4.0 * size {
            break;
        }
    }
}

/// Applies the Jacobi rotation of coordinates `p` and `q` that makes the matrix entries (p, q) and (q, p) zero.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], dim: usize, p: usize, q: usize) {
    let entry = matrix[p * dim + q];
    if entry == 0.0 {
        return;
    }
    let slope = (matrix[q * dim + q] - matrix[p * dim + p]) / (2.0 * entry);
    let tangent = 1.0_f64.copysign(slope) / (slope.abs() + slope.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    for array in [&mut *matrix, vectors] {
        let (head, tail) = array.split_at_mut(q * dim);
        head[p * dim..][..dim].iter_mut().zip(&mut tail[..dim]).for_each(|(x, y)| turn(x, y));
    }
    for row in matrix.chunks_exact_mut(dim) {
        let (head, tail) = row.split_at_mut(q);
        turn(&mut head[p], &mut tail[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::{decompose, largest};

    /// Checks that the decomposition of the second difference matrix of order d reproduces the matrix and its
    /// eigenvalues 2 − 2cos(πk/(d+1)).
    #[test]
    fn vectors_and_values() {
        for dim in [1_usize, 2, 9, 40] {
            let entry = |i: usize, j: usize| [2.0, -1.0, 0.0][i.abs_diff(j).min(2)];
            let whole: Vec<f64> = (0..dim * dim).map(|k| entry(k / dim, k % dim)).collect();
            let (mut matrix, mut vectors) = (whole.clone(), vec![0.0; dim * dim]);
            decompose(&mut matrix, &mut vectors, dim);
            let mut values: Vec<f64> = (0..dim).map(|i| matrix[i * dim + i]).collect();
            for i in 0..dim {
                for j in 0..dim {
                    let sum: f64 = (0..dim).map(|k| values[k] * vectors[k * dim + i] * vectors[k * dim + j]).sum();
                    assert!((sum - entry(i, j)).abs() < 1e-13, "{dim}: {i} {j} {sum}");
                }
            }
            values.sort_by(f64::total_cmp);
            for (k, value) in (1..).zip(&values) {
                let angle = std::f64::consts::PI * f64::from(k) / (dim as f64 + 1.0);
                assert!((value - 2.0 + 2.0 * angle.cos()).abs() < 1e-13, "{dim}: {value}");
            }
            let most = largest(&whole, &mut vectors, dim);
            assert!((values[dim - 1] * (1.0 - 1e-14)..values[dim - 1] * 1.0011).contains(&most), "{dim}: {most}");
        }
    }
}
