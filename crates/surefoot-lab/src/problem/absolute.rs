//! Least-absolute-deviations regression with a known minimiser.

use super::{Facts, Problem, dot, norm};
use crate::Random;

/// Least absolute deviations, (1/n)Σ|⟨a_i, x⟩ − y_i|, with a known minimiser: every row occurs twice, with residuals +e and −e at the
/// solution, neither of which can be reduced without increasing the other.
#[derive(Clone, Debug)]
pub struct Absolute {
    /// Rows, each with the vector a, the product ⟨a, solution⟩, and the residual e.
    rows: Vec<(Vec<f64>, f64, f64)>,
    dim: usize,
    radius: f64,
}

impl Absolute {
    /// Builds a problem with `pairs` pairs of rows, drawn from the standard normal distribution, and residuals of size `error`, over
    /// a ball of this radius.
    ///
    /// # Panics
    /// If the solution does not lie in the ball.
    #[must_use]
    pub fn new(dim: usize, pairs: usize, error: f64, radius: f64) -> Self {
        let mut random = Random::new(0, "absolute", pairs as u64);
        let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| random.normal()).collect() };
        let solution = draw(dim);
        assert!(norm(&solution) < radius, "the solution lies in the ball");
        let errors = draw(pairs);
        let rows = errors.iter().map(|e| (draw(dim), error * e.abs())).map(|(a, e)| {
            let level = dot(&a, &solution);
            (a, level, e)
        });
        Self { rows: rows.collect(), dim, radius }
    }
}

impl Problem for Absolute {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[f64], _: &mut Random, gradient: &mut [f64]) {
        gradient.fill(0.0);
        let share = 0.5 / self.rows.len() as f64;
        for (a, level, e) in &self.rows {
            let away = dot(a, x) - level;
            let slope = share * ((away - e).signum() + (away + e).signum());
            gradient.iter_mut().zip(a).for_each(|(g, a)| *g += slope * a);
        }
    }

    fn excess(&self, x: &[f64]) -> f64 {
        // The mean of both terms less e: (|r − e| + |r + e|)/2 − e = max(|r| − e, 0).
        let excess = |(a, level, e): &(Vec<f64>, f64, f64)| ((dot(a, x) - level).abs() - e).max(0.0);
        self.rows.iter().map(excess).sum::<f64>() / self.rows.len() as f64
    }

    fn facts(&self) -> Facts {
        let gradient = self.rows.iter().map(|row| norm(&row.0)).sum::<f64>() / self.rows.len() as f64;
        Facts { radius: self.radius, smoothness: f64::INFINITY, gradient, noise: 0.0, first: gradient }
    }
}
