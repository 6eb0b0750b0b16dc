//! Averaging weights α_t of the anytime conversion, as prefix sums.

use crate::numeric::check::need;
use serde::{Deserialize, Serialize};
use surefoot::Real;

/// Interpolation β of the query point q = βx + (1 − β)w between average x and iterate w. Any β in [0, 1] keeps the guarantee of
/// the average (Schedule-Free's interpolation); 1 is the pure anytime conversion. Chosen by one pass over real data sets.
pub(crate) const BETA: f32 = 0.4;

/// The current round, and the averaging weights that follow from it: A_t = t^{3/2}, that is α_t ≈ 1.5·√t. Early iterates are
/// forgotten, yet the noise of late ones is averaged almost as well as with equal weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Averaging {
    /// Current round t, from 1. Saturates: from then on, four billion rows after the start, updated coordinates keep their
    /// average.
    pub(crate) step: u32,
    /// 1/t.
    #[serde(rename = "inverse_step")]
    per_step: f32,
}

impl Averaging {
    /// Round 1.
    pub(crate) fn new() -> Averaging {
        Averaging { step: 1, per_step: 1.0 }
    }

    /// Checks a round read from a file.
    pub(crate) fn check(&self) -> Result<(), String> {
        need(self.step >= 1 && self.per_step == 1.0 / self.step as f32, "the round of the state is out of its range")
    }

    /// Advances to the next round.
    pub(crate) fn advance(&mut self) {
        self.step = self.step.saturating_add(1);
        self.per_step = 1.0 / self.step as f32;
    }

    /// Weight (A_t − A_s)/A_t in the average of the rounds after round `since` = s.
    pub(crate) fn weight_since(&self, since: u32) -> f32 {
        let gone = self.fraction_since(since);
        averaging_weight(gone, (1.0 - gone).max(0.0))
    }

    /// 1 − s/t.
    #[inline(always)]
    pub(crate) fn fraction_since(&self, since: u32) -> f32 {
        self.step.saturating_sub(since) as f32 * self.per_step
    }
}

/// Weight in the average of the rounds after round s, where `left` is s/t and `gone` is 1 − s/t.
#[inline(always)]
pub(crate) fn averaging_weight<R: Real>(gone: R, left: R) -> R {
    // 1 − r³ with r² = s/t, as (1 − r²)(1 + r + r²)/(1 + r): nothing cancels.
    let (r, one) = (left.sqrt(), R::of(1.0));
    gone * (one + r / (one + r) * r)
}
