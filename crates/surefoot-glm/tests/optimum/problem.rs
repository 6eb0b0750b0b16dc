//! Small random problem for every loss, shared by the tests of optima.

use surefoot_glm::{
    Bounds, Loss,
    optimum::{Examples, Goal, Optimum, optimise},
};

/// Rows, each as (label, weight, column indices of nonzeros, their values).
pub(super) type Rows = Vec<(f64, f64, Vec<u32>, Vec<f64>)>;

/// Pseudo-random numbers in [−1, 1), by the linear congruential generator of Knuth's MMIX.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1 << 30) - 1.0
    }
}

/// Returns a valid label for the loss that increases with the score.
pub(super) fn label(loss: Loss, score: f64) -> f64 {
    match loss {
        Loss::Logistic | Loss::Hinge | Loss::SquaredHinge | Loss::SmoothedHinge => f64::from(score > 0.0) * 2.0 - 1.0,
        Loss::Squared => 10.0 * score,
        Loss::Huber { .. } | Loss::Absolute | Loss::Quantile { .. } => score,
        Loss::Poisson | Loss::Tweedie { .. } => libm::exp(score).floor(),
        Loss::Gamma => libm::exp(score),
        Loss::Softmax | Loss::Ovr => (score + 1.5).clamp(0.0, 2.0).floor(),
    }
}

/// Returns 60 rows with weights 1, 2 and ½ and five columns: a dense one, a dense one with mean 3, and three with
/// missing values.
pub(super) fn rows(loss: Loss) -> Rows {
    let mut dice = Dice(7);
    (0..60)
        .map(|i| {
            let x: [f64; 5] = std::array::from_fn(|j| {
                let x = dice.unit();
                match j {
                    0 => x,
                    1 => 3.0 + x,
                    _ if dice.unit() > 0.3 => x,
                    _ => 0.0,
                }
            });
            let score = x[0] - 0.5 * (x[1] - 3.0) + 2.0 * x[2] - x[3] + dice.unit();
            let columns: Vec<u32> = (0..5).filter(|&j| x[j as usize] != 0.0).collect();
            let values = columns.iter().map(|&j| x[j as usize]).collect();
            (label(loss, score), [1.0, 2.0, 0.5][i % 3], columns, values)
        })
        .collect()
}

pub(super) fn examples(rows: &[(f64, f64, Vec<u32>, Vec<f64>)]) -> Examples {
    let mut examples = Examples::default();
    rows.iter().for_each(|(label, weight, column, value)| examples.push(*label, *weight, 0.0, column, value));
    examples
}

pub(super) fn goal(loss: Loss, l1: f64, l2: f64, intercept: bool) -> Goal<'static> {
    Goal { loss, classes: 1, l1, l2, bounds: Bounds::FREE, rules: &[], intercept, tolerance: 1e-6, threads: 2 }
}

pub(super) fn optimum(examples: &Examples, goal: &Goal) -> Optimum {
    optimise(examples, goal, (&[], &[]), &|| false, &mut |_| ()).expect("rows with weight")
}

/// Returns bounds of at least 0 if `nonnegative`, otherwise no bounds.
pub(super) fn at_least_0(nonnegative: bool) -> Bounds {
    if nonnegative { Bounds::NONNEGATIVE } else { Bounds::FREE }
}

/// Returns the loss of label `y` at margin `m`, written independently of the tested code.
pub(super) fn value(loss: Loss, y: f64, m: f64) -> f64 {
    let short = (1.0 - y * m).max(0.0);
    match loss {
        Loss::Logistic | Loss::Softmax | Loss::Ovr => (-y * m).max(0.0) + (-(y * m).abs()).exp().ln_1p(),
        Loss::Squared => (m - y) * (m - y) / 2.0,
        Loss::Huber { delta } if (m - y).abs() > delta => delta * (m - y).abs() - delta * delta / 2.0,
        Loss::Huber { .. } => (m - y) * (m - y) / 2.0,
        Loss::Absolute => (m - y).abs(),
        Loss::Quantile { tau } => (tau * (y - m)).max((1.0 - tau) * (m - y)),
        Loss::Hinge => short,
        Loss::SquaredHinge => short * short,
        Loss::SmoothedHinge => {
            if short > 1.0 {
                short - 0.5
            } else {
                short * short / 2.0
            }
        }
        Loss::Poisson => m.exp() - y * m,
        Loss::Gamma => y * (-m).exp() + m,
        Loss::Tweedie { power: p } => y * (-(p - 1.0) * m).exp() / (p - 1.0) + ((2.0 - p) * m).exp() / (2.0 - p),
    }
}

pub(super) fn objective(rows: &[(f64, f64, Vec<u32>, Vec<f64>)], goal: &Goal, weights: &[f64], intercept: f64) -> f64 {
    let total: f64 = rows.iter().map(|row| row.1).sum();
    let one = |(y, weight, column, values): &(f64, f64, Vec<u32>, Vec<f64>)| {
        let margin: f64 = column.iter().zip(values).map(|(&j, x)| weights.get(j as usize).unwrap_or(&0.0) * x).sum();
        weight / total * value(goal.loss, *y, margin + intercept)
    };
    let factor = |j: usize| goal.rules.get(j).map_or(1.0, |rule| rule.factor);
    let penalty = weights.iter().enumerate().map(|(j, w)| factor(j) * (goal.l1 * w.abs() + goal.l2 / 2.0 * w * w));
    rows.iter().map(one).sum::<f64>() + penalty.sum::<f64>()
}
