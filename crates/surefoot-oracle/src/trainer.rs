//! The one-pass trainer, literally: dense vectors, all sums over the past recomputed, f64 throughout.
//!
//! For each lane (scale D_k) and coordinate j, in the unit M_j of the largest |x_j| so far:
//! w^k_{t,j} = θ^k_j/√(S_j(1 + 4/n_j)), the average x^k_t = (1/A_t) Σ_{s≤t} α_s w^k_s with A_t = t^{3/2}; the lane's point
//! is σ_t·D_k/√ρ_k times that, with σ_t the root mean square of the labels before row t (their mean size for losses of
//! numbers that are not squared, 1 for classes and with a log link) and ρ_k the ratio of its squared gradients to the
//! model's, the past discounted by t/(t + 1) a row, for squared and Huber loss t/(t + 3). With a log link labels are in units
//! of the first that is above 0, margins are less its logarithm, and to all of them the logarithm of the mean label before
//! row t is added, or while all are 0 that of 1/t, and then nothing else is learnt. The gradient g_k is taken at
//! 0.4·x_t + 0.6·w_t; the model's is g = √(Σ p_k g_k²), clips g_k at ±2g, and S_j = Σ (g x_j/M_j)². When M_j grows by a factor
//! r, θ_j is divided by r, S_j by r², and the past of w_j stays what it was: this re-expression, like those by σ and ρ, is
//! outside of Theorem 1. Gradients below 2⁻³⁰ of the first count as 0. The model is Σ_k p_k x^k with
//! p_k ∝ exp(−Σ_s ((s+1)(s+2))/((t+1)(t+2))·charge), see [`Loss`], the charge of s = 0 being 2·ln(D_k/D_1); classes are
//! charged for one more row, of the usual margin and on the wrong side.

/// Loss as label, margin → value and slope, and what a lane is charged for it. Of classes that is the loss; of others the
/// excess over the least that the label can have, as a multiple z of the typical one, which is the mixture's mean excess in the
/// new units with the same forgetting: ln(1 + z) for squared loss, else z, and 10 + 10·ln(z/10) beyond ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// ln(1 + e^(−ym)).
    Logistic,
    /// ½(m − y)².
    Squared,
    /// ½(m − y)² up to this error, straight beyond.
    Huber(f64),
    /// |m − y|.
    Absolute,
    /// This much of y − m below the label, one minus this of m − y above.
    Quantile(f64),
    /// max(0, 1 − ym).
    Hinge,
    /// max(0, 1 − ym)².
    SquaredHinge,
    /// ½max(0, 1 − ym)² for ym ≥ 0, ½ − ym below.
    SmoothedHinge,
    /// e^m − ym.
    Poisson,
    /// ye^(−m) + m.
    Gamma,
    /// ye^((1−p)m)/(p − 1) + e^((2−p)m)/(2 − p).
    Tweedie(f64),
}

impl Loss {
    /// The loss.
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

    /// Its derivative; at a kink 0.
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

    /// With a log link the power p with which variances go with means.
    fn power(self) -> Option<f64> {
        match self {
            Loss::Poisson => Some(1.0),
            Loss::Gamma => Some(2.0),
            Loss::Tweedie(p) => Some(p),
            _ => None,
        }
    }

    fn classifies(self) -> bool {
        matches!(self, Loss::Logistic | Loss::Hinge | Loss::SquaredHinge | Loss::SmoothedHinge)
    }

    /// How much the loss exceeds that of the label's own margin.
    fn excess(self, y: f64, m: f64) -> f64 {
        match self.power() {
            // The margin of a label of 0 is −∞.
            Some(p) if y == 0.0 => m.exp().powf(2.0 - p) / (2.0 - p),
            Some(_) => self.value(y, m) - self.value(y, y.ln()),
            None => self.value(y, m),
        }
    }

    /// With a log link a slope is cut to what it is at the mean e·largest for a label of 0, and at the mean label for one of
    /// e·largest; largest and mean are those of rows before, the largest that of the row at hand too.
    pub fn cut(self, derivative: f64, row: &Row, before: &[Row]) -> f64 {
        let Some(p) = self.power() else { return derivative };
        let largest = before.iter().map(|row| row.label).fold(row.label, f64::max);
        let far = std::f64::consts::E * if largest > 0.0 { largest } else { 1.0 };
        let mean = mean_label(before);
        let mean = if mean > 0.0 { mean } else { far };
        derivative.max(-far * mean.powf(1.0 - p)).min(far.powf(2.0 - p))
    }
}

/// The weighted mean label; 0 of no rows.
fn mean_label(rows: &[Row]) -> f64 {
    let weight: f64 = rows.iter().map(|row| row.weight).sum();
    if weight > 0.0 { rows.iter().map(|row| row.weight * row.label).sum::<f64>() / weight } else { 0.0 }
}

/// A row of the past: its label (±1 for classes), weight and dense values, the first the constant 1.
#[derive(Clone, Debug)]
pub struct Row {
    /// The label.
    pub label: f64,
    /// The importance weight.
    pub weight: f64,
    /// Values of all coordinates; without an intercept the first is 0.
    pub values: Vec<f64>,
}

/// Output of the trainer: per row before it is learnt, and in the end.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The margin of the model for each row.
    pub margins: Vec<f64>,
    /// The weights after the last row, for raw values.
    pub weights: Vec<f64>,
    /// The shares of the lanes after the last row.
    pub shares: Vec<f64>,
}

struct Lane {
    scale: f64,
    theta: Vec<f64>,
    /// Its squared gradients, discounted.
    pace: f64,
    /// w_s·M of every round so far, one vector a round.
    past: Vec<Vec<f64>>,
}

/// Runs the trainer over rows.
pub fn train(loss: Loss, scales: &[f64], rows: &[Row]) -> Told {
    let d = rows[0].values.len();
    let lane = |&scale: &f64| Lane { scale, theta: vec![0.0; d], pace: 0.0, past: Vec::new() };
    let mut lanes: Vec<Lane> = scales.iter().map(lane).collect();
    let (mut unit, mut touches, mut squares) = (vec![0.0_f64; d], vec![0.0_f64; d], vec![0.0_f64; d]);
    let (mut margins, mut losses): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    let (mut pace, mut unit_of_gradients) = (0.0, 0.0);
    let mut told = Told::default();
    let mut labels: Vec<f64> = Vec::new();
    for (t, row) in rows.iter().enumerate() {
        let points = points(loss, &mut lanes, &squares, &touches, pace, &rows[..t]);
        told.shares = shares(loss, &margins, &losses, &labels, &rows[..t], scales);
        let weights = mixture(&told.shares, &points, &unit);
        let margin = weights.iter().zip(&row.values).map(|(w, x)| w * x).sum::<f64>();
        told.margins.push(margin + offset_of_model(loss, &rows[..t], row));
        let label_unit = label_unit(loss, &rows[..=t]);
        let offset = match intercept(row) {
            true => offset(loss, &rows[..t]),
            false => -label_unit.unwrap_or(1.0).ln(),
        };
        labels.push(label_unit.map_or(0.0, |unit| row.label / unit));
        let y = labels[t];
        for j in 0..d {
            let size = row.values[j].abs();
            if size > unit[j] {
                let r = unit[j] / size;
                lanes.iter_mut().for_each(|lane| lane.theta[j] *= r);
                squares[j] *= r * r;
                unit[j] = size;
            }
            touches[j] += f64::from(size > 0.0);
        }
        let relative = |j: usize| if row.values[j] == 0.0 { 0.0 } else { row.values[j] / unit[j] };
        let dot = |v: &[f64]| v.iter().enumerate().map(|(j, v)| v * relative(j)).sum::<f64>();
        margins.push(points.iter().map(|(x, _)| dot(x) + offset).collect());
        let mixture: f64 = told.shares.iter().zip(&margins[t]).map(|(p, m)| p * m).sum();
        losses.push(loss.excess(y, mixture));
        let in_units = |row: &Row| Row { label: row.label / label_unit.unwrap_or(1.0), ..row.clone() };
        let (here, before): (Row, Vec<Row>) = (in_units(row), rows[..t].iter().map(in_units).collect());
        let derivative = |(x, w): &(Vec<f64>, Vec<f64>)| match label_unit {
            None => 0.0,
            Some(_) => row.weight * loss.cut(loss.derivative(y, 0.4 * dot(x) + 0.6 * dot(w) + offset), &here, &before),
        };
        let mut gradients: Vec<f64> = points.iter().map(derivative).collect();
        if unit_of_gradients == 0.0 {
            let largest = gradients.iter().fold(0.0_f64, |largest, g| largest.max(g.abs()));
            unit_of_gradients = largest;
        }
        gradients.iter_mut().filter(|g| g.abs() < unit_of_gradients * 2f64.powi(-30)).for_each(|g| *g = 0.0);
        // The lanes' shares now know of this row.
        let after = shares(loss, &margins, &losses, &labels, &rows[..=t], scales);
        let model = after.iter().zip(&gradients).map(|(p, g)| p * g * g).sum::<f64>().sqrt();
        let k = if matches!(loss, Loss::Squared | Loss::Huber(_)) { 3.0 } else { 1.0 };
        let keep = 1.0 - k / ((t + 1) as f64 + k);
        pace = pace * keep + model * model;
        for (lane, g) in lanes.iter_mut().zip(gradients) {
            let g = g.clamp(-2.0 * model, 2.0 * model);
            lane.pace = lane.pace * keep + g * g;
            (0..d).for_each(|j| lane.theta[j] -= g * relative(j));
        }
        (0..d).for_each(|j| squares[j] += (model * relative(j)).powi(2));
    }
    let points = points(loss, &mut lanes, &squares, &touches, pace, rows);
    told.shares = shares(loss, &margins, &losses, &labels, rows, scales);
    told.weights = mixture(&told.shares, &points, &unit);
    told.weights[0] += offset_of_model(loss, rows, &rows[0]);
    told
}

/// Output point and iterate of every lane, for the round after `rows`.
fn points(
    loss: Loss,
    lanes: &mut [Lane],
    squares: &[f64],
    touches: &[f64],
    pace: f64,
    rows: &[Row],
) -> Vec<(Vec<f64>, Vec<f64>)> {
    let sigma = label_scale(loss, rows);
    let point = |lane: &mut Lane| {
        let direction = |j: usize| match squares[j] {
            0.0 => 0.0,
            s => lane.theta[j] / (s * (1.0 + 4.0 / touches[j])).sqrt(),
        };
        lane.past.push((0..squares.len()).map(direction).collect());
        let ratio = if pace > 0.0 && lane.pace > 0.0 { (pace / lane.pace).sqrt() } else { 1.0 };
        let scaled = |v: &[f64]| v.iter().map(|x| x * sigma * lane.scale * ratio).collect();
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

/// With a log link the first label above 0, if there is one; else 1.
fn label_unit(loss: Loss, rows: &[Row]) -> Option<f64> {
    match loss.power() {
        None => Some(1.0),
        Some(_) => rows.iter().map(|row| row.label).find(|&y| y > 0.0),
    }
}

/// Whether there is an intercept: the first value is 1 in all rows, not 0.
fn intercept(row: &Row) -> bool {
    row.values[0] != 0.0
}

/// Offset of the model's margins after these rows; 0 without an intercept.
fn offset_of_model(loss: Loss, rows: &[Row], row: &Row) -> f64 {
    if intercept(row) { offset(loss, rows) + label_unit(loss, rows).unwrap_or(1.0).ln() } else { 0.0 }
}

/// Offset of margins, in units of labels, after these rows, with an intercept.
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

/// `margins`, `losses` and `labels` of the past rows: those of every lane, the excess of their mixture, all in units.
fn shares(loss: Loss, margins: &[Vec<f64>], losses: &[f64], labels: &[f64], rows: &[Row], scales: &[f64]) -> Vec<f64> {
    // Typical losses and usual weights are those of the moment when a row was charged.
    let age = |s: usize, t: usize| ((s + 2) * (s + 3)) as f64 / ((t + 2) * (t + 3)) as f64;
    let start = 2.0 / ((rows.len() + 1) * (rows.len() + 2)) as f64;
    let mut statistic: Vec<f64> = scales.iter().map(|scale| start * 2.0 * (scale / scales[0]).ln()).collect();
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
            *statistic += age(t, rows.len() - 1) * rows[t].weight / usual * charge;
            if t + 1 == rows.len() && loss.classifies() {
                *statistic += sum(&|s| rows[s].weight * loss.value(1.0, -margins[s][k].abs())) / weights;
            }
        }
    }
    let least = statistic.iter().copied().fold(f64::INFINITY, f64::min);
    let raw: Vec<f64> = statistic.iter().map(|s| (least - s).exp()).collect();
    let sum: f64 = raw.iter().sum();
    raw.iter().map(|share| share / sum).collect()
}

fn mixture(shares: &[f64], points: &[(Vec<f64>, Vec<f64>)], unit: &[f64]) -> Vec<f64> {
    (0..unit.len())
        .map(|j| match unit[j] {
            0.0 => 0.0,
            unit => shares.iter().zip(points).map(|(p, (x, _))| p * x[j]).sum::<f64>() / unit,
        })
        .collect()
}
