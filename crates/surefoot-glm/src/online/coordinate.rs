//! Learner state of one coordinate (a feature or the intercept), with its two operations: `ask` for the current points
//! and `tell` of the gradients.
//!
//! Four learners with different step-size scales are trained side by side; each is called a lane, and their mixture is
//! the model. For every coordinate a lane runs diagonal AdaGrad in its dual-averaging form under the anytime
//! conversion, on values divided by the coordinate's largest |x| so far. Every lane has its own sums of gradients and
//! of squared gradients, and its own average. So a coordinate fills one cache line.

use super::{
    averaging::Averaging,
    step_sizes::{damping, step_size},
};
use crate::simd::inverse_scale::InverseScale;
use crate::simd::lanes::{LANES, Lanes};
use bytemuck::{Pod, Zeroable};
use surefoot::Real;

/// Learner state of one coordinate (a feature or the intercept) in all lanes, the learners trained side by side with
/// different step-size scales.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Coordinate {
    /// Gradient sum θ = −Σ g·x/M over the rows learnt, for each lane (one of the learners trained side by side). Here g
    /// is the derivative of the loss with respect to the lane's margin, x the value in the row and M the scale of the
    /// coordinate. Gradients are divided by a unit: see [`label_units`](crate::online::label_units).
    pub(crate) theta: Lanes,
    /// Average of the directions θ/√S over the rounds up to the last update, for each lane (one of the learners trained
    /// side by side); θ is the lane's gradient sum, S the sum of squared gradients.
    pub(crate) average: Lanes,
    /// Sum of squared gradients S = Σ (g·x/M)² over the rows learnt, for each lane (one of the learners trained side by
    /// side), with g, x and M as in `theta`.
    pub(crate) squares: Lanes,
    /// Sum of squared gradients of the model, which penalties are compared with: see [`Gradients::model`].
    pub(crate) model_squares: f32,
    /// Round (number of the learnt row) in which the coordinate was last updated; 0 if it has never been updated.
    pub(crate) step: u32,
    /// Inverse scale 1/M, where M is the largest |x| of the coordinate so far, and the number of updates.
    pub(crate) inverse_scale: InverseScale,
}

/// Current points (average and iterate) of a coordinate in all lanes (learners trained side by side), for values
/// relative to its scale M, and before multiplication by the step-size scales of the lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points {
    /// Average of the directions of all rounds, for each lane (one of the learners trained side by side), from which
    /// the model's weights are computed.
    pub(crate) average: Lanes,
    /// Direction of the current iterate for each lane (one of the learners trained side by side): the lane's gradient
    /// sum θ times the step size, about θ/√S for the sum of squared gradients S.
    pub(crate) direction: Lanes,
}

impl Coordinate {
    /// Returns a coordinate that has not been updated, with the fixed scale M = 1, as for the intercept.
    pub(crate) const fn with_unit_scale() -> Coordinate {
        Coordinate::with_scale(InverseScale(1.0_f64.to_bits()))
    }

    /// Returns a coordinate that has not been updated, with the given inverse scale.
    pub(crate) const fn with_scale(inverse_scale: InverseScale) -> Coordinate {
        let none = Lanes([0.0; LANES]);
        Coordinate { theta: none, average: none, squares: none, model_squares: 0.0, step: 0, inverse_scale }
    }

    /// Returns the points (average and iterate) of the coordinate in the current round, without changing its state.
    /// `rates` are the step sizes of the lanes (learners trained side by side), and `share` is the weight, in the average, of the rounds since its last update.
    /// Both points are 0 if it has never been updated.
    #[inline(always)]
    pub(crate) fn ask(&self, rates: Lanes, share: f32) -> Points {
        let direction = self.theta * rates;
        // The iterate has not moved since the last update, so the average moves towards it.
        let average = self.average + (direction - self.average) * Lanes::of(f64::from(share));
        Points { average, direction }
    }

    /// Returns the coordinate's average over all rounds (rows learnt) up to the current one, per lane (one of the
    /// learners trained side by side), before multiplication by step-size scales.
    pub(crate) fn average_at(&self, averaging: &Averaging) -> Lanes {
        self.ask(self.rates(), averaging.weight_since(self.step)).average
    }

    /// Returns the step size of each lane (one of the learners trained side by side).
    #[inline(always)]
    pub(crate) fn rates(&self) -> Lanes {
        step_size(self.squares, damping(Lanes::of(f64::from(self.inverse_scale.updates()))))
    }

    /// Updates the coordinate with the gradients of a row in which its value, relative to its scale, is 1, as for the
    /// intercept; `average` is the one returned by [`Coordinate::ask`] in this round.
    pub(crate) fn tell(&mut self, averaging: &Averaging, gradients: &Gradients, average: &Lanes) {
        self.theta = self.theta - gradients.lanes;
        self.squares = self.squares + gradients.lanes * gradients.lanes;
        self.model_squares += gradients.model * gradients.model;
        self.average = *average;
        self.step = averaging.step;
        self.inverse_scale = self.inverse_scale.with_update();
    }

    /// Multiplies the gradient sums by `ratio`, and the sums of squares by its square, after a change of the unit in
    /// which gradients are stored.
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        let ratio = ratio as f32;
        self.theta = Lanes(self.theta.0.map(|theta| theta * ratio));
        self.squares = Lanes(self.squares.0.map(|squares| squares * (ratio * ratio)));
        self.model_squares *= ratio * ratio;
    }
}

/// Derivatives of the loss with respect to the margin at one row, as multiples of the unit of gradients (see
/// [`label_units`](crate::online::label_units)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradients {
    /// Derivative for each lane (one of the learners trained side by side), at the lane's query point: the point
    /// between average and current iterate at which it computes gradients.
    pub(crate) lanes: Lanes,
    /// Derivative for the model: the root mean square of the lanes' derivatives (learners trained side by side),
    /// weighted by the mixture weights of the lanes.
    pub(crate) model: f32,
}

impl Gradients {
    /// Returns the derivatives `lanes` of the lanes (learners trained side by side), with that of the model whose
    /// mixture weights are `shares`.
    pub(crate) fn new(lanes: Lanes, shares: Lanes) -> Gradients {
        let squares = shares.0.iter().zip(lanes.0).map(|(&p, g)| f64::from(p) * f64::from(g) * f64::from(g));
        Gradients { lanes, model: squares.sum::<f64>().sqrt() as f32 }
    }
}

/// Returns the model's weight for raw feature values, which is the product `dot` · 1/M · `factor`. Here `dot` is the
/// dot product of the coordinate's averages with [`Terms::parts`](crate::online::terms::Terms), `inverse` is 1/M for
/// the coordinate's scale M (its largest |x| so far), and `factor` is [`Terms::factor`](crate::online::terms::Terms).
#[inline(always)]
pub(crate) fn raw_weight(dot: f32, inverse: f64, factor: f64) -> f64 {
    f64::from(dot) * inverse * factor
}
