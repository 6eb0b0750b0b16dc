//! The one-pass trainer, written directly from its definition: vectors are dense, and all sums over the past are recomputed, in f64.
//!
//! Each lane k (one of the learners trained side by side) has a scale D_k. Coordinate j is divided by M_j, the largest |x_j| so far, and n_j
//! counts the rows in which it is nonzero. The iterate is w^k_{t,j} = θ^k_j/√(S^k_j(1 + 4/n_j)), and the average is
//! x^k_t = (1/A_t) Σ_{s≤t} α_s w^k_s with A_t = t^{3/2}. The lane's point is σ_t·D_k times the average. The label scale σ_t is the root
//! mean square of the labels before row t for squared loss, their mean absolute value for other losses of numbers, and 1 for classes and
//! with a log link.
//!
//! With a log link, labels are divided by the first positive label and margins are reduced by its logarithm. Every margin gets the logarithm
//! of the mean label before row t as an offset, or that of 1/t while all labels are 0. While they are, nothing else is learnt.
//!
//! The gradient g_k is taken at 0.4·x_t + 0.6·w_t, and S^k_j = Σ (g_k x_j/M_j)². When M_j grows by a factor r, θ_j is divided by r and S_j by
//! r², while the past of w_j stays unchanged: Theorem 1 does not cover this change of scale, nor that by σ. Gradients below 2⁻³⁰ times the first one count as 0.
//!
//! The model is Σ_k p_k x^k + p_0 c with p_k ∝ exp(−Σ_s ((s+1)(s+2))/((t+1)(t+2))·charge), where [`Loss`] defines the charge of a row, and the charge
//! of s = 0 is 2·ln(D_k/D_1). For classes a lane is also charged for one pseudo-row with its usual margin on the wrong side, and with a log
//! link for one with the first positive label as its label, at its usual margin or ln of that label if this is less. The constant
//! prediction c ([`constant`]), which is part of the model's intercept, is charged like a lane, from 0 at s = 0, and after t
//! rows 30/t less, for classes 100/t (for hinge losses at least ½·ln t − ln(1 + L) less, where L is the sum of its charges with the weights above); without an intercept p_0 = 0. With logistic loss, stacking of the lanes and the constant prediction (`stacking.rs`) is added.

use crate::stacking::{ClassLoss, Stacking, beyond};

/// Loss of a label y and a margin m.
///
/// It also defines the charge of a lane (one of the learners trained side by side) for a row, which lowers the lane's share in the model:
/// for classes, the loss. For other losses let z be the excess over the least loss of the label, divided by the typical excess (the mean
/// excess of the mixture, in the current scale and with the same discount of old rows); the charge is ln(1 + z) for squared loss, otherwise
/// z, or 10 + 10·ln(z/10) for z > 10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Logistic loss ln(1 + e^(−ym)).
    Logistic,
    /// Squared loss ½(m − y)².
    Squared,
    /// Huber loss with this threshold: ½(m − y)² for |m − y| up to the threshold, linear beyond.
    Huber(f64),
    /// Absolute loss |m − y|.
    Absolute,
    /// Pinball loss for the quantile level τ: τ(y − m) if m is below the label y, (1 − τ)(m − y) if above.
    Quantile(f64),
    /// Hinge loss max(0, 1 − ym).
    Hinge,
    /// Squared hinge loss max(0, 1 − ym)².
    SquaredHinge,
    /// Smoothed hinge loss: ½max(0, 1 − ym)² for ym ≥ 0, ½ − ym otherwise.
    SmoothedHinge,
    /// Poisson loss e^m − ym.
    Poisson,
    /// Gamma loss ye^(−m) + m.
    Gamma,
    /// Tweedie loss ye^((1−p)m)/(p − 1) + e^((2−p)m)/(2 − p), with this variance power p.
    Tweedie(f64),
}

impl Loss {
    /// Returns the loss for the label y and the margin m.
    pub fn value(self, y: f64, m: f64) -> f64 {
        let (r, lack) = (m - y, (1.0 - y * m).max(0.0));
        match self {
            Loss::Logistic => (-y * m).max(0.0) + (-(y * m).abs()).exp().ln_1p(),
            Loss::Squared => 0.5 * r * r,
            Loss::Huber(delta) if r.abs() < delta => 0.5 * r * r,
            Loss::Huber(delta) => delta * r.abs() - 0.5 * delta * delta,
            Loss::Absolute => r.abs(),
            Loss::Quantile(tau) => (-tau * r).max((1.0 - tau) * r),
            Loss::Hinge => lack,
            Loss::SquaredHinge => lack.powi(2),
            Loss::SmoothedHinge if y * m < 0.0 => 0.5 - y * m,
            Loss::SmoothedHinge => 0.5 * lack.powi(2),
            Loss::Poisson => m.exp() - y * m,
            Loss::Gamma => y / m.exp() + m,
            Loss::Tweedie(p) => y * m.exp().powf(1.0 - p) / (p - 1.0) + m.exp().powf(2.0 - p) / (2.0 - p),
        }
    }

    /// Returns the derivative of the loss with respect to the margin m; at a kink, a subgradient, where the sign of 0 is taken to be 0.
    pub fn derivative(self, y: f64, m: f64) -> f64 {
        let (r, lack) = (m - y, (1.0 - y * m).max(0.0));
        let sign = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
        let log_link = |p: f64| m.exp().powf(2.0 - p) - y * m.exp().powf(1.0 - p);
        match self {
            Loss::Logistic => -y / (1.0 + (y * m).exp()),
            Loss::Squared => r,
            Loss::Huber(delta) => r.max(-delta).min(delta),
            Loss::Absolute => sign(r),
            Loss::Quantile(tau) => 0.5 * sign(r) + (0.5 - tau) * sign(r).abs(),
            Loss::Hinge => -y * sign(lack),
            Loss::SquaredHinge => -2.0 * y * lack,
            Loss::SmoothedHinge => -y * lack.min(1.0),
            Loss::Poisson => log_link(1.0),
            Loss::Gamma => log_link(2.0),
            Loss::Tweedie(p) => log_link(p),
        }
    }

    /// Returns the variance power p of a loss with a log link (the label's variance is proportional to the pth power of its mean); `None`
    /// for other losses.
    fn power(self) -> Option<f64> {
        match self {
            Loss::Poisson => Some(1.0),
            Loss::Gamma => Some(2.0),
            Loss::Tweedie(p) => Some(p),
            _ => None,
        }
    }

    fn classifies(self) -> bool {
        self == Loss::Logistic || self.is_hinge()
    }

    fn is_hinge(self) -> bool {
        matches!(self, Loss::Hinge | Loss::SquaredHinge | Loss::SmoothedHinge)
    }

    /// Returns the excess of the loss at margin m over its minimum for the label y.
    fn excess(self, y: f64, m: f64) -> f64 {
        match self.power() {
            // The best margin for a label of 0 is −∞.
            Some(p) if y == 0.0 => m.exp().powf(2.0 - p) / (2.0 - p),
            Some(_) => self.value(y, m) - self.value(y, y.ln()),
            None => self.value(y, m),
        }
    }

    /// Clips a derivative to \[−f·μ^(1−p), f^(2−p)\] if the loss has a log link: f is e times the largest label so far, including that of
    /// `row` (e if all are 0), and μ is the mean label of the previous rows `before` (f if none is positive). Derivatives of other losses are
    /// returned unchanged.
    pub fn cut(self, derivative: f64, row: &Row, before: &[Row]) -> f64 {
        let Some(p) = self.power() else { return derivative };
        let largest = before.iter().map(|row| row.label).fold(row.label, f64::max);
        let far = std::f64::consts::E * if largest > 0.0 { largest } else { 1.0 };
        let mean = mean_label(before);
        let mean = if mean > 0.0 { mean } else { far };
        derivative.max(-far * mean.powf(1.0 - p)).min(far.powf(2.0 - p))
    }
}

impl ClassLoss for Loss {
    fn value(&self, y: f64, margins: &[f64]) -> f64 {
        Loss::value(*self, y, margins[0])
    }

    fn doubt(&self, margins: &[f64]) -> f64 {
        Loss::value(*self, 1.0, -margins[0].abs())
    }

    fn gradient(&self, y: f64, margins: &[f64]) -> Vec<f64> {
        vec![self.derivative(y, margins[0])]
    }

    fn hessian(&self, _: f64, margins: &[f64]) -> Vec<Vec<f64>> {
        let p = 1.0 / (1.0 + margins[0].exp());
        vec![vec![(p * (1.0 - p)).max(1e-4)]]
    }
}

/// Returns the mean label of the rows, weighted by their importance weights; 0 if there are none.
fn mean_label(rows: &[Row]) -> f64 {
    let weight: f64 = rows.iter().map(|row| row.weight).sum();
    if weight > 0.0 { rows.iter().map(|row| row.weight * row.label).sum::<f64>() / weight } else { 0.0 }
}

/// Training row.
#[derive(Clone, Debug)]
pub struct Row {
    /// Label of the row: a number, or ±1 for two classes, or a class number for many classes.
    pub label: f64,
    /// Importance weight of the row.
    pub weight: f64,
    /// Values of all features; the first is 1 in all rows for the intercept, or 0 in all rows without an intercept.
    pub values: Vec<f64>,
}

/// Predictions and final state of a trained model.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Margin that the model predicts for each row, before it learns the row.
    pub margins: Vec<f64>,
    /// Margins of the lanes and, last, of the constant prediction for each row, before the row is learnt, in units of labels; for many
    /// classes empty.
    pub lanes: Vec<Vec<f64>>,
    /// Weights of the model after the last row, for unscaled values of features.
    pub weights: Vec<f64>,
    /// Share of each lane (one of the learners trained side by side) in the model after the last row.
    pub shares: Vec<f64>,
}

struct Lane {
    scale: f64,
    theta: Vec<f64>,
    /// Sum S of squared gradients.
    squares: Vec<f64>,
    /// Iterates of all rounds so far, one vector per round, for coordinates divided by M_j (the largest |x_j| so far).
    past: Vec<Vec<f64>>,
}

/// Trains on the rows in order, with one lane per scale in `scales`; returns the predictions and the final weights.
pub fn train(loss: Loss, scales: &[f64], rows: &[Row]) -> Told {
    let d = rows[0].values.len();
    let lane = |&scale: &f64| Lane { scale, theta: vec![0.0; d], squares: vec![0.0; d], past: Vec::new() };
    let mut lanes: Vec<Lane> = scales.iter().map(lane).collect();
    let (mut unit, mut touches) = (vec![0.0_f64; d], vec![0.0_f64; d]);
    let (mut margins, mut losses): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    let (mut unit_of_gradients, mut stacking) = (0.0, Stacking::new(scales.len() + 1));
    let mut told = Told::default();
    let mut labels: Vec<f64> = Vec::new();
    let mut beyonds: Vec<Vec<f64>> = Vec::new();
    for (t, row) in rows.iter().enumerate() {
        let points = points(loss, &mut lanes, &touches, &rows[..t]);
        let before = shares(loss, [&margins, &beyonds], &losses, &labels, &rows[..t], scales);
        told.shares = before.of_lanes();
        let correction = stacking.correction();
        let coefficients: Vec<f64> = told.shares.iter().zip(&correction).map(|(p, b)| p + b).collect();
        let weights = mixture(&coefficients, &points, &unit);
        let constant = if intercept(row) { constant(loss, &rows[..t]) } else { 0.0 };
        let share = before.constant + correction[scales.len()];
        let margin = weights.iter().zip(&row.values).map(|(w, x)| w * x).sum::<f64>() + share * constant;
        told.margins.push(margin + offset_of_model(loss, &rows[..t], row));
        let label_unit = label_unit(loss, &rows[..=t]);
        let offset = match intercept(row) {
            true => offset(loss, &rows[..t]),
            false => -label_unit.unwrap_or(1.0).ln(),
        };
        labels.push(label_unit.map_or(0.0, |unit| row.label / unit));
        let y = labels[t];
        let known = |j: usize| if unit[j] > 0.0 { row.values[j] / unit[j] } else { 0.0 };
        let full = |v: &[f64]| v.iter().enumerate().map(|(j, v)| v * known(j)).sum::<f64>() + offset;
        let unclipped: Vec<f64> = points.iter().map(|(x, _)| full(x)).collect();
        for j in 0..d {
            let size = row.values[j].abs();
            if size > unit[j] {
                let r = unit[j] / size;
                lanes.iter_mut().for_each(|lane| lane.theta[j] *= r);
                lanes.iter_mut().for_each(|lane| lane.squares[j] *= r * r);
                unit[j] = size;
            }
            touches[j] += f64::from(size > 0.0);
        }
        let relative = |j: usize| if row.values[j] == 0.0 { 0.0 } else { row.values[j] / unit[j] };
        let dot = |v: &[f64]| v.iter().enumerate().map(|(j, v)| v * relative(j)).sum::<f64>();
        margins.push(points.iter().map(|(x, _)| dot(x) + offset).chain([constant + offset]).collect());
        let mixture: f64 = told.shares.iter().chain([&before.constant]).zip(&margins[t]).map(|(p, m)| p * m).sum();
        losses.push(loss.excess(y, mixture));
        if loss == Loss::Logistic {
            let sum = |of: &dyn Fn(&Row) -> f64| {
                rows[..=t].iter().enumerate().map(|(s, row)| ((s + 2) * (s + 3)) as f64 * of(row)).sum::<f64>()
            };
            let weight = row.weight / (sum(&|row| row.weight) / sum(&|_| 1.0));
            let full: Vec<f64> = unclipped.iter().copied().chain([constant + offset]).collect();
            let all: Vec<f64> = told.shares.iter().copied().chain([before.constant]).collect();
            stacking.learn(&loss, y, [&[margins[t].clone()], &[full]], &all, weight);
        }
        // Classes are charged the losses before M_j grows, but those of the pseudo-row afterwards.
        let beyond_known = |(m, full): (&f64, &f64)| match loss.classifies() {
            true => beyond(loss.excess(y, *full), loss.excess(y, *m)) - loss.excess(y, *m),
            false => (loss.excess(y, *full) - loss.excess(y, *m)).max(0.0),
        };
        beyonds.push(margins[t].iter().zip(&unclipped).map(beyond_known).chain([0.0]).collect());
        let in_units = |row: &Row| Row { label: row.label / label_unit.unwrap_or(1.0), ..row.clone() };
        let (here, earlier): (Row, Vec<Row>) = (in_units(row), rows[..t].iter().map(in_units).collect());
        let derivative = |(x, w): &(Vec<f64>, Vec<f64>)| match label_unit {
            None => 0.0,
            Some(_) => row.weight * loss.cut(loss.derivative(y, 0.4 * dot(x) + 0.6 * dot(w) + offset), &here, &earlier),
        };
        let mut gradients: Vec<f64> = points.iter().map(derivative).collect();
        if unit_of_gradients == 0.0 {
            let largest = gradients.iter().fold(0.0_f64, |largest, g| largest.max(g.abs()));
            unit_of_gradients = largest;
        }
        gradients.iter_mut().filter(|g| g.abs() < unit_of_gradients * 2f64.powi(-30)).for_each(|g| *g = 0.0);
        for (lane, g) in lanes.iter_mut().zip(gradients) {
            (0..d).for_each(|j| lane.theta[j] -= g * relative(j));
            (0..d).for_each(|j| lane.squares[j] += (g * relative(j)).powi(2));
        }
    }
    let points = points(loss, &mut lanes, &touches, rows);
    let after = shares(loss, [&margins, &beyonds], &losses, &labels, rows, scales);
    told.shares = after.of_lanes();
    told.lanes = margins;
    let correction = stacking.correction();
    let coefficients: Vec<f64> = told.shares.iter().zip(&correction).map(|(p, b)| p + b).collect();
    told.weights = mixture(&coefficients, &points, &unit);
    let share = after.constant + correction[scales.len()];
    if intercept(&rows[0]) {
        told.weights[0] += offset_of_model(loss, rows, &rows[0]) + share * constant(loss, rows);
    }
    told
}

/// Returns, for each lane, its output point (the average of its iterates) and its iterate for the next round, both scaled, after training
/// on `rows`.
fn points(loss: Loss, lanes: &mut [Lane], touches: &[f64], rows: &[Row]) -> Vec<(Vec<f64>, Vec<f64>)> {
    let sigma = label_scale(loss, rows);
    let point = |lane: &mut Lane| {
        let direction = |j: usize| match lane.squares[j] {
            0.0 => 0.0,
            s => lane.theta[j] / (s * (1.0 + 4.0 / touches[j])).sqrt(),
        };
        lane.past.push((0..touches.len()).map(direction).collect());
        let scaled = |v: &[f64]| v.iter().map(|x| x * sigma * lane.scale).collect();
        (scaled(&average(&lane.past)), scaled(&lane.past[rows.len()]))
    };
    lanes.iter_mut().map(point).collect()
}

fn label_scale(loss: Loss, rows: &[Row]) -> f64 {
    let mean = |of: &dyn Fn(f64) -> f64| rows.iter().map(|row| of(row.label)).sum::<f64>() / rows.len() as f64;
    match loss {
        _ if loss.classifies() || loss.power().is_some() => 1.0,
        _ if rows.is_empty() => 0.0,
        Loss::Squared => mean(&|y| y * y).sqrt(),
        _ => mean(&f64::abs),
    }
}

/// Returns the first positive label, by which labels are divided, for a loss with a log link; `None` if no label is positive. Returns 1 for
/// other losses.
fn label_unit(loss: Loss, rows: &[Row]) -> Option<f64> {
    match loss.power() {
        None => Some(1.0),
        Some(_) => rows.iter().map(|row| row.label).find(|&y| y > 0.0),
    }
}

/// Whether the model has an intercept: the first value of every row is then 1, otherwise 0.
pub(crate) fn intercept(row: &Row) -> bool {
    row.values[0] != 0.0
}

/// Returns the offset that is added to the model's margins after training on `rows`; 0 if `row` has no intercept.
fn offset_of_model(loss: Loss, rows: &[Row], row: &Row) -> f64 {
    if intercept(row) { offset(loss, rows) + label_unit(loss, rows).unwrap_or(1.0).ln() } else { 0.0 }
}

/// Returns the offset that is added to each lane's margins after training on `rows`, for a model with an intercept and labels divided by
/// the first positive label; 0 for losses without a log link.
fn offset(loss: Loss, rows: &[Row]) -> f64 {
    match (loss.power(), mean_label(rows)) {
        (None, _) => 0.0,
        (_, mean) if mean > 0.0 => (mean / label_unit(loss, rows).unwrap()).ln(),
        _ => -((rows.len() + 1) as f64).ln(),
    }
}

fn average(past: &[Vec<f64>]) -> Vec<f64> {
    let total = |t: usize| (t as f64).powf(1.5);
    (0..past[0].len())
        .map(|j| {
            let sum: f64 = past.iter().enumerate().map(|(s, w)| (total(s + 1) - total(s)) * w[j]).sum();
            sum / total(past.len())
        })
        .collect()
}

/// Returns the best constant margin after these rows, in addition to the offset of margins.
///
/// With N and P the weights of the negative and the positive rows in units of the largest weight, and L = P − N: ln((P + ½)/(N + ½)) for
/// logistic loss, tanh(L/√(2·min(P, N))) for hinge, L/(P + N) for squared hinge, L/max(P, N) for smoothed hinge, and 0 if L = 0. For squared loss
/// the mean label; for other losses of numbers the iterate of scalar AdaGrad from the first label, with steps in units of the mean distance
/// of the labels from the iterates. With a log link 0, since the offset is the constant prediction.
pub fn constant(loss: Loss, rows: &[Row]) -> f64 {
    let largest = rows.iter().fold(0.0_f64, |largest, row| largest.max(row.weight));
    let total = |of: &dyn Fn(f64) -> f64| rows.iter().map(|row| row.weight / largest * of(row.label)).sum::<f64>();
    let (negative, positive) = (total(&|y| 0.5 * (1.0 - y)), total(&|y| 0.5 * (1.0 + y)));
    let lead = positive - negative;
    match loss {
        _ if loss.power().is_some() || rows.is_empty() => 0.0,
        Loss::Logistic => ((positive + 0.5) / (negative + 0.5)).ln(),
        _ if loss.classifies() && lead == 0.0 => 0.0,
        Loss::Hinge => (lead / (2.0 * positive.min(negative)).sqrt()).tanh(),
        Loss::SquaredHinge => lead / (positive + negative),
        Loss::SmoothedHinge => lead / positive.max(negative),
        Loss::Squared => total(&|y| y) / total(&|_| 1.0),
        _ => descent(loss, rows),
    }
}

/// Returns the iterate of scalar AdaGrad from the first label after these rows, with steps in units of the mean distance of the labels from
/// the iterates.
fn descent(loss: Loss, rows: &[Row]) -> f64 {
    let (mut estimate, mut weights) = (rows[0].label, rows[0].weight);
    let (mut distances, mut squares) = (0.0, 0.0);
    for row in &rows[1..] {
        let g = row.weight * loss.derivative(row.label, estimate);
        weights += row.weight;
        distances += row.weight * (row.label - estimate).abs();
        squares += g * g;
        estimate -= if squares > 0.0 { distances / weights * g / f64::sqrt(squares) } else { 0.0 };
    }
    estimate
}

/// Shares of the members of the mixture.
pub(crate) struct Shares {
    /// Share of each lane among the lanes.
    pub(crate) lanes: Vec<f64>,
    /// Share of the constant prediction in the model.
    pub(crate) constant: f64,
}

impl Shares {
    /// Computes shares proportional to the exponential of minus the statistic of each lane and, last, of the constant prediction, whose
    /// statistic is reduced by `lead`.
    pub(crate) fn of(statistic: &[f64], has_constant: bool, lead: f64) -> Shares {
        let (constant, lanes) = statistic.split_last().unwrap();
        let least = lanes.iter().copied().fold(f64::INFINITY, f64::min);
        let raw: Vec<f64> = lanes.iter().map(|s| (least - s).exp()).collect();
        let sum: f64 = raw.iter().sum();
        let constant = if has_constant { 1.0 / (1.0 + sum * (constant - lead - least).exp()) } else { 0.0 };
        Shares { lanes: raw.iter().map(|share| share / sum).collect(), constant }
    }

    /// Returns the share of each lane in the model.
    pub(crate) fn of_lanes(&self) -> Vec<f64> {
        self.lanes.iter().map(|share| share * (1.0 - self.constant)).collect()
    }
}

/// Returns the shares in the model. For each past row, `margins` has the margins of all lanes and that of the constant prediction, `losses`
/// the excess loss of their mixture, and `labels` the label, all rescaled. `beyonds` has the loss of each member of the mixture that is due
/// to values beyond all earlier values of their features.
fn shares(
    loss: Loss,
    [margins, beyonds]: [&[Vec<f64>]; 2],
    losses: &[f64],
    labels: &[f64],
    rows: &[Row],
    scales: &[f64],
) -> Shares {
    // Typical losses and usual weights are those at the time when a row was charged.
    let age = |s: usize, t: usize| ((s + 2) * (s + 3)) as f64 / ((t + 2) * (t + 3)) as f64;
    let start = 2.0 / ((rows.len() + 1) * (rows.len() + 2)) as f64;
    let mut statistic: Vec<f64> =
        scales.iter().map(|scale| start * 2.0 * (scale / scales[0]).ln()).chain([0.0]).collect();
    let (mut doubts, mut total_of_constant) = (vec![0.0; statistic.len()], 0.0);
    for t in 0..rows.len() {
        let sum = |of: &dyn Fn(usize) -> f64| (0..=t).map(|s| age(s, t) * of(s)).sum::<f64>();
        let weights = sum(&|s| rows[s].weight);
        let typical = sum(&|s| rows[s].weight * losses[s]) / weights;
        let usual = weights / sum(&|_| 1.0);
        for (k, statistic) in statistic.iter_mut().enumerate() {
            let value = loss.excess(labels[t], margins[t][k]);
            let charge = match loss {
                _ if loss.classifies() => value,
                _ if typical == 0.0 => 0.0,
                Loss::Squared => (value / typical).ln_1p(),
                _ if value < 10.0 * typical => value / typical,
                _ => 10.0 + 10.0 * (value / (10.0 * typical)).ln(),
            };
            let beyond = match beyonds[t][k] {
                beyond if loss.classifies() => beyond,
                _ if typical == 0.0 => 0.0,
                beyond if beyond < 10.0 * typical => beyond / typical,
                beyond => 10.0 + 10.0 * (beyond / (10.0 * typical)).ln(),
            };
            let charge = age(t, rows.len() - 1) * rows[t].weight / usual * (charge + beyond);
            *statistic += charge;
            total_of_constant += if k == scales.len() { charge } else { 0.0 };
            let doubt = match loss {
                _ if loss.classifies() => loss.value(1.0, -margins[t][k].abs()),
                _ if loss.power().is_some() && typical > 0.0 => {
                    let relative = loss.excess(1.0, margins[t][k].min(0.0)) / typical;
                    if relative < 10.0 { relative } else { 10.0 + 10.0 * (relative / 10.0).ln() }
                }
                _ => 0.0,
            };
            doubts[k] += age(t, rows.len() - 1) * rows[t].weight * doubt;
            if t + 1 == rows.len() {
                *statistic += doubts[k] / weights;
            }
        }
    }
    let has_constant = rows.first().is_none_or(intercept);
    let n = rows.len().max(1) as f64;
    let lead = if loss.classifies() { 100.0 } else { 30.0 } / n;
    let lead = if loss.is_hinge() { f64::max(lead, 0.5 * n.ln() - total_of_constant.ln_1p()) } else { lead };
    Shares::of(&statistic, has_constant, lead)
}

fn mixture(shares: &[f64], points: &[(Vec<f64>, Vec<f64>)], unit: &[f64]) -> Vec<f64> {
    (0..unit.len())
        .map(|j| match unit[j] {
            0.0 => 0.0,
            unit => shares.iter().zip(points).map(|(p, (x, _))| p * x[j]).sum::<f64>() / unit,
        })
        .collect()
}
