//! Problems with known solutions: oracle, excess over the minimum in closed form, constants.

mod absolute;
mod bowl;
mod chain;
mod diagonal;
mod linear;
pub(crate) mod logistic;
mod max;
mod valley;

pub use absolute::Absolute;
pub use bowl::Bowl;
pub use chain::Chain;
pub use diagonal::Diagonal;
pub use linear::Linear;
pub use logistic::Logistic;
pub use max::Max;
pub use valley::Valley;

use crate::Random;

/// Constants of a problem that theory needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// The radius of the ball that is the domain; a minimiser over it lies in it.
    pub radius: f64,
    /// L: gradients are this Lipschitz in the whole space; ∞ if they are not.
    pub smoothness: f64,
    /// G: no gradient in the ball is longer (without noise); ∞ if not known.
    pub gradient: f64,
    /// σ: the noise of a gradient has this second moment, √E‖ζ‖².
    pub noise: f64,
    /// √E‖g‖² at the centre, where methods start.
    pub first: f64,
}

impl Facts {
    /// B.
    #[must_use]
    pub fn diameter(&self) -> f64 {
        2.0 * self.radius
    }
}

/// A convex problem min L over a ball, around 0 but where it was moved.
pub trait Problem: Send + Sync {
    /// The number of coordinates.
    fn dim(&self) -> usize;

    /// Writes a subgradient at `x`, with noise of mean 0 if the problem is noisy.
    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]);

    /// L(x) less the minimum, without cancellation.
    fn excess(&self, x: &[f64]) -> f64;

    /// Its constants.
    fn facts(&self) -> Facts;

    /// The centre of the ball, where methods start; 0 unless it was moved.
    fn centre(&self) -> Vec<f64> {
        vec![0.0; self.dim()]
    }
}

/// ⟨a, b⟩.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// ‖a‖.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Adds noise of second moment `noise`² in all.
fn disturb(gradient: &mut [f64], noise: f64, random: &mut Random) {
    if noise > 0.0 {
        let each = noise / (gradient.len() as f64).sqrt();
        gradient.iter_mut().for_each(|g| *g += each * random.normal());
    }
}

#[cfg(test)]
mod tests;
