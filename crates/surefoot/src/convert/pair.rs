//! A pair of points that goes, coordinate by coordinate, through the same 2×2 matrices.

use crate::squares::binade;

/// A map of (x, u) that all coordinates share.
pub(super) type Matrix = [[f64; 2]; 2];

pub(super) const SAME: Matrix = [[1.0, 0.0], [0.0, 1.0]];

pub(super) fn apply(map: &Matrix, [x, u]: [f64; 2]) -> [f64; 2] {
    [map[0][0] * x + map[0][1] * u, map[1][0] * x + map[1][1] * u]
}

pub(super) fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let [first, second] = [0, 1].map(|j| apply(left, [right[0][j], right[1][j]]));
    [[first[0], second[0]], [first[1], second[1]]]
}

/// How far ‖u‖² may fall below what it was, before too many of its digits are those of rounding errors.
const FALL: f64 = 1.0 / 16.0;

/// ‖x‖², ⟨x, u⟩ and ‖u‖² in units of a power of two, squared.
///
/// Rounding errors are as large as the products once were. So whoever keeps them is to start anew when
/// [`is_stale`](Norms::is_stale) says that ‖u‖² has fallen to 1/16 of the largest value of its terms, as after a spike that was taken
/// back. Then after k changes ‖u‖² is off by some k·2^−53·16 of itself at most.
#[derive(Clone, Debug, Default)]
pub(super) struct Norms {
    unit: f64,
    pub(super) products: [f64; 3],
    /// The largest term of ‖u‖² so far.
    peak: f64,
}

impl Norms {
    /// A coordinate goes from one state to another.
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

    /// All coordinates go through a matrix.
    pub(super) fn pass(&mut self, [[a, b], [c, d]]: &Matrix) {
        let [xx, xu, uu] = self.products;
        self.products = [
            a * a * xx + 2.0 * a * b * xu + b * b * uu,
            a * c * xx + (a * d + b * c) * xu + b * d * uu,
            c * c * xx + 2.0 * c * d * xu + d * d * uu,
        ];
        self.peak = self.peak.max(c * c * xx).max(d * d * uu);
    }

    /// Whether most digits of ‖u‖² are lost.
    pub(super) fn is_stale(&self) -> bool {
        self.products[2] < FALL * self.peak
    }

    /// ‖x‖.
    pub(super) fn near(&self) -> f64 {
        self.unit * self.products[0].max(0.0).sqrt()
    }

    /// ‖u‖.
    pub(super) fn far(&self) -> f64 {
        self.unit * self.products[2].max(0.0).sqrt()
    }
}
