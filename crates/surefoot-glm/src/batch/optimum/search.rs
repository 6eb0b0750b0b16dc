//! State of an optimisation across iterations, with the best certified model so far. The stopping rule is in
//! `stopping.rs`.

use super::{
    Ended, Goal, Optimum,
    at_point::AtPoint,
    candidate::Candidate,
    conjugate_gradients::CERTIFICATE_DECREMENT,
    design::{Design, Sample},
    gap::{gap, gap_of_derivatives},
    margin_loss::MarginLoss,
    pass::Passes,
    pinned_means::pinned,
    state::{Objective, State},
    stopping::{MAX_ITERATIONS, Verdict},
    weight_penalty::{largest_l2, squares},
    workers::{Stopped, Workers},
};

/// Maximum predicted decrease, relative to the tolerance, at which the point counts as optimal, so that a wide duality
/// gap is attributed to rounding.
pub(super) const NEAR_OPTIMUM_SHARE: f64 = 0.1;

pub(super) struct Search<'a> {
    pub(super) design: &'a Design<'a>,
    pub(super) objective: Objective<'a>,
    pub(super) tolerance: f64,
    pub(super) passes: Passes<'a>,
    pub(super) each: &'a mut dyn FnMut(&Optimum),
    /// Squared Newton decrement: twice the decrease that the quadratic model predicts.
    pub(super) decrement: f64,
    /// Number of consecutive steps without a decrease of the objective.
    pub(super) stalls: usize,
    /// Mean loss at margins of 0.
    pub(super) loss_at_zero: f64,
    /// Whether weights may diverge without an increase of the penalty, as they do for separable labels without a
    /// penalty.
    pub(super) may_recede: bool,
    pub(super) iterations: usize,
    /// Maximum number of iterations.
    pub(super) max_iterations: usize,
    /// Lower bound on the objective of every model: the mean over rows of the minimum of the loss over margins.
    loss_floor: f64,
    /// Largest certified lower bound on the minimum of the objective so far.
    pub(super) lower: f64,
    pub(super) best: Optimum,
}

/// Computes a lower bound on the objective of every model: the mean over rows of the minimum of the loss over margins,
/// rounded down. The penalty counts as 0.
fn loss_floor(design: &Design, workers: &Workers, margin_loss: MarginLoss) -> Result<f64, Stopped> {
    let loss_floor = design.mean(workers, |y, _| margin_loss.least(y))?;
    let size = design.mean(workers, |y, _| margin_loss.least(y).abs())?;
    Ok(loss_floor - (design.all_rows() as f64 + 8.0) * f64::EPSILON * size)
}

impl<'a> Search<'a> {
    /// Creates the state before the first iteration.
    pub(super) fn new(
        design: &'a Design<'a>,
        workers: &'a Workers<'a>,
        goal: &Goal,
        objective: Objective<'a>,
        loss_at_zero: f64,
        start: (&[f64], &[f64]),
        each: &'a mut dyn FnMut(&Optimum),
    ) -> Result<Search<'a>, Stopped> {
        let best = Optimum::unknown(start);
        Ok(Search {
            design,
            objective,
            tolerance: goal.tolerance,
            passes: Passes::new(workers, goal.tolerance),
            each,
            decrement: f64::INFINITY,
            stalls: 0,
            // Without a finite value nothing can be small relative to it.
            loss_at_zero: if loss_at_zero.is_finite() { loss_at_zero } else { 0.0 },
            may_recede: objective.has_no_penalty
                || objective.is_unpenalised
                || goal.intercept && design.has_one_label(workers)?,
            iterations: 0,
            max_iterations: MAX_ITERATIONS,
            loss_floor: loss_floor(design, workers, objective.margin_loss)?,
            lower: f64::NEG_INFINITY,
            best,
        })
    }

    /// Returns the best model, with the reason why the optimisation ended.
    pub(super) fn finish(self, ended: Result<Verdict, Stopped>) -> Optimum {
        let ended = ended.map_or(Ended::Stopped, Ended::from);
        Optimum { ended, passes: self.passes.count, ..self.best }
    }

    /// Returns all rows of the design matrix, as a (trivial) subsample of stride 1.
    pub(super) fn rows(&self) -> Sample<'a> {
        Sample::all(self.design)
    }

    /// Bounds the duality gap at a point, and offers the point with this bound as a candidate for the best one so far.
    /// Uses the derivatives of the loss as dual points where these suffice, otherwise `duals`; the bound is ∞ where
    /// neither can give one.
    pub(super) fn bound(&mut self, state: &State, duals: Option<Vec<f64>>) -> Result<(), Stopped> {
        let Objective { is_unpenalised, has_no_penalty, .. } = self.objective;
        // Far from the optimum, balancing unpenalised columns is not worth its passes.
        let far = is_unpenalised && self.decrement > CERTIFICATE_DECREMENT * state.objective.abs();
        if self.derivatives_are_enough(state) {
            let bound = self.derivatives_bound(state)?;
            // Rounding may have widened it; the other dual points are then tried.
            if bound <= self.tolerance * self.size(state.objective) {
                self.offer(state.candidate(), bound);
                return Ok(());
            }
        }
        let bound = match duals {
            Some(duals) if !has_no_penalty && !far => {
                let is_near = self.is_near_optimum(state.objective);
                self.best_gap(state, duals, is_near)?
            }
            _ => f64::INFINITY,
        };
        self.offer(state.candidate(), bound);
        Ok(())
    }

    /// Bounds the duality gap at the starting point as [`bound`](Search::bound) does, with the derivatives of the loss
    /// as dual points. Takes no pass if these are feasible.
    pub(super) fn bound_start(&mut self, state: &State) -> Result<(), Stopped> {
        if !self.derivatives_are_dual() {
            return self.bound(state, Some(state.derivative.clone()));
        }
        let bound = self.derivatives_bound(state)?;
        self.offer(state.candidate(), bound);
        Ok(())
    }

    /// Whether the derivatives of the loss are feasible dual points without correction: every coordinate, including the
    /// intercept, has an L2 penalty, and no penalty has a kink.
    fn derivatives_are_dual(&self) -> bool {
        !self.objective.penalty_has_kinks && self.objective.penalties.iter().all(|penalty| penalty.l2 > 0.0)
    }

    /// Whether the derivatives of the loss are good dual points: the duality gap with them is about a quarter of the
    /// tolerance or less.
    fn derivatives_are_enough(&self, state: &State) -> bool {
        let (penalties, enough) = (self.objective.penalties, 0.25 * self.tolerance * self.size(state.objective));
        self.derivatives_are_dual() && squares(&state.gradient, penalties) <= 2.0 * largest_l2(penalties) * enough
    }

    fn derivatives_bound(&self, state: &State) -> Result<f64, Stopped> {
        let sample = self.rows();
        gap_of_derivatives(&self.passes, AtPoint { sample: &sample, objective: &self.objective, state })
    }

    /// Bounds the duality gap like [`bound`](Search::bound), at the given dual points only. `is_near` tells whether the
    /// gap would be within the tolerance in exact arithmetic.
    pub(super) fn bound_by(&mut self, state: &State, duals: Vec<f64>, is_near: bool) -> Result<(), Stopped> {
        let bound = if self.objective.has_no_penalty { f64::INFINITY } else { self.best_gap(state, duals, is_near)? };
        self.offer(state.candidate(), bound);
        Ok(())
    }

    /// Computes the duality gap at the dual points. Near the optimum, if rounding makes the gap too wide, repeats the
    /// computation with precise (compensated) passes, and then with dual points corrected by [`pinned`].
    fn best_gap(&mut self, state: &State, duals: Vec<f64>, is_near: bool) -> Result<f64, Stopped> {
        let enough = self.tolerance * self.size(state.objective);
        if !is_near {
            return self.gap(state, duals);
        }
        let mut found = self.gap(state, duals.clone())?;
        if found > enough && !self.passes.is_precise {
            self.passes.is_precise = true;
            found = found.min(self.gap(state, duals.clone())?);
        }
        // A gap that still decreases needs no help.
        if found > enough && self.has_stalled_gap(found) {
            let sample = self.rows();
            let at_point = AtPoint { sample: &sample, objective: &self.objective, state };
            found = found.min(pinned(&mut self.passes, at_point, duals)?);
        }
        Ok(found)
    }

    /// Whether the predicted decrease is so small that a wide gap must be due to rounding, not to the distance from the
    /// optimum.
    pub(super) fn is_near_optimum(&self, objective: f64) -> bool {
        self.stalls > 0 || 0.5 * self.decrement <= NEAR_OPTIMUM_SHARE * self.tolerance * self.size(objective)
    }

    /// Whether a duality gap is much wider than the predicted decrease of the objective and has stopped decreasing, so
    /// that better dual points are needed, not better weights.
    pub(super) fn is_wider_than_distance(&self, gap: f64, objective: f64) -> bool {
        self.is_near_optimum(objective) || self.has_stalled_gap(gap) && self.decrement <= 1e-3 * gap
    }

    /// Whether a duality gap is no longer decreasing fast: it is more than a tenth of the best gap so far.
    pub(super) fn has_stalled_gap(&self, gap: f64) -> bool {
        self.stalls > 0 || self.best.gap.is_some_and(|best| gap > 0.1 * best)
    }

    fn gap(&mut self, state: &State, duals: Vec<f64>) -> Result<f64, Stopped> {
        let sample = self.rows();
        let at_point = AtPoint { sample: &sample, objective: &self.objective, state };
        gap(&mut self.passes, at_point, duals)
    }

    /// Takes a point with an upper bound on its gap, keeps it if it is the best so far, and reports the best point to
    /// the caller.
    pub(super) fn offer(&mut self, at: Candidate, gap: f64) {
        self.iterations += 1;
        let gap = if at.objective.is_finite() { gap } else { f64::INFINITY };
        // Both are rounded, and their difference again.
        let lower = at.objective - gap - at.objective_error - 8.0 * f64::EPSILON * (at.objective.abs() + gap);
        // Without a penalty there may be no feasible dual point, and no minimum to compare the floor with.
        self.lower = if lower.is_finite() { self.lower.max(lower).max(self.loss_floor) } else { self.lower };
        let size = at.objective.abs();
        let rounding = at.objective_error + 4.0 * f64::EPSILON * (size + self.lower.abs());
        let gap = gap.min((at.objective - self.lower).max(0.0) + rounding);
        let better = at.objective < self.best.objective || !self.best.objective.is_finite();
        let tighter = at.objective <= self.best.objective + 1e-12 * size && self.best.gap.is_none_or(|old| gap < old);
        if better || tighter {
            (self.best.weights, self.best.intercept) = self.model(at.point);
            self.best.objective = at.objective;
            self.best.size = self.size(at.objective);
            self.best.gap = gap.is_finite().then_some(gap);
        }
        self.best.passes = self.passes.count;
        self.best.iterations = self.iterations;
        (self.each)(&self.best);
    }

    /// Converts a point to the weights and the intercepts of a model. The weights are ordered by column, with all
    /// classes of a column together.
    fn model(&self, point: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let models: Vec<_> = point.chunks(self.design.dim().max(1)).map(|point| self.design.model(point)).collect();
        let columns = models.first().map_or(0, |(weights, _)| weights.len());
        let weights = (0..columns).flat_map(|j| models.iter().map(move |(weights, _)| weights[j])).collect();
        (weights, models.iter().map(|(_, intercept)| *intercept).collect())
    }

    /// Whether a starting point is already so good that optimising on subsamples of the rows first would lead away from
    /// the optimum.
    pub(super) fn is_near(&self, at: Candidate) -> bool {
        self.best.gap.is_some_and(|gap| gap <= 1e-3 * at.objective.abs())
    }

    /// Returns the denominator of relative gaps: |objective|, with a small positive minimum for a perfect fit.
    pub(super) fn size(&self, objective: f64) -> f64 {
        objective.abs().max(1e-20 * self.loss_at_zero.abs())
    }
}
