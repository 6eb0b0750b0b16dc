//! Logistic regression on synthetic rows.

use super::{Facts, Problem, dot, norm};
use crate::Random;

/// Logistic regression on synthetic rows of length at most 1; the loss is the mean over the rows. If rows are drawn with replacement, they
/// form a stream whose expected loss is known exactly.
#[derive(Clone, Debug)]
pub struct Logistic {
    /// Rows of the design, each multiplied by its label ±1.
    rows: Vec<Vec<f64>>,
    solution: Vec<f64>,
    least: f64,
    radius: f64,
    ridge: f64,
    batch: Option<usize>,
}

/// Returns the logistic loss ln(1 + e^{−m}) at the margin m.
pub(crate) fn loss(margin: f64) -> f64 {
    (-margin.abs()).exp().ln_1p() + (-margin).max(0.0)
}

/// Returns the derivative of the logistic loss at the margin m, −1/(1 + e^m).
pub(crate) fn slope(margin: f64) -> f64 {
    -0.5 * (1.0 - (0.5 * margin).tanh())
}

impl Logistic {
    /// Builds a problem with `rows` rows, whose lengths vary by a lognormal factor with parameter `spread`, and whose labels are drawn from a
    /// logistic model with a weight vector of length `steep`. The domain is a ball of this radius; for `None`, its radius is the length of
    /// the unconstrained solution.
    #[must_use]
    pub fn new(dim: usize, rows: usize, spread: f64, steep: f64, radius: Option<f64>) -> Self {
        let mut random = Random::new(0, "logistic", rows as u64);
        let mut draw = |scale: f64| -> Vec<f64> { (0..dim).map(|_| scale * random.normal()).collect() };
        let truth = draw(1.0);
        let truth: Vec<f64> = truth.iter().map(|x| steep / norm(&truth) * x).collect();
        let lengths = draw_many(&mut Random::new(1, "logistic", rows as u64), rows);
        let mut rows: Vec<Vec<f64>> = lengths.iter().map(|z| draw((spread * z).exp())).collect();
        let longest = rows.iter().map(|row| norm(row)).fold(0.0, f64::max);
        let mut random = Random::new(2, "logistic", rows.len() as u64);
        for row in &mut rows {
            row.iter_mut().for_each(|x| *x /= longest);
            let label = random.sign(-slope(-dot(row, &truth)));
            row.iter_mut().for_each(|x| *x *= label);
        }
        let mut problem =
            Self { rows, solution: vec![0.0; dim], least: 0.0, radius: f64::INFINITY, ridge: 0.0, batch: None };
        problem.solve(radius);
        problem
    }

    /// Adds the ridge penalty (ridge/2)‖x‖² to the loss, over the same ball.
    #[must_use]
    pub fn penalised(mut self, ridge: f64) -> Self {
        self.ridge = ridge;
        self.solve(Some(self.radius));
        self
    }

    /// Makes gradients stochastic: each is the mean over `batch` rows drawn with replacement.
    #[must_use]
    pub fn stream(self, batch: usize) -> Self {
        Self { batch: Some(batch), ..self }
    }

    /// Returns the minimiser of the loss over the ball.
    #[must_use]
    pub fn solution(&self) -> &[f64] {
        &self.solution
    }

    /// Returns the loss at the point `x`.
    #[must_use]
    pub fn value(&self, x: &[f64]) -> f64 {
        let mean = self.rows.iter().map(|row| loss(dot(row, x))).sum::<f64>() / self.rows.len() as f64;
        mean + self.ridge / 2.0 * dot(x, x)
    }

    /// Returns all rows, each multiplied by its label ±1.
    #[must_use]
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Computes the minimiser over the ball of this radius, and the minimum. If the unconstrained minimiser lies outside the ball, finds
    /// the ridge penalty for which the minimiser lies on its surface. `None` makes the radius the length of the unconstrained minimiser.
    fn solve(&mut self, radius: Option<f64>) {
        self.solution = self.newton(self.ridge, vec![0.0; self.solution.len()]);
        self.radius = radius.unwrap_or_else(|| norm(&self.solution));
        if norm(&self.solution) > self.radius {
            let (mut low, mut high, mut found) = (1e-12_f64, 1.0_f64, self.solution.clone());
            for _ in 0..60 {
                let middle = (low * high).sqrt();
                found = self.newton(self.ridge + middle, found);
                if norm(&found) > self.radius {
                    low = middle;
                } else {
                    high = middle;
                    self.solution.clone_from(&found);
                }
            }
        }
        self.least = self.value(&self.solution);
    }

    /// Returns the minimiser of the loss plus (ridge/2)‖x‖² over the whole space, by Newton's method from `x`.
    fn newton(&self, ridge: f64, mut x: Vec<f64>) -> Vec<f64> {
        let (dim, n) = (x.len(), self.rows.len() as f64);
        for _ in 0..50 {
            let mut gradient: Vec<f64> = x.iter().map(|x| ridge * x).collect();
            let mut hessian = vec![vec![0.0; dim]; dim];
            for row in &self.rows {
                let s = slope(dot(row, &x));
                for j in 0..dim {
                    gradient[j] += s * row[j] / n;
                    let weight = -s * (1.0 + s) * row[j] / n;
                    (0..=j).for_each(|k| hessian[j][k] += weight * row[k]);
                }
            }
            (0..dim).for_each(|j| hessian[j][j] += ridge);
            let step = solved(&hessian, &gradient);
            x.iter_mut().zip(&step).for_each(|(x, step)| *x -= step);
            if norm(&step) <= 1e-14 * norm(&x) {
                break;
            }
        }
        x
    }
}

fn draw_many(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.normal()).collect()
}

/// Solves a system of linear equations with a positive definite matrix, given by its lower triangle, by Cholesky decomposition.
fn solved(matrix: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let dim = right.len();
    let mut lower = matrix.to_vec();
    let mut x = right.to_vec();
    for j in 0..dim {
        for i in j..dim {
            let sum = lower[i][j] - dot(&lower[i][..j], &lower[j][..j]);
            lower[i][j] = if i == j { sum.sqrt() } else { sum / lower[j][j] };
        }
        x[j] = (x[j] - dot(&lower[j][..j], &x[..j])) / lower[j][j];
    }
    for j in (0..dim).rev() {
        x[j] /= lower[j][j];
        for k in 0..j {
            x[k] -= lower[j][k] * x[j];
        }
    }
    x
}

impl Problem for Logistic {
    fn dim(&self) -> usize {
        self.solution.len()
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = self.ridge * x);
        let count = self.batch.unwrap_or(self.rows.len());
        for i in 0..count {
            let row = &self.rows[if self.batch.is_some() { random.below(self.rows.len()) } else { i }];
            let slope = slope(dot(row, x)) / count as f64;
            gradient.iter_mut().zip(row).for_each(|(g, a)| *g += slope * a);
        }
    }

    fn excess(&self, x: &[f64]) -> f64 {
        self.value(x) - self.least
    }

    /// Returns the constants of the problem; the noise is that of gradients of length 1, an upper bound.
    fn facts(&self) -> Facts {
        let noise = self.batch.map_or(0.0, |batch| 1.0 / (batch as f64).sqrt());
        let gradient = 1.0 + self.ridge * self.radius;
        Facts { radius: self.radius, smoothness: 0.25 + self.ridge, gradient, noise, first: 1.0 }
    }
}
