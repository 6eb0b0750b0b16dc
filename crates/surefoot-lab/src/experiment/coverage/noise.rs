//! Noise distributions with mean 0 and absolute value at most [`LARGEST`], and a linear loss whose gradients have such noise.

use crate::Random;
use crate::problem::{Facts, Problem};

/// Declared upper bound on the length of all gradients.
pub(super) const GRADIENT: f64 = 1.0;
/// Gradient of the linear loss, without noise.
pub(super) const SLOPE: f64 = 0.05;
/// Largest absolute value of the noise, so that gradients stay within their declared bound.
const LARGEST: f64 = GRADIENT - SLOPE;

#[derive(Clone, Copy)]
pub(super) enum Noise {
    /// Normal distribution with standard deviation 0.3, redrawn if larger than [`LARGEST`].
    Gaussian,
    /// Uniform distribution from −[`LARGEST`] to [`LARGEST`].
    Uniform,
    /// Value −[`LARGEST`] with probability 2 %, which reverses the sign of the gradient; otherwise the positive value that makes the mean
    /// 0.
    Rare,
    /// Symmetric Pareto distribution with exponent 1.2 from 0.01 on, redrawn if larger than [`LARGEST`].
    Heavy,
    /// Values ±s with equal probability, where s depends on which of 20 rows is drawn: from 0.01 for the first row to [`LARGEST`] for the
    /// last.
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

/// Draws numbers until one has an absolute value of at most [`LARGEST`], and returns it.
fn within(mut draw: impl FnMut() -> f64) -> f64 {
    loop {
        let noise = draw();
        if noise.abs() <= LARGEST {
            return noise;
        }
    }
}

/// Linear loss 1 + [`SLOPE`]·x over \[−1, 1\], the mean of random rows whose slopes contain noise; the loss of a row is between 0 and 2.
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

    /// Each noise distribution has mean 0 within four standard errors, stays within its declared bound and comes close to this bound.
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
