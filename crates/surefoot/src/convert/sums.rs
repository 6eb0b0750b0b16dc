//! Lazily updated sums of iterates whose coordinates all shrink with a penalty.

use super::queue::Queue;
use crate::squares::binade;

/// Largest ratio of the sum of rates to the sum that the latest rate alone would have given, before a rebase.
const STALE: f64 = 32.0;

/// The sums Σ α_t w_t by coordinate, each as of the last touch of its coordinate, and sums over rounds that bring them
/// up to date. Between touches w_j = −sgn(Z_j)(|Z_j| − A_t·l1)·ρ_t with a rate ρ_t common to all coordinates.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// Strength of the L1 penalty.
    l1: f64,
    /// A power of two by which rates are divided, so that squares of tiny rates do not underflow.
    unit: f64,
    /// Weighted sum of iterates Σ α_t w_t, each coordinate as of its last touch.
    pub(super) sum: Vec<f64>,
    /// The sums P = Σ α ρ and Q = Σ α A ρ over rounds, with ρ divided by `unit`.
    passed: [f64; 2],
    /// The values of P and Q at the last touch of each coordinate.
    marks: Vec<[f64; 2]>,
    /// The sums Σ α ρ², Σ α A ρ² and Σ α A² ρ² over rounds, with ρ divided by `unit`.
    square_passed: [f64; 3],
    /// The value of `square_passed` at the last touch of each coordinate; empty if squares are not needed.
    pub(super) square_marks: Vec<[f64; 3]>,
    /// Weighted sum of L1 norms Σ α ‖w‖₁, with each coordinate as of its last touch.
    pub(super) sizes: f64,
    /// Weighted sum of squared norms Σ α ‖w‖², with each coordinate as of its last touch.
    pub(super) squares: f64,
    /// The nonzero coordinates of the iterate, by |Z_j|.
    pub(super) queue: Queue,
}

impl Sums {
    pub(super) fn new(dim: usize, l1: f64) -> Self {
        Self {
            l1,
            unit: 0.0,
            sum: vec![0.0; dim],
            passed: [0.0; 2],
            marks: vec![[0.0; 2]; dim],
            square_passed: [0.0; 3],
            square_marks: Vec::new(),
            sizes: 0.0,
            squares: 0.0,
            queue: Queue::new(dim),
        }
    }

    /// Records a round of weight α, with sum of weights A = `total` and rate ρ. While the rate is 0 no coordinate
    /// moves.
    pub(super) fn advance(&mut self, weight: f64, total: f64, rate: f64) {
        if rate == 0.0 {
            return;
        }
        if self.passed[0] == 0.0 {
            self.unit = binade(rate);
        }
        let rate = rate / self.unit;
        let [one, two] = [weight * rate, weight * rate * rate];
        self.passed = [self.passed[0] + one, self.passed[1] + total * one];
        let [p, q, r] = self.square_passed;
        self.square_passed = [p + two, q + total * two, r + total * total * two];
    }

    /// Returns the contribution to Σ α w_i since the last touch of coordinate `i`, where Z_i = `z`.
    pub(super) fn since(&self, i: usize, z: f64) -> f64 {
        if !self.queue.contains(i) {
            return 0.0;
        }
        let [p, q] = [0, 1].map(|k| (self.passed[k] - self.marks[i][k]) * self.unit);
        -z.signum() * (z.abs() * p - self.l1 * q).max(0.0)
    }

    /// Returns the contribution to Σ α w_i² since the last touch of coordinate `i`, where Z_i = `z`; 0 if squares are
    /// not needed.
    pub(super) fn squares_since(&self, i: usize, z: f64) -> f64 {
        if self.square_marks.is_empty() || !self.queue.contains(i) {
            return 0.0;
        }
        let [p, q, r] = [0, 1, 2].map(|k| self.square_passed[k] - self.square_marks[i][k]);
        // Multiplies factor by factor, starting with those that may be 0, since the product of the others may overflow.
        let times = |sum: f64, a: f64, b: f64| sum * self.unit * a * self.unit * b;
        (times(p, z, z) - 2.0 * times(q, z.abs(), self.l1) + times(r, self.l1, self.l1)).max(0.0)
    }

    /// Brings the sums of coordinate `i` up to date, before its Z_i changes from `z` or the coordinate becomes 0.
    pub(super) fn settle(&mut self, i: usize, z: f64) {
        let added = self.since(i, z);
        self.squares += self.squares_since(i, z);
        self.sizes += added.abs();
        self.sum[i] += added;
        self.marks[i] = self.passed;
        if let Some(mark) = self.square_marks.get_mut(i) {
            *mark = self.square_passed;
        }
    }

    /// Whether the sums over rounds far exceed those that the latest rate alone would have given, so that the
    /// contributions of the latest rounds lose precision.
    pub(super) fn are_stale(&self, total: f64, rate: f64) -> bool {
        let rate = rate / self.unit;
        let squares = !self.square_marks.is_empty() && self.square_passed[0] > STALE * total * rate * rate;
        squares || self.passed[0] > STALE * total * rate
    }

    /// Brings all coordinates up to date and restarts the sums over rounds at 0. O(d).
    pub(super) fn rebase(&mut self, z: impl Fn(usize) -> f64) {
        for i in 0..self.sum.len() {
            self.settle(i, z(i));
        }
        (self.passed, self.square_passed) = ([0.0; 2], [0.0; 3]);
        self.marks.fill([0.0; 2]);
        self.square_marks.fill([0.0; 3]);
    }
}
