//! Linear loss with noise.

use super::{Facts, Problem, disturb};
use crate::Random;

/// Linear loss ⟨c, x⟩ over the unit ball with noise, with c along the first coordinate.
///
/// If ‖c‖ = σ/√T, noise of standard deviation σ hides c from any method of T steps, whose excess is then of order σ/√T.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    dim: usize,
    slope: f64,
    noise: f64,
}

impl Linear {
    /// Builds the loss with `dim` coordinates, ‖c‖ = `slope` and noise of standard deviation σ = `noise`.
    #[must_use]
    pub fn new(dim: usize, slope: f64, noise: f64) -> Self {
        Self { dim, slope, noise }
    }
}

impl Problem for Linear {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, _: &[f64], random: &mut Random, gradient: &mut [f64]) {
        gradient.fill(0.0);
        gradient[0] = self.slope;
        disturb(gradient, self.noise, random);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        self.slope * (x[0] + 1.0)
    }

    fn facts(&self) -> Facts {
        let first = (self.slope * self.slope + self.noise * self.noise).sqrt();
        Facts { radius: 1.0, smoothness: 0.0, gradient: self.slope, noise: self.noise, first }
    }
}
