//! A badly scaled quadratic.

use super::{Facts, Problem};
use crate::Random;

/// Badly scaled quadratic ½ΣL_j(x_j − c_j)², with curvatures L_j from 1 down to `least` and a minimiser c in the cube |x_j| ≤ 1.
#[derive(Clone, Debug)]
pub struct Diagonal {
    curvatures: Vec<f64>,
    solution: Vec<f64>,
}

impl Diagonal {
    /// Builds the problem with `dim` coordinates, and curvatures L_j in a geometric sequence from 1 down to `least`.
    #[must_use]
    pub fn new(dim: usize, least: f64) -> Self {
        let mut random = Random::new(0, "diagonal", dim as u64);
        let curvatures = (0..dim).map(|j| least.powf(j as f64 / (dim as f64 - 1.0))).collect();
        Self { curvatures, solution: (0..dim).map(|_| random.between(-1.0, 1.0)).collect() }
    }

    /// Returns the curvatures L_j.
    #[must_use]
    pub fn curvatures(&self) -> &[f64] {
        &self.curvatures
    }
}

impl Problem for Diagonal {
    fn dim(&self) -> usize {
        self.solution.len()
    }

    fn gradient(&self, x: &[f64], _: &mut Random, gradient: &mut [f64]) {
        for (j, g) in gradient.iter_mut().enumerate() {
            *g = self.curvatures[j] * (x[j] - self.solution[j]);
        }
    }

    fn excess(&self, x: &[f64]) -> f64 {
        let term = |j: usize| 0.5 * self.curvatures[j] * (x[j] - self.solution[j]).powi(2);
        (0..x.len()).map(term).sum()
    }

    /// Returns the constants of the problem; the ball is the circumscribed ball of the cube.
    fn facts(&self) -> Facts {
        let radius = (self.dim() as f64).sqrt();
        let first = self.curvatures.iter().zip(&self.solution).map(|(l, c)| (l * c).powi(2)).sum::<f64>().sqrt();
        Facts { radius, smoothness: 1.0, gradient: f64::INFINITY, noise: 0.0, first }
    }
}
