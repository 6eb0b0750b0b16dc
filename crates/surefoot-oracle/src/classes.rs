//! The one-pass trainer of many classes, written directly from its definition: the [`trainer`](crate::trainer) with one vector per class.
//!
//! Class c has its own θ, S, M and n per coordinate, all 0 until the first row of the class. For lane k (one of the learners trained side by
//! side), m_c denotes the margin of class c at the lane's output point, and q_c the margin at 0.4·x_t + 0.6·w_t. The gradient in q_c is
//! p_c − \[c = y\], with p_c = e^(q_c)/Σ e^(q_j) for softmax and p_c = 1/(1 + e^(−q_c)) for one-vs-rest. A lane is charged the loss of its m, and the loss of one
//! pseudo-row: for softmax labelled with the second likeliest class, for one-vs-rest with every class on the wrong side. The first row of a
//! class is scored and charged with margin 0 for this class beside those of the known classes.
//! Stacking (`stacking.rs`) has one coefficient per lane for all classes.
//!
//! The constant prediction has the margin ln(2·N_c + 1) of class c for softmax, where N_c is the weight of its rows in units of the largest
//! weight, and ln((N_c + ½)/(Σ N − N_c + ½)) for one-vs-rest; 0 for a class without rows.

use crate::stacking::{ClassLoss, Stacking, beyond};
use crate::trainer::{Row, Shares, Told, intercept};

/// Loss of a class label y (a class number) and the margins m_c of all classes c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Softmax loss ln Σ_j e^(m_j) − m_y.
    Softmax,
    /// One-vs-rest loss Σ_c ln(1 + e^(∓m_c)), with −m_c for the class c = y and +m_c for the others.
    Ovr,
}

impl Loss {
    /// Returns the loss for the label y and the margins of all classes.
    pub fn value(self, y: usize, margins: &[f64]) -> f64 {
        match self {
            Loss::Softmax => margins.iter().map(|m| (m - margins[y]).exp()).sum::<f64>().ln(),
            Loss::Ovr => margins.iter().enumerate().map(|(c, m)| (1.0 + signed(c == y, *m).exp()).ln()).sum(),
        }
    }

    /// Returns the derivatives of the loss with respect to the margins of all classes.
    pub fn gradient(self, y: usize, margins: &[f64]) -> Vec<f64> {
        let sum: f64 = margins.iter().map(|m| m.exp()).sum();
        let p = |m: f64| match self {
            Loss::Softmax => m.exp() / sum,
            Loss::Ovr => 1.0 / (1.0 + (-m).exp()),
        };
        margins.iter().enumerate().map(|(c, &m)| p(m) - f64::from(c == y)).collect()
    }

    /// Returns the loss of a pseudo-row, a hypothetical row with these margins and a wrong label: for softmax the class with the second
    /// largest margin, for one-vs-rest every class on the wrong side.
    fn doubt(self, margins: &[f64]) -> f64 {
        let mut order: Vec<usize> = (0..margins.len()).collect();
        order.sort_by(|&a, &b| margins[b].total_cmp(&margins[a]));
        match (self, order.as_slice()) {
            (Loss::Softmax, [_, second, ..]) => self.value(*second, margins),
            (Loss::Softmax, _) => 0.0,
            (Loss::Ovr, _) => margins.iter().map(|m| (1.0 + m.abs().exp()).ln()).sum(),
        }
    }
}

impl ClassLoss for Loss {
    fn value(&self, y: f64, margins: &[f64]) -> f64 {
        Loss::value(*self, y as usize, margins)
    }

    fn doubt(&self, margins: &[f64]) -> f64 {
        Loss::doubt(*self, margins)
    }

    fn gradient(&self, y: f64, margins: &[f64]) -> Vec<f64> {
        Loss::gradient(*self, y as usize, margins)
    }

    fn hessian(&self, _: f64, margins: &[f64]) -> Vec<Vec<f64>> {
        let sum: f64 = margins.iter().map(|m| m.exp()).sum();
        let p = |m: f64| match self {
            Loss::Softmax => m.exp() / sum,
            Loss::Ovr => 1.0 / (1.0 + (-m).exp()),
        };
        let entry = |c: usize, d: usize| match self {
            Loss::Softmax => f64::from(c == d) * p(margins[c]) - p(margins[c]) * p(margins[d]),
            Loss::Ovr => f64::from(c == d) * (p(margins[c]) * (1.0 - p(margins[c]))).max(1e-4),
        };
        (0..margins.len()).map(|c| (0..margins.len()).map(|d| entry(c, d)).collect()).collect()
    }
}

fn signed(right: bool, m: f64) -> f64 {
    if right { -m } else { m }
}

/// State of one class: per coordinate, its sums over past gradients for every lane (one of the learners trained side by side).
struct Class {
    unit: Vec<f64>,
    touches: Vec<f64>,
    /// Sum S of squared gradients, one vector per lane.
    squares: Vec<Vec<f64>>,
    /// Sum θ of the negative gradients, one vector per lane; [`Class::past`] holds the iterates of all past rounds of each lane, oldest
    /// first.
    theta: Vec<Vec<f64>>,
    past: Vec<Vec<Vec<f64>>>,
}

impl Class {
    fn new(lanes: usize, d: usize, rounds: usize) -> Class {
        let zeros = || vec![0.0; d];
        let (squares, theta, past) = (vec![zeros(); lanes], vec![zeros(); lanes], vec![vec![zeros(); rounds]; lanes]);
        Class { unit: zeros(), touches: zeros(), squares, theta, past }
    }

    /// Computes and stores the iterate of each lane for the next round; returns for each lane the average of its iterates and the iterate,
    /// both multiplied by the lane's scale.
    fn points(&mut self, scales: &[f64]) -> Vec<(Vec<f64>, Vec<f64>)> {
        let touches = &self.touches;
        let lanes = self.theta.iter().zip(&self.squares).zip(&mut self.past).zip(scales);
        lanes
            .map(|(((theta, squares), past), scale)| {
                let iterate = |j: usize| match squares[j] {
                    0.0 => 0.0,
                    s => theta[j] / (s * (1.0 + 4.0 / touches[j])).sqrt(),
                };
                past.push((0..theta.len()).map(iterate).collect());
                let scaled = |v: &[f64]| v.iter().map(|x| x * scale).collect::<Vec<f64>>();
                (scaled(&average(past)), scaled(&past[past.len() - 1]))
            })
            .collect()
    }

    /// Rescales the gradient sums of each coordinate whose value in the row exceeds all previous ones, and counts the nonzeros of the row
    /// per coordinate.
    fn fit(&mut self, values: &[f64]) {
        for (j, x) in values.iter().enumerate() {
            if x.abs() > self.unit[j] {
                let r = self.unit[j] / x.abs();
                self.theta.iter_mut().for_each(|theta| theta[j] *= r);
                self.squares.iter_mut().for_each(|squares| squares[j] *= r * r);
                self.unit[j] = x.abs();
            }
            self.touches[j] += f64::from(*x != 0.0);
        }
    }
}

fn average(past: &[Vec<f64>]) -> Vec<f64> {
    let total = |t: usize| (t as f64).powf(1.5);
    let sum = |j: usize| past.iter().enumerate().map(|(s, w)| (total(s + 1) - total(s)) * w[j]).sum::<f64>();
    (0..past[0].len()).map(|j| sum(j) / total(past.len())).collect()
}

/// Trains on all rows; labels are class numbers 0, 1, … in order of first occurrence. In the result, `margins` and `weights` list the values
/// of class 0, then those of class 1, and so on.
pub fn train(loss: Loss, scales: &[f64], rows: &[Row]) -> Told {
    let (lanes, d) = (scales.len(), rows[0].values.len());
    let mut classes: Vec<Class> = Vec::new();
    let (mut charges, mut doubts) = (Vec::new(), Vec::new());
    let (mut unit, mut stacking) = (0.0, Stacking::new(lanes + 1));
    let mut told = Told::default();
    for (t, row) in rows.iter().enumerate() {
        let y = row.label as usize;
        let new = y == classes.len();
        if new {
            classes.push(Class::new(lanes, d, t));
        }
        let points: Vec<_> = classes.iter_mut().map(|class| class.points(scales)).collect();
        let before = shares(&charges, &doubts, &rows[..t], scales);
        let constants = constants(loss, &rows[..t], classes.len());
        told.shares = before.of_lanes();
        let correction = stacking.correction();
        let coefficients: Vec<f64> = told.shares.iter().zip(&correction).map(|(p, b)| p + b).collect();
        let share = before.constant + correction[lanes];
        for ((class, points), constant) in classes.iter().zip(&points).zip(&constants) {
            let weights = mixture(&coefficients, points, &class.unit);
            let margin: f64 = weights.iter().zip(&row.values).map(|(w, x)| w * x).sum();
            told.margins.push(margin + share * constant);
        }
        // Lanes are charged the losses before any M grows, but those of the pseudo-row afterwards.
        let known =
            |c: usize, j: usize| if classes[c].unit[j] > 0.0 { row.values[j] / classes[c].unit[j] } else { 0.0 };
        let full = |c: usize, v: &[f64]| v.iter().enumerate().map(|(j, v)| v * known(c, j)).sum::<f64>();
        let outputs = |k: usize| (0..classes.len()).map(|c| full(c, &points[c][k].0)).collect::<Vec<f64>>();
        let unclipped: Vec<Vec<f64>> = (0..lanes).map(outputs).chain([constants.clone()]).collect();
        classes.iter_mut().for_each(|class| class.fit(&row.values));
        let relative = |c: usize, j: usize| if row.values[j] == 0.0 { 0.0 } else { row.values[j] / classes[c].unit[j] };
        let dot = |c: usize, v: &[f64]| v.iter().enumerate().map(|(j, v)| v * relative(c, j)).sum::<f64>();
        let outputs = |k: usize| (0..classes.len()).map(|c| dot(c, &points[c][k].0)).collect::<Vec<f64>>();
        let members: Vec<Vec<f64>> = (0..lanes).map(outputs).chain([constants]).collect();
        let queries = |k: usize| {
            let query = |c: usize| 0.4 * dot(c, &points[c][k].0) + 0.6 * dot(c, &points[c][k].1);
            (0..classes.len()).map(query).collect::<Vec<f64>>()
        };
        let charge = |(full, clipped): (&Vec<f64>, &Vec<f64>)| beyond(loss.value(y, full), loss.value(y, clipped));
        charges.push(unclipped.iter().zip(&members).map(charge).collect::<Vec<f64>>());
        doubts.push(members.iter().map(|margins| loss.doubt(margins)).collect::<Vec<f64>>());
        let by_class = |all: &[Vec<f64>]| -> Vec<Vec<f64>> {
            (0..classes.len()).map(|c| all.iter().map(|margins| margins[c]).collect()).collect()
        };
        let all: Vec<f64> = told.shares.iter().copied().chain([before.constant]).collect();
        let sum = |of: &dyn Fn(&Row) -> f64| {
            rows[..=t].iter().enumerate().map(|(s, row)| ((s + 2) * (s + 3)) as f64 * of(row)).sum::<f64>()
        };
        let weight = row.weight / (sum(&|row| row.weight) / sum(&|_| 1.0));
        stacking.learn(&loss, row.label, [&by_class(&members), &by_class(&unclipped)], &all, weight);
        let mut gradients: Vec<Vec<f64>> =
            (0..lanes).map(|k| loss.gradient(y, &queries(k)).into_iter().map(|g| row.weight * g).collect()).collect();
        if unit == 0.0 {
            unit = gradients.iter().flatten().fold(0.0_f64, |largest, g| largest.max(g.abs()));
        }
        let small = |g: &&mut f64| g.abs() < unit * 2f64.powi(-30);
        gradients.iter_mut().flatten().filter(small).for_each(|g| *g = 0.0);
        let relatives: Vec<Vec<f64>> = (0..classes.len()).map(|c| (0..d).map(|j| relative(c, j)).collect()).collect();
        for (c, class) in classes.iter_mut().enumerate() {
            for (k, gradients) in gradients.iter().enumerate() {
                let g = gradients[c];
                (0..d).for_each(|j| class.theta[k][j] -= g * relatives[c][j]);
                (0..d).for_each(|j| class.squares[k][j] += (g * relatives[c][j]).powi(2));
            }
        }
    }
    let after = shares(&charges, &doubts, rows, scales);
    let constants = constants(loss, rows, classes.len());
    told.shares = after.of_lanes();
    let correction = stacking.correction();
    let coefficients: Vec<f64> = told.shares.iter().zip(&correction).map(|(p, b)| p + b).collect();
    let share = after.constant + correction[lanes];
    for (class, constant) in classes.iter_mut().zip(constants) {
        let points = class.points(scales);
        let mut weights = mixture(&coefficients, &points, &class.unit);
        weights[0] += share * constant;
        told.weights.extend(weights);
    }
    told
}

/// Returns the margins of the constant prediction after these rows, for the given number of classes; 0 without an intercept.
fn constants(loss: Loss, rows: &[Row], classes: usize) -> Vec<f64> {
    let largest = rows.iter().fold(0.0_f64, |largest, row| largest.max(row.weight));
    let total =
        |c: usize| -> f64 { rows.iter().filter(|row| row.label as usize == c).map(|row| row.weight / largest).sum() };
    let all: f64 = rows.iter().map(|row| row.weight / largest).sum();
    let margin = |c: usize| match (loss, total(c)) {
        _ if !rows.first().is_none_or(intercept) => 0.0,
        (_, 0.0) => 0.0,
        (Loss::Softmax, total) => (2.0 * total).ln_1p(),
        (Loss::Ovr, total) => ((total + 0.5) / (all - total + 0.5)).ln(),
    };
    (0..classes).map(margin).collect()
}

/// Returns the shares in the model, proportional to exp(−sum of charges). The charges are the losses of each lane and, last, of the
/// constant prediction on the rows, late rows counting more, plus the mean loss on pseudo-rows (hypothetical rows with wrong labels), given
/// in `doubts`.
fn shares(charges: &[Vec<f64>], doubts: &[Vec<f64>], rows: &[Row], scales: &[f64]) -> Shares {
    let age = |s: usize, t: usize| ((s + 2) * (s + 3)) as f64 / ((t + 2) * (t + 3)) as f64;
    let start = 2.0 / ((rows.len() + 1) * (rows.len() + 2)) as f64;
    let mut statistic: Vec<f64> =
        scales.iter().map(|scale| start * 2.0 * (scale / scales[0]).ln()).chain([0.0]).collect();
    for t in 0..rows.len() {
        let sum = |of: &dyn Fn(usize) -> f64| (0..=t).map(|s| age(s, t) * of(s)).sum::<f64>();
        let weights = sum(&|s| rows[s].weight);
        let usual = weights / sum(&|_| 1.0);
        for (k, statistic) in statistic.iter_mut().enumerate() {
            *statistic += age(t, rows.len() - 1) * rows[t].weight / usual * charges[t][k];
            if t + 1 == rows.len() {
                *statistic += sum(&|s| rows[s].weight * doubts[s][k]) / weights;
            }
        }
    }
    Shares::of(&statistic, rows.first().is_none_or(intercept), 100.0 / rows.len().max(1) as f64)
}

/// Returns the weights Σ_k p_k x^k of the model for unscaled feature values, given the share p_k and the output point x^k of each lane k; 0
/// for features that have always been 0.
fn mixture(shares: &[f64], points: &[(Vec<f64>, Vec<f64>)], unit: &[f64]) -> Vec<f64> {
    let weight = |j: usize| shares.iter().zip(points).map(|(p, (x, _))| p * x[j]).sum::<f64>() / unit[j];
    (0..unit.len()).map(|j| if unit[j] > 0.0 { weight(j) } else { 0.0 }).collect()
}
