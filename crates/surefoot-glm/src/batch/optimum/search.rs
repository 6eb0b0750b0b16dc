//! The books of a search: the best certified model so far, and why to end.

use super::{
    Ended, Goal, Optimum,
    at_point::AtPoint,
    candidate::Candidate,
    conjugate_gradients::NEAR,
    design::{Design, Sample},
    gap::{gap, gap_of_derivatives},
    margin_loss::MarginLoss,
    pass::Passes,
    pinned_means::pinned,
    state::{Objective, State},
    weight_penalty::{largest_l2, squares},
    workers::{Stopped, Workers},
};

/// Why a search ends, if nobody stopped it.
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

/// The share of the first loss, and of the objective, to which a search goes on where weights are not determined: the labels are
/// separated, or there are more weights than rows.
const IN_VAIN: f64 = 1e-3;

/// The share of the tolerance from which on what a gap lacks is not that the point is far from the optimum.
pub(super) const WELL_WITHIN: f64 = 0.1;

/// Outer iterations of a whole search.
pub(super) const MOST: usize = 1000;

pub(super) struct Search<'a> {
    pub(super) design: &'a Design<'a>,
    pub(super) objective: Objective<'a>,
    pub(super) tolerance: f64,
    pub(super) passes: Passes<'a>,
    pub(super) each: &'a mut dyn FnMut(&Optimum),
    /// What a Newton step may gain, twice.
    pub(super) decrement: f64,
    /// Steps one after the other that have gained nothing.
    pub(super) stalls: usize,
    /// The mean loss where all margins are 0.
    pub(super) first: f64,
    /// Whether nothing would hold the weights back on their way to infinity.
    pub(super) may_recede: bool,
    pub(super) iterations: usize,
    /// How many of them there may be.
    pub(super) most: usize,
    /// A lower bound on the objective of every model: the least losses of the rows.
    floor: f64,
    /// The largest lower bound that was certified.
    pub(super) lower: f64,
    pub(super) best: Optimum,
}

/// A lower bound on the objective of every model: the least loss of each row, without a penalty.
fn floor(design: &Design, margin_loss: MarginLoss) -> f64 {
    let (floor, size) = (design.mean(|y, _| margin_loss.least(y)), design.mean(|y, _| margin_loss.least(y).abs()));
    floor - (design.rows() as f64 + 8.0) * f64::EPSILON * size
}

impl<'a> Search<'a> {
    /// With empty books.
    pub(super) fn new(
        design: &'a Design<'a>,
        workers: &'a Workers<'a>,
        goal: &Goal,
        objective: Objective<'a>,
        first: f64,
        start: (&[f64], &[f64]),
        each: &'a mut dyn FnMut(&Optimum),
    ) -> Search<'a> {
        let best = Optimum {
            weights: start.0.to_vec(),
            intercept: start.1.to_vec(),
            objective: f64::NAN,
            size: f64::NAN,
            gap: None,
            passes: 0.0,
            iterations: 0,
            ended: Ended::Running,
        };
        Search {
            design,
            objective,
            tolerance: goal.tolerance,
            passes: Passes::new(workers, goal.tolerance),
            each,
            decrement: f64::INFINITY,
            stalls: 0,
            // Without a size there is nothing to be small against.
            first: if first.is_finite() { first } else { 0.0 },
            may_recede: objective.has_no_penalty
                || objective.is_unpenalised
                || goal.intercept && design.has_one_label(),
            iterations: 0,
            most: MOST,
            floor: floor(design, objective.margin_loss),
            lower: f64::NEG_INFINITY,
            best,
        }
    }

    /// The best point, and why the search ended.
    pub(super) fn finish(self, ended: Result<Verdict, Stopped>) -> Optimum {
        let ended = ended.map_or(Ended::Stopped, Ended::from);
        Optimum { ended, passes: self.passes.count, ..self.best }
    }

    /// All rows.
    pub(super) fn rows(&self) -> Sample<'a> {
        Sample::new(self.design, 1)
    }

    /// Bounds the gap at a point, with the help of dual points if there are any, and offers it as the best.
    pub(super) fn bound(&mut self, state: &State, duals: Option<Vec<f64>>) -> Result<(), Stopped> {
        let Objective { is_unpenalised, has_no_penalty, .. } = self.objective;
        // Far from the optimum no dual point is worth the passes that weights which nothing holds ask for.
        let far = is_unpenalised && self.decrement > NEAR * state.objective.abs();
        if self.derivatives_are_enough(state) {
            let bound = self.derivatives_bound(state)?;
            // Rounding may have made it wide, which the other dual points mend.
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

    /// [`bound`](Search::bound) where a search begins: by the slopes, with a pass only where that takes one.
    pub(super) fn bound_start(&mut self, state: &State) -> Result<(), Stopped> {
        if !self.derivatives_are_dual() {
            return self.bound(state, Some(state.derivative.clone()));
        }
        let bound = self.derivatives_bound(state)?;
        self.offer(state.candidate(), bound);
        Ok(())
    }

    /// Whether slopes are dual points as they are: an l2 holds every coordinate, the intercept's too.
    fn derivatives_are_dual(&self) -> bool {
        !self.objective.has_corners && self.objective.penalties.iter().all(|penalty| penalty.l2 > 0.0)
    }

    /// Whether slopes are so good dual points that the gap is about a quarter of the tolerance.
    fn derivatives_are_enough(&self, state: &State) -> bool {
        let (penalties, enough) = (self.objective.penalties, 0.25 * self.tolerance * self.size(state.objective));
        self.derivatives_are_dual() && squares(&state.gradient, penalties) <= 2.0 * largest_l2(penalties) * enough
    }

    fn derivatives_bound(&self, state: &State) -> Result<f64, Stopped> {
        let sample = self.rows();
        gap_of_derivatives(&self.passes, AtPoint { sample: &sample, objective: &self.objective, state })
    }

    /// The same, whatever the slopes at the point are; `is_near` says whether the gap would be within the tolerance without rounding.
    pub(super) fn bound_by(&mut self, state: &State, duals: Vec<f64>, is_near: bool) -> Result<(), Stopped> {
        let bound = if self.objective.has_no_penalty { f64::INFINITY } else { self.best_gap(state, duals, is_near)? };
        self.offer(state.candidate(), bound);
        Ok(())
    }

    /// The gap at dual points, or, where the optimum is near and that does not show it, at such as have their means pinned.
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
        // A gap that still falls needs no help.
        if found > enough && self.is_held_up(found) {
            let sample = self.rows();
            let at_point = AtPoint { sample: &sample, objective: &self.objective, state };
            found = found.min(pinned(&mut self.passes, at_point, duals)?);
        }
        Ok(found)
    }

    /// Whether the last step could gain so little that what a gap lacks is not that the point is far from the optimum.
    pub(super) fn is_near_optimum(&self, objective: f64) -> bool {
        self.stalls > 0 || 0.5 * self.decrement <= WELL_WITHIN * self.tolerance * self.size(objective)
    }

    /// Whether a gap is about as wide as the best one before.
    fn is_held_up(&self, gap: f64) -> bool {
        self.stalls > 0 || self.best.gap.is_some_and(|best| gap > 0.1 * best)
    }

    fn gap(&mut self, state: &State, duals: Vec<f64>) -> Result<f64, Stopped> {
        let sample = self.rows();
        let at_point = AtPoint { sample: &sample, objective: &self.objective, state };
        gap(&mut self.passes, at_point, duals)
    }

    /// Counts steps that gain nothing.
    pub(super) fn count_stall(&mut self, gained: f64, objective: f64) {
        self.stalls = if gained <= 1e-15 * objective.abs() { self.stalls + 1 } else { 0 };
    }

    /// Offers a point with a bound on its gap; reports the best.
    pub(super) fn offer(&mut self, at: Candidate, gap: f64) {
        self.iterations += 1;
        let gap = if at.objective.is_finite() { gap } else { f64::INFINITY };
        // Both are rounded, the difference once more.
        let lower = at.objective - gap - at.objective_error - 8.0 * f64::EPSILON * (at.objective.abs() + gap);
        // Where nothing holds the weights there is no dual point, and no minimum that the floor could be compared with.
        self.lower = if lower.is_finite() { self.lower.max(lower).max(self.floor) } else { self.lower };
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

    /// Weights, column by column of all classes, and intercepts.
    fn model(&self, point: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let models: Vec<_> = point.chunks(self.design.dim().max(1)).map(|point| self.design.model(point)).collect();
        let columns = models.first().map_or(0, |(weights, _)| weights.len());
        let weights = (0..columns).flat_map(|j| models.iter().map(move |(weights, _)| weights[j])).collect();
        (weights, models.iter().map(|(_, intercept)| *intercept).collect())
    }

    /// Whether a start is so good that samples of the rows could only lead away from it.
    pub(super) fn is_near(&self, at: Candidate) -> bool {
        self.best.gap.is_some_and(|gap| gap <= 1e-3 * at.objective.abs())
    }

    /// What an objective is compared with: its size, unless that is nothing but rounding.
    pub(super) fn size(&self, objective: f64) -> f64 {
        objective.abs().max(1e-20 * self.first.abs())
    }

    /// Whether this is the end.
    pub(super) fn verdict(&self, at: Candidate) -> Option<Verdict> {
        let size = self.size(at.objective);
        let in_vain = if self.objective.has_no_penalty { self.tolerance.max(IN_VAIN) } else { self.tolerance };
        let is_wide = self.design.dim() > self.design.rows();
        // Where some weights are held, there may be one all the same.
        let uncertified = self.objective.has_no_penalty || self.objective.is_unpenalised && self.best.gap.is_none();
        if self.best.gap.is_some_and(|gap| gap <= self.tolerance * self.size(self.best.objective)) {
            return Some(Verdict::Certified);
        }
        if self.may_recede && at.recedes && at.objective <= in_vain * self.first {
            return Some(Verdict::Unattained);
        }
        let fits =
            !matches!(self.objective.margin_loss, MarginLoss::LogLink(_)) && at.objective <= in_vain * self.first;
        if self.objective.has_no_penalty && is_wide && fits {
            return Some(Verdict::Decrement);
        }
        let enough = if is_wide { in_vain } else { self.tolerance };
        if uncertified && 0.5 * self.decrement <= enough * size {
            return Some(Verdict::Decrement);
        }
        (self.iterations >= self.most).then_some(Verdict::Exhausted)
    }
}
