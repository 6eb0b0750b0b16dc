//! Optimisation problems with known solutions: each has a gradient oracle, its constants, and the excess loss above the minimum in
//! closed form.

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

/// Constants of a problem that appear in the theorems.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Radius of the ball that is the domain of the problem; the ball contains a minimiser of the loss over it.
    pub radius: f64,
    /// Smoothness constant L: the Lipschitz constant of the gradient in the whole space; ∞ if the loss is not smooth.
    pub smoothness: f64,
    /// Largest length G of a gradient in the ball, without noise; ∞ if unknown.
    pub gradient: f64,
    /// Standard deviation σ = √E‖ζ‖² of the noise ζ in a gradient.
    pub noise: f64,
    /// Root mean square √E‖g‖² of the gradient g at the centre of the ball, where methods start.
    pub first: f64,
}

impl Facts {
    /// Returns the diameter B of the ball, twice its radius.
    #[must_use]
    pub fn diameter(&self) -> f64 {
        2.0 * self.radius
    }
}

/// Convex problem: minimise a loss L over a ball around 0, unless the problem was translated.
pub trait Problem: Send + Sync {
    /// Returns the number of coordinates of a point.
    fn dim(&self) -> usize;

    /// Writes a subgradient of L at `x` to `gradient`, with noise of mean 0 if the problem is noisy.
    fn gradient(&self, x: &[f64], random: &mut Random, gradient: &mut [f64]);

    /// Returns the excess loss L(x) − min L, computed without cancellation.
    fn excess(&self, x: &[f64]) -> f64;

    /// Returns the constants of the problem that appear in the theorems.
    fn facts(&self) -> Facts;

    /// Returns the centre of the ball, where methods start; 0 unless the problem was translated.
    fn centre(&self) -> Vec<f64> {
        vec![0.0; self.dim()]
    }
}

/// Returns the inner product ⟨a, b⟩.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the Euclidean norm ‖a‖.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Adds normally distributed noise ζ with E‖ζ‖² = `noise`² to the gradient.
fn disturb(gradient: &mut [f64], noise: f64, random: &mut Random) {
    if noise > 0.0 {
        let each = noise / (gradient.len() as f64).sqrt();
        gradient.iter_mut().for_each(|g| *g += each * random.normal());
    }
}

#[cfg(test)]
mod tests;
