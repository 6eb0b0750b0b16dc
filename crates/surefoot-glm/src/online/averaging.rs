//! Averaging of the iterates of all rounds, with weights α_t for round t (anytime online-to-batch conversion, in which
//! gradients are computed near the average). The weights are given by their prefix sums A_t.

use crate::numeric::check::need;
use serde::{Deserialize, Serialize};
use surefoot::Real;

/// Interpolation parameter β: gradients are computed at the query point q = βx + (1 − β)w between the average x and
/// the current iterate w. Any β in [0, 1] keeps the guarantee of the average (the interpolation of Schedule-Free); β =
/// 1 is the pure anytime conversion. The value was chosen by one pass over real data sets.
pub(crate) const BETA: f32 = 0.4;

/// Current round t, from which the averaging weights follow: their prefix sums are A_t = t^{3/2}, that is, round t has
/// the weight α_t ≈ 1.5·√t. Early iterates are forgotten, yet the noise of late iterates is averaged almost as well as
/// with equal weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Averaging {
    /// Current round t: one per row learnt, starting at 1. The number stays at its maximum after four billion rows;
    /// from then on, the averages of updated coordinates no longer change.
    pub(crate) step: u32,
    /// 1/t, the reciprocal of the current round.
    #[serde(rename = "inverse_step")]
    per_step: f32,
}

impl Averaging {
    /// Returns the averaging state of the first round.
    pub(crate) fn new() -> Averaging {
        Averaging { step: 1, per_step: 1.0 }
    }

    /// Checks that the round, read from a file, is within its range.
    pub(crate) fn check(&self) -> Result<(), String> {
        need(self.step >= 1 && self.per_step == 1.0 / self.step as f32, "the round of the state is out of its range")
    }

    /// Advances to the next round, after a row has been learnt.
    pub(crate) fn advance(&mut self) {
        self.step = self.step.saturating_add(1);
        self.per_step = 1.0 / self.step as f32;
    }

    /// Advances by a number of rounds at once.
    pub(crate) fn advance_by(&mut self, rows: u64) {
        self.step = u32::try_from(rows).map_or(u32::MAX, |rows| self.step.saturating_add(rows));
        self.per_step = 1.0 / self.step as f32;
    }

    /// Returns (A_t − A_s)/A_t for the current round t and s = `since`: the total weight in the average of the rounds
    /// after s.
    pub(crate) fn weight_since(&self, since: u32) -> f32 {
        let gone = self.fraction_since(since);
        averaging_weight(gone, (1.0 - gone).max(0.0))
    }

    /// Returns 1 − s/t for the current round t and s = `since`: the fraction of the rounds after s.
    #[inline(always)]
    pub(crate) fn fraction_since(&self, since: u32) -> f32 {
        self.step.saturating_sub(since) as f32 * self.per_step
    }
}

/// Returns 1 − (s/t)^{3/2}, the total weight in the average at round t of the rounds after s, given `left` = s/t and
/// `gone` = 1 − s/t.
#[inline(always)]
pub(crate) fn averaging_weight<R: Real>(gone: R, left: R) -> R {
    // Computes 1 − r³ with r² = s/t as (1 − r²)(1 + r + r²)/(1 + r), in which nothing cancels.
    let (r, one) = (left.sqrt(), R::of(1.0));
    gone * (one + r / (one + r) * r)
}
