//! LDLᵀ (Cholesky) factorisation of a positive definite matrix, with rank-one updates.

/// The factorisation H = L·diag(D)·Lᵀ of a positive definite matrix H, where L is lower triangular with ones on its
/// diagonal. No square roots are needed, so scaling H by a power of two is exact.
#[derive(Clone, Debug)]
pub(super) struct Cholesky {
    /// Entries of the triangular factor L below its diagonal, row by row.
    lower: Vec<f64>,
    /// Entries of the diagonal factor D.
    diagonal: Vec<f64>,
}

impl Cholesky {
    /// Creates the factorisation of `size`·I, where I is the identity matrix of order `dim`. Later calls do not
    /// allocate.
    pub(super) fn new(dim: usize, size: f64) -> Self {
        Self { lower: vec![0.0; dim * dim], diagonal: vec![size; dim] }
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * self.diagonal.len()..][..i]
    }

    /// Updates the factorisation for H ← H + `factor`·vvᵀ with `factor` ≥ 0, in O(d²); overwrites `v`. Repeated updates
    /// do not lose accuracy (Gill, Golub, Murray and Saunders 1974).
    pub(super) fn add_square(&mut self, mut factor: f64, v: &mut [f64]) {
        let dim = self.diagonal.len();
        for k in 0..dim {
            let (head, old) = (v[k], self.diagonal[k]);
            if head == 0.0 {
                continue;
            }
            let new = old + factor * head * head;
            let carried = factor * head / new;
            self.diagonal[k] = new;
            factor *= old / new;
            for (i, x) in v.iter_mut().enumerate().skip(k + 1) {
                let entry = &mut self.lower[i * dim + k];
                *x -= head * *entry;
                *entry += carried * *x;
            }
        }
    }

    /// Forward substitution: overwrites `b` with L⁻¹b, in O(d²). Returns ⟨b, H⁻¹b⟩ for the original `b` and the
    /// factored matrix H.
    pub(super) fn forward(&self, b: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..b.len() {
            let inner: f64 = self.row(i).iter().zip(&*b).map(|(l, x)| l * x).sum();
            b[i] -= inner;
            sum += b[i] / self.diagonal[i] * b[i];
        }
        sum
    }

    /// Backward substitution: overwrites `b` with L⁻ᵀD⁻¹b, in O(d²). Applied after [`forward`](Cholesky::forward), it
    /// completes the solution H⁻¹b.
    pub(super) fn backward(&self, b: &mut [f64]) {
        b.iter_mut().zip(&self.diagonal).for_each(|(b, d)| *b /= d);
        for i in (0..b.len()).rev() {
            let (before, x) = b.split_at_mut(i);
            self.row(i).iter().zip(before).for_each(|(l, b)| *b -= l * x[0]);
        }
    }

    /// Overwrites this factorisation with that of H + `shift`·I, where H is the matrix factored in `other`, in O(d³).
    pub(super) fn shifted(&mut self, other: &Self, shift: f64) {
        let dim = self.diagonal.len();
        for i in 0..dim {
            for j in 0..i {
                let rest = other.entry(i, j) - self.sum(i, j);
                self.lower[i * dim + j] = rest / self.diagonal[j];
            }
            self.diagonal[i] = other.entry(i, i) + shift - self.sum(i, i);
        }
    }

    /// Computes the entry H_ij of the factored matrix H = L·diag(D)·Lᵀ from its factors, for j ≤ i.
    fn entry(&self, i: usize, j: usize) -> f64 {
        let last = if i == j { 1.0 } else { self.lower[i * self.diagonal.len() + j] };
        self.sum(i, j) + last * self.diagonal[j]
    }

    /// Returns Σ_{k<j} L_ik D_k L_jk, the contribution of the columns of L before column j to the entry H_ij of
    /// L·diag(D)·Lᵀ.
    fn sum(&self, i: usize, j: usize) -> f64 {
        let pairs = self.row(i).iter().zip(self.row(j));
        pairs.zip(&self.diagonal).map(|((a, b), d)| a * d * b).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Cholesky;

    #[test]
    fn solves_what_it_has_summed() {
        let (mut factors, mut shifted) = (Cholesky::new(3, 4.0), Cholesky::new(3, 1.0));
        for (factor, v) in [(1.0, [1.0, 0.0, 2.0]), (9.0, [0.0, 1.0, 0.0]), (4.0, [-0.5, 0.5, 0.25])] {
            factors.add_square(factor, &mut v.clone());
        }
        // Computes (4·I + the sum of the squares above) times (1, −2, 3), and the product with the matrix plus I.
        let mut b = [12.5, -27.5, 25.25];
        let mut c = [b[0] + 1.0, b[1] - 2.0, b[2] + 3.0];
        let size = factors.forward(&mut b);
        factors.backward(&mut b);
        shifted.shifted(&factors, 1.0);
        shifted.forward(&mut c);
        shifted.backward(&mut c);
        for x in [b, c] {
            assert!(x.iter().zip([1.0, -2.0, 3.0]).all(|(x, y)| (x - y).abs() < 1e-14), "{x:?}");
        }
        assert!((size - (12.5 + 2.0 * 27.5 + 3.0 * 25.25)).abs() < 1e-12);
    }
}
