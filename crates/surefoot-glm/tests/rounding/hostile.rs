//! Random problems that are prone to rounding errors: columns with means far above their standard deviations, duplicates, weights and
//! offsets of very different sizes, very small penalties.

use std::fmt;
use surefoot_glm::{
    Bounds, Loss, Rule,
    optimum::{Examples, Goal},
};

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) label: f64,
    pub(super) weight: f64,
    pub(super) offset: f64,
    pub(super) x: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) loss: Loss,
    pub(super) classes: usize,
    pub(super) rows: Vec<Row>,
    pub(super) l1: f64,
    pub(super) l2: f64,
    pub(super) bounds: Bounds,
    pub(super) rules: Vec<Rule>,
    pub(super) intercept: bool,
    /// Ratio of the mean of each column to its spread; 0 for columns centred at 0.
    pub(super) ratio: f64,
}

/// Pseudo-random number generator SplitMix64.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn is(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a random number in [−1, 1).
    fn both(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}

const LOSSES: [Loss; 14] = [
    Loss::Logistic,
    Loss::Squared,
    Loss::Huber { delta: 0.5 },
    Loss::Absolute,
    Loss::Quantile { tau: 0.8 },
    Loss::Hinge,
    Loss::SquaredHinge,
    Loss::SmoothedHinge,
    Loss::Poisson,
    Loss::Gamma,
    Loss::Tweedie { power: 1.5 },
    Loss::Softmax,
    Loss::Ovr,
    Loss::Logistic,
];

impl Problem {
    pub(super) fn of(case: u64) -> Problem {
        let mut dice = Dice(case);
        let loss = LOSSES[case as usize % LOSSES.len()];
        let classes = if matches!(loss, Loss::Softmax | Loss::Ovr) { 3 } else { 1 };
        let ratio = [0.0, 1.0, 1e3, 1e6, 1e8, 1e10, 1e12, 1e14, 1e15][dice.below(9)];
        let (count, width) = (4 + dice.below(18), 1 + dice.below(3));
        let unit: Vec<f64> =
            (0..width).map(|_| if dice.is(0.2) { 10_f64.powi(dice.below(13) as i32 - 6) } else { 1.0 }).collect();
        // Weights that are far apart or, as in a third of the cases, all 1.
        let spread = [0, 0, 3, 12][dice.below(4)];
        let with_offsets = classes == 1 && dice.is(0.2);
        let mut rows: Vec<Row> = Vec::new();
        for _ in 0..count {
            if !rows.is_empty() && dice.is(0.15) {
                let again = rows[dice.below(rows.len())].clone();
                rows.push(again);
                continue;
            }
            let noise: Vec<f64> = (0..width).map(|_| dice.both()).collect();
            let holes: Vec<bool> = (0..width).map(|_| ratio == 0.0 && dice.is(0.4)).collect();
            let x = (0..width).map(|j| if holes[j] { 0.0 } else { (ratio + noise[j]) * unit[j] }).collect();
            let score = 1.5 * noise[0] - noise[width - 1] + 0.7 * dice.both();
            let weight = if spread == 0 { 1.0 } else { 10_f64.powf(spread as f64 * dice.both()) };
            let offset = if with_offsets { dice.both() } else { 0.0 };
            rows.push(Row { label: label(loss, score), weight, offset, x });
        }
        if width > 1 && dice.is(0.15) {
            rows.iter_mut().for_each(|row| row.x[1] = row.x[0]);
        }
        let l2 = [1e-15, 1e-9, 1e-6, 1e-3, 0.1, 1.0][dice.below(6)];
        let (l1, l2) = [(0.0, l2), (0.0, l2), (0.0, l2), (1e-3, l2), (0.05, 0.0), (1e-6, 0.0)][dice.below(6)];
        let bounds = if dice.is(0.1) { Bounds::NONNEGATIVE } else { Bounds::FREE };
        // One weight of several without a penalty, or with a faint one.
        let mut rules = Vec::new();
        if width > 1 && dice.is(0.15) {
            let factor = if dice.is(0.5) { 0.0 } else { 1e-3 };
            rules = (0..width).map(|j| Rule { factor: if j == 0 { factor } else { 1.0 }, bounds }).collect();
        }
        Problem { loss, classes, rows, l1, l2, bounds, rules, intercept: dice.is(0.8), ratio }
    }

    /// Returns a logistic regression problem of twenty rows and two columns, whose values are `far` ± 1, with l2 = 1e-3.
    pub(super) fn twenty(far: f64, seed: u64) -> Problem {
        let mut dice = Dice(seed);
        let mut row = |_: u32| {
            let noise = [dice.both(), dice.both()];
            let label = (noise[0] - noise[1] + dice.both()).signum();
            Row { label, weight: 1.0, offset: 0.0, x: noise.iter().map(|noise| far + noise).collect() }
        };
        let rows = (0..20).map(&mut row).collect();
        let (bounds, rules) = (Bounds::FREE, Vec::new());
        Problem {
            loss: Loss::Logistic,
            classes: 1,
            rows,
            l1: 0.0,
            l2: 1e-3,
            bounds,
            rules,
            intercept: true,
            ratio: far,
        }
    }

    pub(super) fn examples(&self) -> Examples {
        let mut examples = Examples::default();
        for row in &self.rows {
            let filled: Vec<u32> = (0..row.x.len() as u32).filter(|&j| row.x[j as usize] != 0.0).collect();
            let values: Vec<f64> = filled.iter().map(|&j| row.x[j as usize]).collect();
            examples.push(row.label, row.weight, row.offset, &filled, &values);
        }
        examples
    }

    pub(super) fn goal(&self) -> Goal<'_> {
        let Problem { loss, classes, l1, l2, bounds, intercept, .. } = *self;
        Goal { loss, classes, l1, l2, bounds, rules: &self.rules, intercept, tolerance: 1e-12, threads: 1 }
    }

    pub(super) fn factor(&self, column: usize) -> f64 {
        self.rules.get(column).map_or(1.0, |rule| rule.factor)
    }

    /// Whether the objective is differentiable in a weight of this column at 0: no l1 penalty and no bounds.
    pub(super) fn is_smooth(&self, column: usize) -> bool {
        self.bounds == Bounds::FREE && self.l1 * self.factor(column) == 0.0
    }

    /// Whether a useful certificate is required: true if mean/spread is at most 1e6, unless docs/certificates.md excludes the problem.
    /// Excluded are softmax under an L1 penalty alone on columns far from 0 without an intercept, which leaves no dual point that is
    /// feasible to the last digits; and losses with a kink, if there is no intercept and mean/spread is above 1e3, or if row weights differ
    /// by more than 1/ε, where ε is the rounding error of f64.
    pub(super) fn is_fair(&self) -> bool {
        let weights = || self.rows.iter().map(|row| row.weight);
        let apart = weights().fold(0.0, f64::max) / weights().fold(f64::INFINITY, f64::min);
        let has_kink = matches!(self.loss, Loss::Hinge | Loss::Absolute | Loss::Quantile { .. });
        let farthest = match self.loss {
            Loss::Softmax if self.l2 == 0.0 => 1.0,
            _ if has_kink => 1e3,
            _ => 1e6,
        };
        let is_limited = !self.intercept && self.ratio > farthest || has_kink && apart > 1.0 / f64::EPSILON;
        self.ratio <= 1e6 && !is_limited
    }

    /// Whether all weights are penalised.
    pub(super) fn is_held(&self) -> bool {
        self.rules.iter().all(|rule| rule.factor > 0.0)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { loss, rows, l1, l2, intercept, ratio, .. } = self;
        let weights =
            rows.iter().map(|row| row.weight).fold((f64::INFINITY, 0.0_f64), |(a, b), w| (a.min(w), b.max(w)));
        let factors: Vec<f64> = self.rules.iter().map(|rule| rule.factor).collect();
        write!(
            f,
            "{loss:?}, {} rows of {}, l1 {l1:e}, l2 {l2:e}, factors {factors:?}, {}intercept, {}, mean/spread {ratio:e}, weights {:e} to {:e}",
            rows.len(),
            rows[0].x.len(),
            if *intercept { "" } else { "no " },
            if self.bounds == Bounds::FREE { "free" } else { "at least 0" },
            weights.0,
            weights.1
        )
    }
}

/// Returns a valid label for the loss that increases with the score.
fn label(loss: Loss, score: f64) -> f64 {
    match loss {
        Loss::Squared | Loss::Huber { .. } | Loss::Absolute | Loss::Quantile { .. } => score,
        Loss::Poisson | Loss::Tweedie { .. } => score.exp().floor(),
        Loss::Gamma => score.exp(),
        Loss::Softmax | Loss::Ovr => (score + 1.5).clamp(0.0, 2.0).floor(),
        _ => score.signum(),
    }
}
