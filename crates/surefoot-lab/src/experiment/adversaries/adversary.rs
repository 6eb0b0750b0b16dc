//! Adversaries of an online learner: rules that choose the gradient of each round.

use super::DIM;
use crate::Random;
use crate::problem::norm;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adversary {
    Random,
    Sparse,
    Greedy,
    Drifting,
    /// Normally distributed vectors, each with a random scale from 1e-3 to 1e2.
    Spiky,
    Turning,
    Alternating,
    Constant,
    /// Zero gradients for 20 rounds, then normally distributed vectors.
    Silent,
    Huge,
    Tiny,
}

use Adversary::{Alternating, Constant, Drifting, Greedy, Huge, Silent, Sparse, Spiky, Tiny, Turning};

pub(super) const ADVERSARIES: [Adversary; 11] =
    [Adversary::Random, Sparse, Greedy, Drifting, Spiky, Turning, Alternating, Constant, Silent, Huge, Tiny];

impl Adversary {
    /// Returns the gradient of a round, chosen without knowledge of the learner's iterate; `None` if this adversary
    /// needs the iterate.
    pub(super) fn blind(self, step: u64, base: &[f64], random: &mut Random) -> Option<Vec<f64>> {
        let mut noise = |size: f64| -> Vec<f64> { (0..DIM).map(|_| size * random.normal()).collect() };
        let times = |factor: f64| base.iter().map(|b| factor * b).collect();
        Some(match self {
            Adversary::Random => noise(1.0),
            Sparse => (0..DIM).map(|_| if random.unit() < 0.3 { random.sign(0.5) } else { 0.0 }).collect(),
            Greedy => return None,
            Drifting => noise(0.3).iter().zip(base).map(|(z, b)| z + b).collect(),
            Spiky => {
                let size = 10_f64.powf(random.between(-3.0, 2.0));
                (0..DIM).map(|_| size * random.normal()).collect()
            }
            Turning => times(if (step / 14).is_multiple_of(2) { 1.0 } else { -1.3 }),
            Alternating => times(if step.is_multiple_of(2) { 1.0 } else { -1.0 }),
            Constant => times(1.0),
            Silent if step <= 20 => times(0.0),
            Silent => noise(1.0),
            Huge => noise(1e100),
            Tiny => noise(1e-100),
        })
    }

    /// Returns the gradient chosen by the greedy adversary: nearly the direction of the learner's iterate, where the
    /// loss is largest.
    pub(super) fn seeing(self, iterate: &[f64], base: &[f64]) -> Vec<f64> {
        let size = norm(iterate).max(1e-9);
        iterate.iter().zip(base).map(|(w, b)| w / size + 0.05 * b).collect()
    }
}
