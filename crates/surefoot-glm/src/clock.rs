//! The weights α_t of the conversion and the global scale of the iterates, as prefix sums.

use serde::{Deserialize, Serialize};

/// How much of the query point is the average: q = βx + (1 − β)w (theory: any β in [0, 1] keeps the guarantee of
/// the average, Schedule-Free's interpolation). Measured on one pass over real sets; 1 is the pure anytime conversion.
pub(crate) const BETA: f64 = 0.4;

/// The weights are α_t = A_t − A_{t−1} with A_t = t^{3/2}, that is α_t ≈ 1.5·√t: early iterates are forgotten, yet
/// the noise of the late ones is averaged almost as well as with equal weights.
fn total(step: u64) -> f64 {
    let t = step as f64;
    t * t.sqrt()
}

/// Which round is next, with A_t and P_t = Σ α_s·scale_s, both including that round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// The round t whose query point is asked now, from 1.
    step: u64,
    /// A_t.
    pub(crate) weights: f64,
    /// P_t.
    pub(crate) scaled: f64,
    /// The global scale of iterate w_t.
    pub(crate) scale: f64,
    /// 1/A_t.
    pub(crate) inverse: f64,
}

impl Clock {
    /// The first round, with the scale of its iterate (which is 0 whatever the scale).
    pub(crate) fn new(scale: f64) -> Clock {
        Clock { step: 1, weights: total(1), scaled: total(1) * scale, scale, inverse: 1.0 / total(1) }
    }

    /// Goes on to the next round, whose iterate has this scale.
    pub(crate) fn advance(&mut self, scale: f64) {
        self.step += 1;
        let weights = total(self.step);
        self.scaled += (weights - self.weights) * scale;
        self.weights = weights;
        self.scale = scale;
        self.inverse = 1.0 / weights;
    }

    /// The mean of the scale of the iterates since a moment when the sums were these.
    #[inline(always)]
    pub(crate) fn mean_scale(&self, weights: f64, scaled: f64) -> f64 {
        // A scale that was 1 all along, as for classes, needs no division.
        if self.scaled == self.weights { 1.0 } else { (self.scaled - scaled) / (self.weights - weights) }
    }

    /// Multiplies the unit of the scale by 1/`ratio`, a power of two.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.scaled *= ratio;
        self.scale *= ratio;
    }
}
