//! The one-pass trainer, literally: dense vectors, all sums over the past recomputed, f64 throughout.
//!
//! For each lane (scale D_k) and coordinate j, in the unit M_j of the largest |x_j| so far:
//! w^k_{t,j} = θ^k_j/√(S_j(1 + 4/n_j)), the average x^k_t = (1/A_t) Σ_{s≤t} α_s w^k_s with A_t = t^{3/2}; the lane's point
//! is σ_t·D_k/√ρ_k times that, with σ_t the root mean square of the labels before row t (1 for classes) and ρ_k the ratio
//! of its squared gradients to the model's, the past discounted by t/(t + 1) a row, for numbers t/(t + 3). The gradient g_k is taken at
//! 0.4·x_t + 0.6·w_t; the model's is g = √(Σ p_k g_k²), clips g_k at ±2g, and S_j = Σ (g x_j/M_j)². When M_j grows by a factor
//! r, θ_j is divided by r, S_j by r², and the past of w_j stays what it was: this re-expression, like those by σ and ρ, is
//! outside of Theorem 1. Gradients below 2⁻³⁰ of the first count as 0. The model is Σ_k p_k x^k with
//! p_k ∝ exp(−Σ_s ((s+1)(s+2))/((t+1)(t+2))·charge), see [`Loss`], the charge of s = 0 being 2·ln(D_k/D_1); classes are
//! charged for one more row, of the usual margin and on the wrong side.

/// Loss as label, margin → value and slope, and what a lane is charged for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// ln(1 + e^(−ym)); charged as it is.
    Logistic,
    /// ½(m − y)²; charged ln(1 + loss/typical), typical the mixture's mean loss in the new units, with the same forgetting.
    Squared,
}

impl Loss {
    fn value(self, y: f64, m: f64) -> f64 {
        match self {
            Loss::Logistic => (-y * m).max(0.0) + (-(y * m).abs()).exp().ln_1p(),
            Loss::Squared => 0.5 * (m - y) * (m - y),
        }
    }

    fn slope(self, y: f64, m: f64) -> f64 {
        match self {
            Loss::Logistic => -y / (1.0 + (y * m).exp()),
            Loss::Squared => m - y,
        }
    }
}

/// A row of the past: its label (±1 for classes), weight and dense values, the first the constant 1.
#[derive(Clone, Debug)]
pub struct Row {
    /// The label.
    pub label: f64,
    /// The importance weight.
    pub weight: f64,
    /// Values of all coordinates.
    pub values: Vec<f64>,
}

/// What the trainer says before it learns each row, and in the end.
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
    for (t, row) in rows.iter().enumerate() {
        let points = points(loss, &mut lanes, &squares, &touches, pace, &rows[..t]);
        told.shares = shares(loss, &margins, &losses, &rows[..t], scales);
        let weights = mixture(&told.shares, &points, &unit);
        told.margins.push(weights.iter().zip(&row.values).map(|(w, x)| w * x).sum());
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
        margins.push(points.iter().map(|(x, _)| dot(x)).collect());
        let mixture: f64 = told.shares.iter().zip(&points).map(|(p, (x, _))| p * dot(x)).sum();
        losses.push(loss.value(row.label, mixture));
        let slope = |(x, w): &(Vec<f64>, Vec<f64>)| row.weight * loss.slope(row.label, 0.4 * dot(x) + 0.6 * dot(w));
        let mut gradients: Vec<f64> = points.iter().map(slope).collect();
        if unit_of_gradients == 0.0 {
            let largest = gradients.iter().fold(0.0_f64, |largest, g| largest.max(g.abs()));
            unit_of_gradients = largest;
        }
        gradients.iter_mut().filter(|g| g.abs() < unit_of_gradients * 2f64.powi(-30)).for_each(|g| *g = 0.0);
        // The lanes' shares now know of this row.
        let after = shares(loss, &margins, &losses, &rows[..=t], scales);
        let model = after.iter().zip(&gradients).map(|(p, g)| p * g * g).sum::<f64>().sqrt();
        let k = if loss == Loss::Logistic { 1.0 } else { 3.0 };
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
    told.shares = shares(loss, &margins, &losses, rows, scales);
    told.weights = mixture(&told.shares, &points, &unit);
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
    match loss {
        Loss::Logistic => 1.0,
        Loss::Squared if rows.is_empty() => 0.0,
        Loss::Squared => (rows.iter().map(|row| row.label * row.label).sum::<f64>() / rows.len() as f64).sqrt(),
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

/// `margins` and `losses` of the past rows: those of every lane, and the loss of their mixture.
fn shares(loss: Loss, margins: &[Vec<f64>], losses: &[f64], rows: &[Row], scales: &[f64]) -> Vec<f64> {
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
            let value = loss.value(rows[t].label, margins[t][k]);
            let charge = match loss {
                Loss::Logistic => value,
                Loss::Squared if typical > 0.0 => (value / typical).ln_1p(),
                Loss::Squared => 0.0,
            };
            *statistic += age(t, rows.len() - 1) * rows[t].weight / usual * charge;
            if t + 1 == rows.len() && loss == Loss::Logistic {
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
