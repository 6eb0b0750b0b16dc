//! What coordinates that rest, but move with a penalty, add to their averages.

use super::queue::Queue;
use crate::squares::binade;

/// How much the rates may sum to, against what the latest alone would have made it.
const STALE: f64 = 32.0;

/// Σ α_t w_t, by coordinate, as of its last touch, and the sums over rounds that bring it up to date.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    l1: f64,
    /// A power of two, in which rates are counted: those of tiny gradients have no squares.
    unit: f64,
    pub(super) sum: Vec<f64>,
    /// P and Q, and what they were at the last touch.
    passed: [f64; 2],
    marks: Vec<[f64; 2]>,
    /// Σ α ρ², Σ α A ρ², Σ α A² ρ², the same for squares; no marks unless wanted.
    square_passed: [f64; 3],
    pub(super) square_marks: Vec<[f64; 3]>,
    /// Σ α ‖w‖₁ and Σ α ‖w‖², as of the last touches.
    pub(super) sizes: f64,
    pub(super) squares: f64,
    /// The coordinates that are not 0.
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

    /// A round with this weight, sum of weights and rate. While the rate is 0 nothing moves.
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

    /// What coordinate `i` with Z = `z` has added since its last touch.
    pub(super) fn since(&self, i: usize, z: f64) -> f64 {
        if !self.queue.contains(i) {
            return 0.0;
        }
        let [p, q] = [0, 1].map(|k| (self.passed[k] - self.marks[i][k]) * self.unit);
        -z.signum() * (z.abs() * p - self.l1 * q).max(0.0)
    }

    /// The same for its squares; 0 unless wanted.
    pub(super) fn squares_since(&self, i: usize, z: f64) -> f64 {
        if self.square_marks.is_empty() || !self.queue.contains(i) {
            return 0.0;
        }
        let [p, q, r] = [0, 1, 2].map(|k| self.square_passed[k] - self.square_marks[i][k]);
        // Factor by factor, from what may be 0 on: the others may not have a product.
        let times = |sum: f64, a: f64, b: f64| sum * self.unit * a * self.unit * b;
        (times(p, z, z) - 2.0 * times(q, z.abs(), self.l1) + times(r, self.l1, self.l1)).max(0.0)
    }

    /// Coordinate `i` is about to leave `z`, or to be 0.
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

    /// Whether the sums over rounds are far above what the latest rate alone would have made them, so that what the
    /// latest rounds add to them loses digits.
    pub(super) fn are_stale(&self, total: f64, rate: f64) -> bool {
        let rate = rate / self.unit;
        let squares = !self.square_marks.is_empty() && self.square_passed[0] > STALE * total * rate * rate;
        squares || self.passed[0] > STALE * total * rate
    }

    /// Brings all coordinates up to date and begins the sums over rounds anew. O(d).
    pub(super) fn rebase(&mut self, z: impl Fn(usize) -> f64) {
        for i in 0..self.sum.len() {
            self.settle(i, z(i));
        }
        (self.passed, self.square_passed) = ([0.0; 2], [0.0; 3]);
        self.marks.fill([0.0; 2]);
        self.square_marks.fill([0.0; 3]);
    }
}
