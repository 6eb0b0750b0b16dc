//! Stopping rule of all optimisation methods: certified, no decrease left, no minimum, stalled, or too many iterations.

use super::{Ended, candidate::Candidate, margin_loss::MarginLoss, search::Search};

/// Reason why an optimisation ended, if it was not stopped by the caller. [`Ended`] documents the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Certified,
    Decrement,
    Unattained,
    Stalled,
    Exhausted,
}

impl From<Verdict> for Ended {
    fn from(verdict: Verdict) -> Ended {
        match verdict {
            Verdict::Certified => Ended::Certified,
            Verdict::Decrement => Ended::Decrement,
            Verdict::Unattained => Ended::Unattained,
            Verdict::Stalled => Ended::Stalled,
            Verdict::Exhausted => Ended::Exhausted,
        }
    }
}

/// Lower limit on the tolerance for stopping where the rows do not determine the weights, because labels are separable
/// or there are more weights than rows. Applies to the loss relative to that at margins of 0, and to the Newton
/// decrement.
const UNDETERMINED_TOLERANCE: f64 = 1e-3;

/// Maximum number of outer iterations.
pub(super) const MAX_ITERATIONS: usize = 1000;

/// Number of consecutive steps without a decrease after which an optimisation has stalled.
const MAX_STALLS: usize = 3;

impl Search<'_> {
    /// Updates the number of consecutive steps that did not decrease the objective, where `gained` is the decrease by
    /// the last step.
    pub(super) fn count_stall(&mut self, gained: f64, objective: f64) {
        self.stalls = if gained <= 1e-15 * objective.abs() { self.stalls + 1 } else { 0 };
    }

    /// Whether the optimisation has stalled: several consecutive steps have not decreased the objective.
    pub(super) fn has_stalled(&self) -> bool {
        self.stalls >= MAX_STALLS
    }

    /// Returns the stopping criterion that the point satisfies; `None` if the optimisation has to continue.
    pub(super) fn verdict(&self, at: Candidate) -> Option<Verdict> {
        let size = self.size(at.objective);
        let undetermined =
            if self.objective.has_no_penalty { self.tolerance.max(UNDETERMINED_TOLERANCE) } else { self.tolerance };
        let is_wide = self.design.dim() > self.design.all_rows();
        // Where only some weights are unpenalised there may still be a certificate.
        let uncertified = self.objective.has_no_penalty || self.objective.is_unpenalised && self.best.gap.is_none();
        if self.best.gap.is_some_and(|gap| gap <= self.tolerance * self.size(self.best.objective)) {
            return Some(Verdict::Certified);
        }
        if self.may_recede && at.recedes && at.objective <= undetermined * self.loss_at_zero {
            return Some(Verdict::Unattained);
        }
        let fits = !matches!(self.objective.margin_loss, MarginLoss::LogLink(_))
            && at.objective <= undetermined * self.loss_at_zero;
        if self.objective.has_no_penalty && is_wide && fits {
            return Some(Verdict::Decrement);
        }
        let enough = if is_wide { undetermined } else { self.tolerance };
        if uncertified && 0.5 * self.decrement <= enough * size {
            return Some(Verdict::Decrement);
        }
        (self.iterations >= self.max_iterations).then_some(Verdict::Exhausted)
    }
}
