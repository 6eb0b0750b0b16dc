//! Nesterov's chain, a worst-case quadratic for gradient methods.

use super::{Facts, Problem, disturb, norm};
use crate::Random;

/// Nesterov's chain, the worst quadratic for methods that move along gradients: ⅛(x_1² + Σ(x_{i+1} − x_i)² + x_k²) − ¼x_1.
///
/// With k coordinates, its smoothness is L = 1, and the minimiser is x*_i = 1 − i/(k+1). If k ≥ 2T + 1, no method whose points stay in the
/// span of its gradients has an excess below 3L‖x*‖²/(32(T+1)²) after T gradients. The radius of the ball is ‖x*‖.
///
/// Source: Nesterov, Introductory Lectures on Convex Optimization, Theorem 2.1.7.
#[derive(Clone, Debug)]
pub struct Chain {
    solution: Vec<f64>,
    noise: f64,
    room: f64,
}

impl Chain {
    /// Builds the chain with `dim` coordinates and noise of standard deviation σ = `noise`.
    #[must_use]
    pub fn new(dim: usize, noise: f64) -> Self {
        let solution = (1..=dim).map(|i| 1.0 - i as f64 / (dim as f64 + 1.0)).collect();
        Self { solution, noise, room: 1.0 }
    }

    /// Enlarges the domain to a ball of radius `room`·‖x*‖, although the radius ‖x*‖ would suffice.
    #[must_use]
    pub fn within(self, room: f64) -> Self {
        Self { room, ..self }
    }
}

impl Problem for Chain {
    fn dim(&self) -> usize {
        self.solution.len()
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        let last = x.len() - 1;
        for i in 0..=last {
            let before = if i == 0 { 1.0 } else { x[i - 1] };
            let after = if i == last { 0.0 } else { x[i + 1] };
            gradient[i] = 0.25 * (2.0 * x[i] - before - after);
        }
        disturb(gradient, self.noise, random);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        // The excess is the quadratic form of the distance from the minimiser.
        let (mut last, mut sum) = (0.0, 0.0);
        for (x, solution) in x.iter().zip(&self.solution) {
            sum += (x - solution - last).powi(2);
            last = x - solution;
        }
        0.125 * (sum + last * last)
    }

    fn facts(&self) -> Facts {
        let first = (0.0625 + self.noise * self.noise).sqrt();
        let (radius, gradient) = (self.room * norm(&self.solution), f64::INFINITY);
        Facts { radius, smoothness: 1.0, gradient, noise: self.noise, first }
    }
}
