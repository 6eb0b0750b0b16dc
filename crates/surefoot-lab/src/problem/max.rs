use super::{Facts, Problem, dot};
use crate::Random;

/// The resisting function max_j x_j + (μ/2)‖x‖², whose subgradient names the first of the largest coordinates only.
///
/// With d = T + 1 coordinates a method knows nothing of one of them after T gradients, so its excess is at least
/// 1/√d for μ = 0 over the unit ball, whose minimum is −1/√d. For μ > 0 the minimum is −1/(2μd).
///
/// Source: Nemirovski and Yudin (1983).
#[derive(Clone, Copy, Debug)]
pub struct Max {
    dim: usize,
    curvature: f64,
    /// Whether all of the largest coordinates are named: no resistance. An error to plant.
    open: bool,
}

impl Max {
    /// With `dim` coordinates and μ = `curvature`, over the unit ball.
    #[must_use]
    pub fn new(dim: usize, curvature: f64) -> Self {
        Self { dim, curvature, open: false }
    }

    /// The oracle names all of the largest coordinates, and so says more than it should.
    #[must_use]
    pub fn open(self) -> Self {
        Self { open: true, ..self }
    }
}

impl Problem for Max {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[f64], _: &mut Random, gradient: &mut [f64]) {
        let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties = if self.open { x.iter().filter(|x| **x == most).count() } else { 1 };
        let mut left = ties;
        for (g, x) in gradient.iter_mut().zip(x) {
            *g = self.curvature * x;
            if *x == most && left > 0 {
                *g += 1.0 / ties as f64;
                left -= 1;
            }
        }
    }

    fn excess(&self, x: &[f64]) -> f64 {
        let (most, d) = (x.iter().copied().fold(f64::NEG_INFINITY, f64::max), self.dim as f64);
        let least = if self.curvature > 0.0 { -1.0 / (2.0 * self.curvature * d) } else { -1.0 / d.sqrt() };
        most + self.curvature / 2.0 * dot(x, x) - least
    }

    fn facts(&self) -> Facts {
        let (gradient, smoothness) = (1.0 + self.curvature, f64::INFINITY);
        Facts { radius: 1.0, smoothness, gradient, noise: 0.0, first: 1.0 }
    }
}
