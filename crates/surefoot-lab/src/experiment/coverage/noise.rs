//! Noises of mean 0 and size at most [`LARGEST`], and a linear loss whose gradients have such noise.

use crate::Random;
use crate::problem::{Facts, Problem};

/// Declared bound on the length of gradients.
pub(super) const GRADIENT: f64 = 1.0;
/// Gradient without noise.
pub(super) const SLOPE: f64 = 0.05;
/// Largest noise that keeps gradients within the declared bound.
const LARGEST: f64 = GRADIENT - SLOPE;

#[derive(Clone, Copy)]
pub(super) enum Noise {
    /// Normal with standard deviation .3, redrawn if larger than [`LARGEST`].
    Gaussian,
    /// Uniform up to [`LARGEST`] in size.
    Uniform,
    /// [`LARGEST`] in 2 % of draws, with the sign that reverses the slope of the loss, and otherwise the value that makes the mean 0.
    Rare,
    /// Pareto tails with exponent 1.2 from .01 on, on both sides, redrawn if larger than [`LARGEST`].
    Heavy,
    /// Two values ± s, where s depends on which of 20 rows is drawn: from .01 for the first row to [`LARGEST`] for the last.
    Rows,
}

pub(super) const NOISES: [Noise; 5] = [Noise::Gaussian, Noise::Uniform, Noise::Rare, Noise::Heavy, Noise::Rows];

impl Noise {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::Uniform => "uniform",
            Self::Rare => "rare",
            Self::Heavy => "heavy tails",
            Self::Rows => "variance by row",
        }
    }

    pub(super) fn draw(self, random: &mut Random) -> f64 {
        match self {
            Self::Gaussian => within(|| 0.3 * random.normal()),
            Self::Uniform => random.between(-LARGEST, LARGEST),
            Self::Rare => LARGEST * if random.unit() < 0.02 { -1.0 } else { 0.02 / 0.98 },
            Self::Heavy => random.sign(0.5) * within(|| 0.01 * (1.0 - random.unit()).powf(-1.0 / 1.2)),
            Self::Rows => {
                let row = random.below(20);
                random.sign(0.5) * LARGEST * (0.01 / LARGEST).powf((19 - row) as f64 / 19.0)
            }
        }
    }
}

/// Returns the first draw of size at most [`LARGEST`].
fn within(mut draw: impl FnMut() -> f64) -> f64 {
    loop {
        let noise = draw();
        if noise.abs() <= LARGEST {
            return noise;
        }
    }
}

/// Loss 1 + [`SLOPE`]·x over \[−1, 1\], each of whose rows has a slope with noise; losses of rows are between 0 and 2.
pub(super) struct Tilted(pub(super) Noise);

impl Problem for Tilted {
    fn dim(&self) -> usize {
        1
    }

    fn gradient(&self, _: &[f64], random: &mut Random, gradient: &mut [f64]) {
        gradient[0] = SLOPE + self.0.draw(random);
    }

    fn excess(&self, x: &[f64]) -> f64 {
        SLOPE * (x[0] + 1.0)
    }

    fn facts(&self) -> Facts {
        Facts { radius: 1.0, smoothness: 0.0, gradient: GRADIENT, noise: GRADIENT, first: GRADIENT }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each noise has mean 0 within four standard errors, keeps its declared bound and comes near it.
    #[test]
    fn noises_are_as_declared() {
        for noise in NOISES {
            let mut random = Random::new(3, noise.name(), 0);
            let draws: Vec<f64> = (0..200_000).map(|_| noise.draw(&mut random)).collect();
            let count = draws.len() as f64;
            let mean = draws.iter().sum::<f64>() / count;
            let variance = draws.iter().map(|z| z * z).sum::<f64>() / count;
            let largest = draws.iter().fold(0.0, |most: f64, z| most.max(z.abs()));

            assert!(mean.abs() < 4.0 * (variance / count).sqrt(), "{}: mean {mean}", noise.name());
            assert!((0.9 * LARGEST..=LARGEST).contains(&largest), "{}: {largest}", noise.name());
        }
    }
}
