//! The weights α_t of the conversion, as prefix sums.

use crate::numeric::check::need;
use serde::{Deserialize, Serialize};
use surefoot::Real;

/// How much of the query point is the average: q = βx + (1 − β)w (theory: any β in [0, 1] keeps the guarantee of
/// the average, Schedule-Free's interpolation). Measured on one pass over real sets; 1 is the pure anytime conversion.
pub(crate) const BETA: f32 = 0.4;

/// Which round is next. The weights are those of A_t = t^{3/2}, that is α_t ≈ 1.5·√t: early iterates are forgotten, yet
/// the noise of the late ones is averaged almost as well as with equal weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Averaging {
    /// The round t whose query point is asked now, from 1. It stands still at the end of its range: from then on, four
    /// billion rows after the start, coordinates that are touched keep their average.
    pub(crate) step: u32,
    /// 1/t.
    per_step: f32,
}

impl Averaging {
    /// The first round.
    pub(crate) fn new() -> Averaging {
        Averaging { step: 1, per_step: 1.0 }
    }

    /// Checks one that was read from a file.
    pub(crate) fn check(&self) -> Result<(), String> {
        need(self.step >= 1 && self.per_step == 1.0 / self.step as f32, "the round of the state is out of its range")
    }

    /// Goes on to the next round.
    pub(crate) fn advance(&mut self) {
        self.step = self.step.saturating_add(1);
        self.per_step = 1.0 / self.step as f32;
    }

    /// The share (A_t − A_s)/A_t of the rounds after round `since` = s in the average.
    pub(crate) fn share_since(&self, since: u32) -> f32 {
        let gone = self.gone_since(since);
        share_of(gone, (1.0 - gone).max(0.0))
    }

    /// 1 − s/t.
    #[inline(always)]
    pub(crate) fn gone_since(&self, since: u32) -> f32 {
        self.step.saturating_sub(since) as f32 * self.per_step
    }
}

/// The share of the rounds after round s in the average, where `left` is s/t and `gone` is 1 − s/t.
#[inline(always)]
pub(crate) fn share_of<R: Real>(gone: R, left: R) -> R {
    // 1 − r³ with r² = s/t, as (1 − r²)(1 + r + r²)/(1 + r): nothing cancels.
    let (r, one) = (left.sqrt(), R::of(1.0));
    gone * (one + r / (one + r) * r)
}
