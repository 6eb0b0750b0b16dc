//! Step-size scales D of the lanes (learners trained side by side), corrected for the magnitude of each lane's
//! gradients.
//!
//! AdaGrad divides by the square root of the learner's own sum of squared gradients S. The lanes share one sum S_j
//! per coordinate j, that of the model's gradients, so the step size of lane k would be wrong by the factor √ρ_k,
//! where ρ_k is the ratio of the lane's squared gradients to the model's. One ratio per lane is kept for all
//! coordinates: S_jk ≈ S_j·ρ_k, a matrix of rank one.

use super::coordinate::Gradients;
use crate::{
    loss::Loss,
    numeric::check::{is_magnitude, need},
    simd::lanes::{LANES, Lanes},
};
use serde::{Deserialize, Serialize};

/// Multiple of the model's gradient at which the gradient of a lane (one of the learners trained side by side) is
/// clipped. The sums of squared gradients, which step sizes depend on, contain the model's gradients only, so without
/// clipping a lane that is far off could diverge.
const CLIP: f32 = 2.0;

/// Returns the exponent k by which squared gradients are discounted: after t rows, the squared gradient of row s has a
/// weight of about (s/t)^k. Most gradients are bounded or stationary; gradients proportional to the error start at the
/// magnitude of the labels, and have to be discounted faster.
fn discount_exponent(loss: Loss) -> f64 {
    match loss {
        Loss::Squared | Loss::Huber { .. } => 3.0,
        _ => 1.0,
    }
}

/// Discounted sums of squared gradients, of the model and of each lane (one of the learners trained side by side),
/// from which corrected step-size scales are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepSizes {
    model: f64,
    lanes: [f64; LANES],
}

impl StepSizes {
    /// Checks that the sums, read from a file, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sizes = is_magnitude(self.model) && self.lanes.iter().all(|x| is_magnitude(*x));
        need(sizes, "the squared gradients of the state are out of their range")
    }

    /// Adds the squared gradients at the row of round `step` to the sums. `gradients` has one entry per margin; in each
    /// entry this sets the model's gradient from those of the lanes (learners trained side by side), and clips the
    /// gradients of the lanes.
    #[inline]
    pub(crate) fn add(&mut self, loss: Loss, step: u32, shares: &Lanes, gradients: &mut [Gradients]) {
        let k = discount_exponent(loss);
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

    /// Returns the corrected step-size scale D_k/√ρ_k of each learner k trained side by side (lane), where ρ_k is the
    /// ratio of the lane's squared gradients to the model's.
    pub(crate) fn scales(&self, loss: Loss) -> Lanes {
        let mut scales = StepSizes::grid(loss);
        for (scale, &sum) in scales.0.iter_mut().zip(&self.lanes) {
            if sum > 0.0 && self.model > 0.0 {
                *scale *= (self.model / sum).sqrt() as f32;
            }
        }
        scales
    }

    /// Returns the step-size scales D of the lanes (learners trained side by side), each about 3 times the one before.
    /// Margins are of order 1 in classification and with a log link; in regression, weights may exceed the standard
    /// deviation of the label by far if columns are nearly collinear.
    pub(crate) fn grid(loss: Loss) -> Lanes {
        Lanes(match loss.classifies() || loss.variance_power().is_some() {
            true => [0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
            false => [0.3, 1.0, 3.0, 10.0, 30.0, 100.0],
        })
    }

    /// Multiplies all sums of squared gradients by the square of `ratio` after a change of the unit in which gradients
    /// are stored.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.model *= ratio * ratio;
        self.lanes.iter_mut().for_each(|sum| *sum *= ratio * ratio);
    }
}
