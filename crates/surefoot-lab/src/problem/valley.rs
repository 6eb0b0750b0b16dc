use super::{Facts, Problem, disturb};
use crate::Random;

/// A valley with straight sides: s·w·h((x_1 − c)/w) over the unit ball, h(z) = z²/2 where |z| ≤ 1 and |z| − ½ beyond; for w
/// = 0 the edge s·|x_1 − c|. Its slope is s at most, L = s/w, and noise is added.
///
/// With s = σ/√T noise hides on which side the valley lies from any method of T steps, whose excess is then of order σ/√T:
/// the linear loss of [`Linear`](super::Linear) with a minimiser in the whole space, which Algorithm 4 must have.
#[derive(Clone, Copy, Debug)]
pub struct Valley {
    dim: usize,
    slope: f64,
    width: f64,
    centre: f64,
    noise: f64,
}

impl Valley {
    /// With slope s, width w, noise σ and its bottom at x_1 = 1.
    #[must_use]
    pub fn new(dim: usize, slope: f64, width: f64, noise: f64) -> Self {
        Self { dim, slope, width, centre: 1.0, noise }
    }

    /// With its bottom at x_1 = `centre`; beyond 1 it lies outside the ball.
    #[must_use]
    pub fn at(self, centre: f64) -> Self {
        Self { centre, ..self }
    }

    /// The loss less its minimum over the whole space, at a distance from the bottom.
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
