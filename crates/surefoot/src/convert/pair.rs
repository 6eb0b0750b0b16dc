//! 2×2 linear maps applied to the pair (x_j, u_j) of every coordinate j of two vectors x and u, and the norms of x and
//! u.

use crate::squares::binade;

/// A 2×2 matrix, given by its two rows, that maps the pair (x_j, u_j) of every coordinate j of two vectors x and u.
pub(super) type Matrix = [[f64; 2]; 2];
/// The identity matrix.
pub(super) const SAME: Matrix = [[1.0, 0.0], [0.0, 1.0]];
/// Returns the image of the pair (x, u) of numbers under the matrix `map`.
pub(super) fn apply(map: &Matrix, [x, u]: [f64; 2]) -> [f64; 2] {
    [map[0][0] * x + map[0][1] * u, map[1][0] * x + map[1][1] * u]
}
/// Returns the matrix product `left`·`right`.
pub(super) fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let [first, second] = [0, 1].map(|j| apply(left, [right[0][j], right[1][j]]));
    [[first[0], second[0]], [first[1], second[1]]]
}

/// Ratio of ‖u‖² to the largest value that it or a term added to it ever had; below this ratio rounding errors have
/// consumed too many digits of ‖u‖².
const FALL: f64 = 1.0 / 16.0;

/// The inner products ‖x‖², ⟨x, u⟩ and ‖u‖² of two vectors x and u, updated incrementally when the vectors change. They
/// are stored divided by the square of a power of two.
///
/// Rounding errors are relative to the largest values that the products ever had. So the owner must recompute them when
/// [`is_stale`](Norms::is_stale) reports that ‖u‖² has fallen to 1/16 of the largest value of its terms, for instance
/// after a spike that was reversed. Then after k changes ‖u‖² has a relative error of at most about k·2^−53·16.
#[derive(Clone, Debug, Default)]
pub(super) struct Norms {
    /// The power of two by whose square the stored products are divided.
    unit: f64,
    /// ‖x‖², ⟨x, u⟩ and ‖u‖², in this order, divided by the square of `unit`.
    pub(super) products: [f64; 3],
    /// Largest value so far of ‖u‖² and of the terms added to it, divided by the square of `unit`.
    peak: f64,
}

impl Norms {
    /// Updates the inner products ‖x‖², ⟨x, u⟩ and ‖u‖² for one coordinate whose pair (x_j, u_j) changes from `old` to
    /// `new`.
    pub(super) fn change(&mut self, old: [f64; 2], new: [f64; 2]) {
        let size = old.into_iter().chain(new).fold(0.0_f64, |size, x| size.max(x.abs()));
        if size > self.unit {
            let unit = binade(size);
            let ratio = self.unit / unit;
            self.products = self.products.map(|product| product * ratio * ratio);
            self.peak *= ratio * ratio;
            self.unit = unit;
        }
        if self.unit > 0.0 {
            let ([a, b], [x, u]) = (old.map(|x| x / self.unit), new.map(|x| x / self.unit));
            self.products[0] += (x - a) * (x + a);
            self.products[1] += x * u - a * b;
            self.products[2] += (u - b) * (u + b);
            self.peak = self.peak.max(self.products[2]);
        }
    }

    /// Updates the inner products ‖x‖², ⟨x, u⟩ and ‖u‖² when the 2×2 matrix is applied to the pairs (x_j, u_j) of all
    /// coordinates, in O(1).
    pub(super) fn pass(&mut self, [[a, b], [c, d]]: &Matrix) {
        let [xx, xu, uu] = self.products;
        self.products = [
            a * a * xx + 2.0 * a * b * xu + b * b * uu,
            a * c * xx + (a * d + b * c) * xu + b * d * uu,
            c * c * xx + 2.0 * c * d * xu + d * d * uu,
        ];
        self.peak = self.peak.max(c * c * xx).max(d * d * uu);
    }

    /// Whether rounding errors may have consumed too many digits of ‖u‖², so that the inner products must be recomputed
    /// from the vectors.
    pub(super) fn is_stale(&self) -> bool {
        self.products[2] < FALL * self.peak
    }

    /// Returns the Euclidean norm ‖x‖ of the vector x.
    pub(super) fn near(&self) -> f64 {
        self.unit * self.products[0].max(0.0).sqrt()
    }

    /// Returns the Euclidean norm ‖u‖ of the vector u.
    pub(super) fn far(&self) -> f64 {
        self.unit * self.products[2].max(0.0).sqrt()
    }
}
