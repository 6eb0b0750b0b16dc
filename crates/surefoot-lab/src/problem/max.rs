//! The resisting function, a worst case for methods on non-smooth losses.

use super::{Facts, Problem, dot};
use crate::Random;

/// Resisting function max_j x_j + (μ/2)‖x‖², whose subgradient reveals only the first of the largest coordinates.
///
/// With d = T + 1 coordinates, one of them remains unknown to a method after T gradients, so that its excess is at least 1/√d for μ = 0 over
/// the unit ball, where the minimum is −1/√d. For μ > 0 the minimum is −1/(2μd).
///
/// Source: Nemirovski and Yudin (1983).
#[derive(Clone, Copy, Debug)]
pub struct Max {
    dim: usize,
    curvature: f64,
    /// Whether the oracle reveals all of the largest coordinates instead of only the first, as a deliberate mistake.
    open: bool,
}

impl Max {
    /// Builds the function with `dim` coordinates and μ = `curvature`, over the unit ball.
    #[must_use]
    pub fn new(dim: usize, curvature: f64) -> Self {
        Self { dim, curvature, open: false }
    }

    /// Plants an error: makes the oracle reveal all of the largest coordinates instead of only the first.
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
