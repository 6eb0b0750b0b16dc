//! Lazily updated sums of the iterates of a learner whose L1 penalty shrinks every coordinate in each round.

use super::queue::Queue;
use crate::squares::binade;

/// Threshold for a rebase (an O(d) update of all coordinates): the largest ratio of the weighted sum of learning rates
/// to the sum if all rates had been equal to the latest one.
const STALE: f64 = 32.0;

/// The weighted sums Σ α_t w_t of a penalised learner's iterates, each coordinate as of its last update, and sums over
/// rounds that bring them up to date. A coordinate is updated when it has a gradient or becomes 0; between updates w_j
/// = −sgn(Z_j)(|Z_j| − A_t·l1)·ρ_t, with the gradient sum Z_j, the sum of weights A_t, the strength l1 of the L1
/// penalty, and a learning rate ρ_t common to all coordinates.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// Strength of the L1 penalty in the learner's objective.
    l1: f64,
    /// A power of two by which the learning rates ρ are divided, so that squares of tiny rates do not underflow.
    unit: f64,
    /// Weighted sum of iterates Σ α_t w_t, each coordinate as of its last update.
    pub(super) sum: Vec<f64>,
    /// The sums Σ α_t ρ_t and Σ α_t A_t ρ_t over rounds since the last rebase (update of all coordinates), for round
    /// weights α_t, their sums A_t, and learning rates ρ_t divided by `unit`.
    passed: [f64; 2],
    /// For each coordinate, the value of `passed` at its last update.
    marks: Vec<[f64; 2]>,
    /// The sums Σ α_t ρ_t², Σ α_t A_t ρ_t² and Σ α_t A_t² ρ_t² over rounds since the last rebase (update of all
    /// coordinates), for round weights α_t, their sums A_t, and learning rates ρ_t divided by `unit`.
    square_passed: [f64; 3],
    /// For each coordinate, the value of `square_passed` at its last update; empty if sums of squared iterates are not
    /// needed.
    pub(super) square_marks: Vec<[f64; 3]>,
    /// Weighted sum of the L1 norms of iterates, Σ α_t ‖w_t‖₁. Each coordinate contributes the rounds up to its last
    /// update; the later ones are added at its next update.
    pub(super) sizes: f64,
    /// Weighted sum of the squared norms of iterates, Σ α_t ‖w_t‖². Each coordinate contributes the rounds up to its
    /// last update.
    pub(super) squares: f64,
    /// The nonzero coordinates of the iterate, ordered by |Z_j|, where Z is the sum of weighted gradients.
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

    /// Adds a round of weight `weight` with learning rate `rate` to the sums over rounds; `total` is the sum of weights
    /// including this round. A rate of 0 changes nothing, since the iterate is then 0.
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

    /// Returns the contribution to Σ α_t w_{t,i} of the rounds since the last update of coordinate `i`, whose gradient
    /// sum Z_i is `z`.
    pub(super) fn since(&self, i: usize, z: f64) -> f64 {
        if !self.queue.contains(i) {
            return 0.0;
        }
        let [p, q] = [0, 1].map(|k| (self.passed[k] - self.marks[i][k]) * self.unit);
        -z.signum() * (z.abs() * p - self.l1 * q).max(0.0)
    }

    /// Returns the contribution to Σ α_t w_{t,i}² of the rounds since the last update of coordinate `i`, whose gradient
    /// sum Z_i is `z`; 0 if sums of squares are not kept.
    pub(super) fn squares_since(&self, i: usize, z: f64) -> f64 {
        if self.square_marks.is_empty() || !self.queue.contains(i) {
            return 0.0;
        }
        let [p, q, r] = [0, 1, 2].map(|k| self.square_passed[k] - self.square_marks[i][k]);
        // Multiplies factor by factor, starting with those that may be 0, since the product of the others may overflow.
        let times = |sum: f64, a: f64, b: f64| sum * self.unit * a * self.unit * b;
        (times(p, z, z) - 2.0 * times(q, z.abs(), self.l1) + times(r, self.l1, self.l1)).max(0.0)
    }

    /// Brings the sums of coordinate `i` up to date. Must be called before its gradient sum changes from `z`, and
    /// before the coordinate becomes 0.
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

    /// Whether the sums over rounds are so large, relative to what the latest learning rate `rate` contributes, that
    /// the contributions of the latest rounds lose precision and all coordinates must be brought up to date.
    pub(super) fn are_stale(&self, total: f64, rate: f64) -> bool {
        let rate = rate / self.unit;
        let squares = !self.square_marks.is_empty() && self.square_passed[0] > STALE * total * rate * rate;
        squares || self.passed[0] > STALE * total * rate
    }

    /// Brings the sums of all coordinates up to date and restarts the sums over rounds at 0. `z(i)` returns the
    /// gradient sum of coordinate i. O(d).
    pub(super) fn rebase(&mut self, z: impl Fn(usize) -> f64) {
        for i in 0..self.sum.len() {
            self.settle(i, z(i));
        }
        (self.passed, self.square_passed) = ([0.0; 2], [0.0; 3]);
        self.marks.fill([0.0; 2]);
        self.square_marks.fill([0.0; 3]);
    }
}
