//! Valley with straight sides and a quadratic bottom or a sharp edge.

use super::{Facts, Problem, disturb};
use crate::Random;

/// Valley with straight sides: s·w·h((x_1 − c)/w) over the unit ball with noise, where h(z) = z²/2 for |z| ≤ 1 and |z| − ½ beyond; for w = 0
/// the edge s·|x_1 − c|. Its slope is at most s, and its smoothness is L = s/w.
///
/// If s = σ/√T, noise hides the side on which the bottom lies from any method of T steps, whose excess is then of order σ/√T. The valley
/// resembles the linear loss of [`Linear`](super::Linear), but has a minimiser in the whole space, as Algorithm 4 requires.
#[derive(Clone, Copy, Debug)]
pub struct Valley {
    dim: usize,
    slope: f64,
    width: f64,
    centre: f64,
    noise: f64,
}

impl Valley {
    /// Builds a valley with slope s, width w and noise σ, and its bottom at x_1 = 1.
    #[must_use]
    pub fn new(dim: usize, slope: f64, width: f64, noise: f64) -> Self {
        Self { dim, slope, width, centre: 1.0, noise }
    }

    /// Moves the bottom of the valley to x_1 = `centre`; beyond 1 it lies outside the unit ball.
    #[must_use]
    pub fn at(self, centre: f64) -> Self {
        Self { centre, ..self }
    }

    /// Returns the excess loss above the minimum over the whole space, at this distance from the bottom of the valley.
    fn height(&self, distance: f64) -> f64 {
        let beyond = distance.abs().min(self.width);
        self.slope * (distance.abs() - beyond + if beyond > 0.0 { beyond * beyond / (2.0 * self.width) } else { 0.0 })
    }
}

impl Problem for Valley {
    fn dim(&self) -> usize {
        self.dim
    }

    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]) {
        gradient.fill(0.0);
        let away = x[0] - self.centre;
        gradient[0] =
            self.slope * if away.abs() <= self.width && away != 0.0 { away / self.width } else { away.signum() };
        disturb(gradient, self.noise, random);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        self.height(x[0] - self.centre) - self.height((self.centre - 1.0).max(0.0))
    }

    fn facts(&self) -> Facts {
        let first = (self.slope * self.slope + self.noise * self.noise).sqrt();
        Facts { radius: 1.0, smoothness: self.slope / self.width, gradient: self.slope, noise: self.noise, first }
    }
}
