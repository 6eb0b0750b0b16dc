//! The scales of the lanes: their D, corrected for how large their gradients are.
//!
//! AdaGrad divides by the root of its own sum of squares S. Lanes share one S a coordinate, that of the model's
//! gradients, so lane k would be off by √ρ_k, where ρ_k is the ratio of its squared gradients to the model's. That ratio
//! is kept once for all coordinates: S_jk ≈ S_j·ρ_k, a matrix of rank one.

use super::coordinate::Gradients;
use crate::{
    loss::Loss,
    numeric::check::{is_magnitude, need},
    simd::lanes::{LANES, Lanes},
};
use serde::{Deserialize, Serialize};

/// A lane's gradient counts up to this multiple of the model's: a lane that is far off must not run away from an S that
/// does not know of its gradients.
const CLIP: f32 = 2.0;

/// How fast squared gradients are forgotten: after t rows that of row s counts about (s/t)^k. Most are bounded, or
/// keep their size; those in proportion to the error begin at the size of the labels, and what is left of that must go sooner.
fn forgetting(loss: Loss) -> f64 {
    match loss {
        Loss::Squared | Loss::Huber { .. } => 3.0,
        _ => 1.0,
    }
}

/// Squared gradients of the model and of the lanes, forgetting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepSizes {
    model: f64,
    lanes: [f64; LANES],
}

impl StepSizes {
    /// Checks one that was read from a file.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sizes = is_magnitude(self.model) && self.lanes.iter().all(|x| is_magnitude(*x));
        need(sizes, "the squared gradients of the state are out of their range")
    }

    /// Counts the gradients of round `step` in each margin of the row, clips them, and says what the model's are.
    #[inline]
    pub(crate) fn add(&mut self, loss: Loss, step: u32, shares: &Lanes, gradients: &mut [Gradients]) {
        let k = forgetting(loss);
        let keep = 1.0 - k / (f64::from(step) + k);
        self.model *= keep;
        self.lanes.iter_mut().for_each(|sum| *sum *= keep);
        for Gradients { lanes, model } in gradients {
            let mean: f64 =
                shares.0.iter().zip(&lanes.0).map(|(&p, &g)| f64::from(p) * f64::from(g) * f64::from(g)).sum();
            *model = mean.sqrt() as f32;
            self.model += mean;
            for (sum, g) in self.lanes.iter_mut().zip(&mut lanes.0) {
                *g = g.clamp(-CLIP * *model, CLIP * *model);
                *sum += f64::from(*g) * f64::from(*g);
            }
        }
    }

    /// D_k/√ρ_k for every lane.
    pub(crate) fn scales(&self, loss: Loss) -> Lanes {
        let mut scales = StepSizes::grid(loss);
        for (scale, &sum) in scales.0.iter_mut().zip(&self.lanes) {
            if sum > 0.0 && self.model > 0.0 {
                *scale *= (self.model / sum).sqrt() as f32;
            }
        }
        scales
    }

    /// The scales D, a factor of about 3 apart. Margins of classes and of logarithms are of order 1; a number may need far larger weights
    /// than its own spread, where columns are nearly collinear.
    pub(crate) fn grid(loss: Loss) -> Lanes {
        Lanes(match loss.classifies() || loss.variance_power().is_some() {
            true => [0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
            false => [0.3, 1.0, 3.0, 10.0, 30.0, 100.0],
        })
    }

    /// Multiplies the unit of gradients by 1/`ratio`.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.model *= ratio * ratio;
        self.lanes.iter_mut().for_each(|sum| *sum *= ratio * ratio);
    }
}
