//! Quadratic ½‖x‖² with noise, whose minimum is at the starting point.

use super::{Facts, Problem, disturb, dot};
use crate::Random;

/// Quadratic ½‖x‖² with noise: 1-smooth and 1-strongly convex, with its minimum at the starting point of the methods.
#[derive(Clone, Copy, Debug)]
pub struct Bowl {
    dim: usize,
    noise: f64,
}

impl Bowl {
    /// Builds the quadratic with `dim` coordinates and noise of standard deviation σ = `noise`.
    #[must_use]
    pub fn new(dim: usize, noise: f64) -> Self {
        Self { dim, noise }
    }
}

impl Problem for Bowl {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        gradient.copy_from_slice(x);
        disturb(gradient, self.noise, random);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        dot(x, x) / 2.0
    }

    fn facts(&self) -> Facts {
        Facts { radius: 1.0, smoothness: 1.0, gradient: 1.0, noise: self.noise, first: self.noise }
    }
}
