//! Penalties and bounds in one-pass training: the lanes (learners trained side by side) learn without a penalty, and
//! weights are shrunk (soft-thresholded and scaled) when they are read.
//!
//! After rows of total weight W, the best weight v of a single coordinate, given the weight w learnt without penalty,
//! minimises ½h(v − w)² + W(l1·|v| + l2·v²/2), where h is the curvature of the total loss along the coordinate; that
//! is, w is moved towards 0 by W·l1/h and divided by 1 + W·l2/h. The curvature Σ φ''x² is not stored per coordinate,
//! but the sum of squared gradients S = Σ φ'²x² is, and for likelihoods the two agree on average: h =
//! S·(Σφ'')/(Σφ'²). So coordinates with little data are shrunk most. This is one step of a diagonal Newton method at
//! a cost of O(1) per nonzero, which the guarantee of the anytime conversion does not cover: correlated columns are
//! shrunk more than at the optimum. The shrunk weights are the model that is saved, and whose losses are reported.
//! Here φ is the loss as a function of the margin.
//!
//! The intercept is not shrunk but has to compensate: a shift of the intercept is learnt that makes the mean
//! derivative at the shrunk model equal to the mean derivative before shrinkage. With little shrinkage the two hardly
//! differ, and the shift stays near 0.
//!
//! A *standardized* penalty applies to the weight in the unit of its coordinate, which is also the unit of S and w.
//!
//! On a *path*, models with many penalties are scored side by side, and the penalty in force is the one with the
//! least loss so far. Penalties are in units of the data: for l2 the trace of the mean Hessian, Σ φ''‖x‖²/W, and for
//! l1 the root mean square of gradients, which bounds every mean gradient; both are taken over the penalised columns,
//! in the units of the penalty.

pub(super) mod in_rounds;

use super::coordinate::Gradients;
use crate::{
    data::feature_groups::{Bounds, Rule},
    loss::Loss,
    model::{
        settings::{Penalty, PenaltyTerm, Settings},
        summary::PathPoint,
    },
    numeric::{
        check::{MOST_ROWS, is_magnitude, need},
        sums::{Sum, infinite_as_null},
    },
};
use serde::{Deserialize, Serialize};

/// One penalty of a path (or the only penalty), and the losses of the model that is shrunk by it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Candidate {
    /// Penalty as a multiple of a unit that is computed from the data: see [`Shrinkage::penalty_of`].
    #[serde(rename = "relative_penalty")]
    share: f64,
    /// Number that is added to the intercept to compensate for the shrinkage of the other weights, with the sign that
    /// fits encoded labels (that of the saved model may be opposite).
    #[serde(rename = "intercept_shift")]
    shift: f64,
    /// Weighted sum, over the rows learnt, of the second derivative φ'' of the loss at the margin of the shrunk model.
    #[serde(with = "infinite_as_null")]
    curvatures: f64,
    /// Discounted sum of the weighted losses of the shrunk model.
    #[serde(with = "infinite_as_null")]
    losses: f64,
    /// Discounted sum of the weights of the rows whose losses are in `losses`.
    weights: f64,
}

/// Penalties that are compared, the one that is applied at present, and statistics of the rows learnt, by which a
/// penalty is turned into the shrinkage of each weight.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Shrinkage {
    /// Penalty of the settings; its field `path` names the term whose factor is to be chosen, or is `None`.
    penalty: Penalty,
    /// Whether the model has an intercept, which compensates for the shrinkage of the other weights.
    #[serde(rename = "has_intercept")]
    shifts: bool,
    /// Penalties to choose from, from the heaviest to the lightest (the path), or the single penalty of the settings.
    candidates: Vec<Candidate>,
    /// Index in `candidates` of the current penalty, the one with the least loss so far.
    chosen: usize,
    /// Number of rows learnt.
    rows: u64,
    /// Total weight W of the rows learnt.
    weight: Sum,
    /// Weighted sum, over the rows learnt, of the second derivative φ'' of the loss at the margin of the model.
    #[serde(with = "infinite_as_null")]
    curvatures: f64,
    /// Sum of squared gradients of the model over the rows learnt, in the unit of the sums S of squared gradients of
    /// coordinates.
    #[serde(rename = "squared_gradients", with = "infinite_as_null")]
    squares: f64,
    /// Weighted sum of φ''‖x‖² over the rows learnt, where φ'' is the second derivative of the loss and ‖x‖ the norm
    /// of the row.
    #[serde(rename = "hessian_trace", with = "infinite_as_null")]
    trace: f64,
    /// Weighted sum of φ'²‖x‖² over the rows learnt, where φ' is the derivative of the loss and ‖x‖ the norm of the
    /// row.
    #[serde(rename = "squared_gradient_norms", with = "infinite_as_null")]
    lengths: f64,
    /// Weighted sum of the absolute errors |margin − label| of the model before shrinkage.
    #[serde(rename = "absolute_errors", with = "infinite_as_null")]
    sizes: f64,
    /// Number of rows on which the losses of the candidate penalties have been computed.
    #[serde(rename = "rows_scored")]
    judged: u64,
}

/// Shrinkage of weights by one penalty and the bounds, computed for the current round and applied to one weight at a
/// time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShrinkStep {
    /// Total penalty W·l1 for rows of total weight W, converted to the unit of the sum S of squared gradients of a
    /// coordinate, to which it is compared.
    l1: f64,
    /// Total penalty W·l2 for rows of total weight W, converted to the unit of the sum S of squared gradients of a
    /// coordinate, to which it is compared.
    l2: f64,
    /// Whether penalties are standardized, that is, apply to weights for values divided by their largest |x|.
    standardize: bool,
    /// Bounds of the weights of features without a group of their own.
    pub(crate) bounds: Bounds,
    /// Number that is added to the intercept, to compensate for the shrinkage of the other weights.
    pub(crate) shift: f64,
}

impl ShrinkStep {
    /// Returns the rule (penalty factor and bounds) for features without a group of their own: factor 1 and the general
    /// bounds.
    #[inline]
    pub(crate) fn rule(&self) -> Rule {
        Rule { factor: 1.0, bounds: self.bounds }
    }

    /// Returns the shrunk weight for raw feature values, given the penalty factor and bounds, the weight learnt
    /// without penalty for values relative to the coordinate's scale M, the coordinate's sum of squared gradients S,
    /// and 1/M.
    ///
    /// The objective of a coordinate is convex, so its minimiser within bounds is the point within bounds that is
    /// nearest to the unbounded minimiser.
    #[inline]
    pub(crate) fn weight(&self, rule: Rule, learnt: f64, squares: f32, inverse: f64) -> f64 {
        let squares = f64::from(squares);
        // Overflow is capped at the largest number.
        let times = |strength: f64| (rule.factor * strength.min(f64::MAX)).min(f64::MAX);
        let per = if self.standardize { 1.0 } else { inverse };
        let (target, by) = (squares * learnt, times(self.l1) * per);
        if target.abs() <= by {
            return 0.0;
        }
        let shrunk = (target - by.copysign(target)) / (squares + times(self.l2) * per * per) * inverse;
        rule.bounds.clamp(shrunk)
    }

    /// Returns the contribution of one feature value to the squared norm of a row, from which the unit of the
    /// penalties of a path is computed.
    #[inline]
    pub(crate) fn squared_term(&self, term: PenaltyTerm, rule: Rule, value: f64, inverse: f64) -> f64 {
        let value = if self.standardize { value * inverse } else { value };
        match term {
            _ if rule.factor == 0.0 => 0.0,
            PenaltyTerm::L1 => (value / rule.factor).powi(2),
            PenaltyTerm::L2 => value * value / rule.factor,
        }
    }
}

/// Label, weight, margin and norm of one row, before the row is learnt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation {
    /// Encoded label: see [`LabelEncoder`](crate::labels::encoder::LabelEncoder).
    pub(crate) y: f64,
    /// Weight of the row.
    pub(crate) weight: f64,
    /// Margin of the model before shrinkage, at the row and with the row's offset.
    pub(crate) learnt: f64,
    /// Squared norm ‖x‖² of the row, with each value scaled as the penalty requires ([`ShrinkStep::squared_term`]).
    pub(crate) length: f64,
}

impl Shrinkage {
    /// Returns the state before the first row; `None` if the settings have neither a penalty nor bounds.
    pub(crate) fn new(settings: &Settings) -> Option<Shrinkage> {
        if settings.is_unpenalised() {
            return None;
        }
        let penalty = settings.penalty;
        let shares = penalty.path.iter().flat_map(|_| PenaltyTerm::shares()).chain([0.0]);
        let candidates =
            shares.map(|share| Candidate { share, shift: 0.0, curvatures: 0.0, losses: 0.0, weights: 0.0 });
        let candidates: Vec<_> = candidates.collect();
        Some(Shrinkage {
            penalty,
            shifts: settings.intercept,
            // The last candidate, which has no penalty, is in force at first.
            chosen: candidates.len() - 1,
            candidates,
            rows: 0,
            weight: Sum::default(),
            curvatures: 0.0,
            squares: 0.0,
            trace: 0.0,
            lengths: 0.0,
            sizes: 0.0,
            judged: 0,
        })
    }

    /// Checks that the state, read from a file, fits the settings and that its numbers are within their ranges;
    /// overflowed sums are allowed.
    pub(crate) fn check(&self, settings: &Settings) -> Result<(), String> {
        self.penalty.check()?;
        let count = self.penalty.path.map_or(1, |_| PenaltyTerm::shares().len() + 1);
        let fits = self.candidates.len() == count && self.chosen < count && self.shifts == settings.intercept;
        let finite = |one: &Candidate| is_magnitude(one.share) && one.shift.is_finite() && is_magnitude(one.weights);
        let counts = self.rows <= MOST_ROWS && self.judged <= MOST_ROWS && self.weight.is_magnitude();
        need(fits && counts && self.candidates.iter().all(finite), "the penalties of the state are out of their range")
    }

    /// Whether the penalty is chosen from several (a path).
    pub(crate) fn is_path(&self) -> bool {
        self.term().is_some()
    }

    /// Returns the penalty term whose factor is chosen from a path; `None` if both factors are given.
    pub(crate) fn term(&self) -> Option<PenaltyTerm> {
        self.penalty.path
    }

    /// Returns the penalty of a candidate as absolute factors l1 and l2: the unit computed from the data times
    /// [`Candidate::share`].
    fn penalty_of(&self, one: &Candidate) -> Penalty {
        let weight = self.weight.value();
        let unit = |sum: f64| if sum > 0.0 && sum.is_finite() { sum / weight } else { 0.0 };
        match self.penalty.path {
            None => self.penalty,
            Some(term @ PenaltyTerm::L1) => term.of(self.penalty, one.share * unit(self.lengths).sqrt()),
            Some(term @ PenaltyTerm::L2) => term.of(self.penalty, one.share * unit(self.trace)),
        }
    }

    /// Returns the current penalty: the one with the least loss so far, or the only one.
    pub(crate) fn current_penalty(&self) -> Penalty {
        self.penalty_of(&self.candidates[self.chosen])
    }

    /// Returns the penalties of the path with the mean losses of their models; empty if there is a single penalty.
    pub(crate) fn path(&self) -> Vec<PathPoint> {
        let point = |one: &Candidate| {
            let Penalty { l1, l2, .. } = self.penalty_of(one);
            PathPoint { l1, l2, loss: one.losses / one.weights, error: None }
        };
        // Candidates whose losses overflowed are left out.
        let judged = self.candidates.iter().filter(|one| one.weights > 0.0).map(point);
        if self.candidates.len() > 1 { judged.filter(PathPoint::is_sound).collect() } else { Vec::new() }
    }

    fn shrink_step_of(&self, one: &Candidate, sign: f64) -> ShrinkStep {
        let Penalty { l1, l2, bounds, standardize, .. } = self.penalty_of(one);
        // As long as the curvature is 0, nothing has been learnt.
        let per = if self.curvatures > 0.0 { self.weight.value() * self.squares / self.curvatures } else { 0.0 };
        ShrinkStep { l1: per * l1, l2: per * l2, standardize, bounds, shift: sign * one.shift }
    }

    /// Returns the shrinkage by the current penalty; `sign` is −1 if classes are encoded with the opposite sign
    /// ([`LabelEncoder::sign`](crate::labels::encoder::LabelEncoder::sign)), otherwise 1.
    pub(crate) fn shrink_step(&self, sign: f64) -> ShrinkStep {
        self.shrink_step_of(&self.candidates[self.chosen], sign)
    }

    /// Returns the shrinkage by each penalty of the path; `sign` is −1 if classes are encoded with the opposite sign
    /// ([`LabelEncoder::sign`](crate::labels::encoder::LabelEncoder::sign)), otherwise 1.
    pub(crate) fn shrink_steps(&self, sign: f64) -> impl Iterator<Item = ShrinkStep> + '_ {
        self.candidates.iter().map(move |one| self.shrink_step_of(one, sign))
    }

    /// Returns the index, in the path (grid of penalties), of the current penalty.
    pub(crate) fn chosen(&self) -> usize {
        self.chosen
    }

    /// Adds the loss of each candidate (the model shrunk by one of the penalties) at a row that has not been learnt
    /// yet, given the margins of the candidates, and chooses the penalty with the least loss.
    pub(crate) fn record_losses(&mut self, loss: Loss, y: f64, weight: f64, margins: &[f64]) {
        if self.candidates.len() == 1 {
            return;
        }
        self.judged += 1;
        let keep = 1.0 - 2.0 / (self.judged as f64 + 2.0);
        for (one, &margin) in self.candidates.iter_mut().zip(margins) {
            one.losses = one.losses * keep + weight * loss.value(y, margin);
            one.weights = one.weights * keep + weight;
        }
        self.choose();
    }

    /// Resets the losses of all candidate penalties, so that the penalty is chosen by the rows added from now on.
    pub(crate) fn reset_losses(&mut self) {
        self.judged = 0;
        self.candidates.iter_mut().for_each(|one| (one.losses, one.weights) = (0.0, 0.0));
    }

    fn choose(&mut self) {
        let loss = |one: &Candidate| if one.losses.is_finite() { one.losses } else { f64::INFINITY };
        let least = self.candidates.iter().map(loss).fold(f64::INFINITY, f64::min);
        // Of several candidates with the least loss, the first one, which has the largest penalty, is chosen.
        self.chosen = self.candidates.iter().position(|one| loss(one) == least).unwrap_or(self.chosen);
    }

    /// Updates the statistics with a row, given the margins of all candidates (the models shrunk by each penalty), and
    /// the derivative of the model's loss in the unit in which gradients are stored.
    pub(crate) fn add(&mut self, loss: Loss, observation: &Observation, margins: &[f64], gradient: f32) {
        let Observation { y, weight, learnt, length } = *observation;
        self.rows += 1;
        self.weight.add(weight);
        let (margin, derivative) = (margins[self.chosen], loss.derivative(y, learnt));
        self.sizes += weight * (y - learnt).abs();
        let size = self.sizes / self.weight.value();
        let curvature = weight * curvature(loss, y, margin, size);
        self.curvatures += curvature;
        self.squares += f64::from(gradient) * f64::from(gradient);
        self.trace += curvature * length;
        self.lengths += weight * derivative * derivative * length;
        if !self.shifts {
            return;
        }
        for (one, &margin) in self.candidates.iter_mut().zip(margins) {
            let by = loss.derivative(y, margin) - derivative;
            // The curvature is at least the slope of the chord, so that no row moves the shift by more than its
            // margin was shrunk.
            let chord = by / (margin - learnt);
            one.curvatures +=
                weight * self::curvature(loss, y, margin, size).max(if chord.is_finite() { chord } else { 0.0 });
            // This is a Newton step on the rows so far, with one pseudo-row added so that the step at the first row
            // is not too long.
            let step = weight * by / (one.curvatures * (1.0 + 1.0 / self.rows as f64));
            one.shift -= if step.is_finite() { step } else { 0.0 };
        }
    }

    /// Updates the statistics with a row of a multiclass loss, for which intercepts are not shifted and the mean
    /// squared derivative over the classes takes the place of the second derivative φ''. `gradients` are derivatives
    /// times `per`, the row's weight divided by the unit of gradients.
    pub(crate) fn add_classes(&mut self, weight: f64, per: f64, gradients: &[Gradients]) {
        let squares: f64 = gradients.iter().map(|g| f64::from(g.model) * f64::from(g.model)).sum();
        self.rows += 1;
        self.weight.add(weight);
        self.squares += squares;
        self.curvatures += weight * squares / (per * per);
    }

    /// Multiplies the sum of squared gradients by the square of `ratio` after a change of the unit in which gradients
    /// are stored.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.squares *= ratio * ratio;
    }
}

/// Returns the second derivative φ'' of the loss with respect to the margin, or a substitute for losses that are not
/// twice differentiable. For piecewise-linear losses the substitute is the squared derivative, which has the same mean
/// as φ'' for likelihoods; in regression it is divided by the mean absolute error `size`. For Huber's loss it is the
/// curvature of the parabola that touches the loss.
fn curvature(loss: Loss, y: f64, margin: f64, size: f64) -> f64 {
    let derivative = loss.derivative(y, margin);
    match loss {
        Loss::Huber { .. } if derivative != 0.0 => derivative / (margin - y),
        Loss::Absolute | Loss::Quantile { .. } => derivative * derivative / size,
        _ => loss.second_derivative(y, margin).unwrap_or(derivative * derivative),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the objective of a single weight v, ½h(v − w)² + l1·|v| + l2·v²/2, which the shrunk weight must
    /// minimise.
    fn cost(h: f64, w: f64, l1: f64, l2: f64, v: f64) -> f64 {
        0.5 * h * (v - w) * (v - w) + l1 * v.abs() + 0.5 * l2 * v * v
    }

    #[test]
    fn a_drawn_weight_has_the_least_cost() {
        let weight = 50.0;
        for unit in [1e-3, 1.0, 8.0] {
            for (squares, w, l1, l2, factor, bounds) in [
                (3.0_f32, 0.7, 0.01, 0.0, 1.0, Bounds::FREE),
                (3.0, -0.7, 0.01, 0.2, 1.0, Bounds::FREE),
                (0.5, 0.7, 0.0, 3.0, 0.25, Bounds::FREE),
                (0.5, -0.2, 1.0, 0.0, 1.0, Bounds::FREE),
                (0.5, -0.2, 1.0, 1.0, 0.0, Bounds::FREE),
                (0.5, -0.2, 0.0, 0.1, 1.0, Bounds::NONNEGATIVE),
                (9.0, 0.4, 0.02, 0.0, 3.0, Bounds::NONNEGATIVE),
                (9.0, 0.4, 0.02, 0.1, 1.0, Bounds::new(-1.0, 0.125).unwrap()),
                (9.0, -0.4, 0.02, 0.1, 2.0, Bounds::new(-0.25, 0.0).unwrap()),
            ] {
                // S is in the unit of the coordinate; a loss whose φ'' is the square of φ' has h = S/unit².
                let (inverse, h) = (1.0 / unit, f64::from(squares) * unit * unit);
                for standardize in [false, true] {
                    let (l1, l2) = (weight * l1, weight * l2);
                    let shrink_step = ShrinkStep { l1, l2, standardize, bounds: Bounds::FREE, shift: 0.0 };
                    let shrunk = shrink_step.weight(Rule { factor, bounds }, w * unit, squares, inverse);
                    let per = if standardize { unit } else { 1.0 };
                    let cost = |v: f64| cost(h, w, factor * l1 * per, factor * l2 * per * per, v);
                    assert_eq!(bounds.clamp(shrunk), shrunk);
                    for by in [1e-6, 1e-3, 0.1, 1.0] {
                        for other in [shrunk + by, shrunk - by] {
                            let least = cost(shrunk) <= cost(other) || bounds.clamp(other) != other;
                            assert!(least, "{squares} {w} {l1} {l2} {standardize}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn extreme_units_and_coordinates_never_seen_are_0_not_nan() {
        let shrink_step = ShrinkStep { l1: 1.0, l2: 1.0, standardize: false, bounds: Bounds::FREE, shift: 0.0 };
        for (squares, inverse) in [(0.0, 0.0), (0.0, 1.0), (1e-30, 1e290), (1.0, 1e-300)] {
            assert!(shrink_step.weight(shrink_step.rule(), 0.0, squares, inverse) == 0.0, "{squares} {inverse}");
            assert!(shrink_step.weight(shrink_step.rule(), 1.0, squares, inverse).is_finite(), "{squares} {inverse}");
        }
        let infinite_as_null = ShrinkStep { l1: f64::INFINITY, l2: f64::INFINITY, ..shrink_step };
        for (factor, exact) in [(0.0, 0.375), (1.0, 0.0), (9.0, 0.0)] {
            let rule = Rule { factor, ..shrink_step.rule() };
            assert_eq!(infinite_as_null.weight(rule, 0.75, 3.0, 0.5), exact);
            assert!(infinite_as_null.weight(rule, 0.0, 0.0, 0.0) == 0.0);
        }
        let none = ShrinkStep { l1: 0.0, l2: 0.0, ..shrink_step };
        assert_eq!(none.weight(shrink_step.rule(), 0.75, 3.0, 0.5), 0.375);
        assert!(none.weight(shrink_step.rule(), 0.0, 0.0, 0.0) == 0.0);
    }

    #[test]
    fn the_penalty_of_the_least_loss_is_in_force() {
        let penalty = Penalty { path: Some(PenaltyTerm::L2), ..Penalty::default() };
        let mut shrinkage = Shrinkage::new(&Settings { penalty, ..Settings::default() }).unwrap();
        let count = shrinkage.candidates.len();
        assert_eq!((shrinkage.chosen(), count), (count - 1, 18));
        let observation = Observation { y: 1.0, weight: 1.0, learnt: 0.0, length: 4.0 };
        shrinkage.add(Loss::Logistic, &observation, &vec![0.0; count], 0.5);
        // These margins are right for the third candidate alone.
        let margins: Vec<f64> = (0..count).map(|k| if k == 2 { 3.0 } else { -1.0 }).collect();
        shrinkage.record_losses(Loss::Logistic, 1.0, 1.0, &margins);
        assert_eq!(shrinkage.chosen(), 2);
        // The trace of the mean curvature is ¼·4 = 1, and the third candidate's share of it is a tenth.
        assert!((shrinkage.current_penalty().l2 - 0.1).abs() < 1e-15 && shrinkage.current_penalty().path.is_some());
        assert!(shrinkage.path().len() == count && shrinkage.path().is_sorted_by(|a, b| a.l2 > b.l2));
        assert!(Shrinkage::new(&Settings::default()).is_none());
    }
}
