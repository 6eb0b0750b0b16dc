//! The state of one coordinate (feature or intercept) in all lanes, with its two operations: ask and tell.
//!
//! A lane is one of the six learners trained side by side with different step-size scales. Every coordinate runs the
//! same learner, once per lane, on values relative to its largest |x| so far: diagonal AdaGrad in its dual-averaging
//! form under the anytime conversion. Every lane has its own sum of gradients and its own average; all lanes of a
//! coordinate share one sum of squared gradients, because the ratio of a lane's squared gradients to the model's is
//! the same for all coordinates (see [`step_sizes`](crate::online::step_sizes)). So a coordinate fills one cache
//! line.

use super::averaging::Averaging;
use crate::simd::inverse_scale::InverseScale;
use crate::simd::lanes::{LANES, Lanes};
use bytemuck::{Pod, Zeroable};
use surefoot::Real;

/// State of one coordinate in all lanes (learners trained side by side with different step-size scales).
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Coordinate {
    /// θ = −Σ g·x/M per lane, summed over the rows learnt, with g the derivative of the lane's loss in its margin, in
    /// units of gradients.
    pub(crate) theta: Lanes,
    /// Average of the directions θ/√S per lane, as of the last update.
    pub(crate) average: Lanes,
    /// S = Σ (g·x/M)² over the rows learnt, where g is the gradient of the model: see [`Gradients::model`].
    pub(crate) squares: f32,
    /// Round of the last update; 0 for a coordinate without updates.
    pub(crate) step: u32,
    /// 1/M, where M is the largest |x| of the coordinate so far, and the number of updates.
    pub(crate) inverse_scale: InverseScale,
}

/// Current points of a coordinate in all lanes, relative to its scale M and before multiplication by the scales of
/// the lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points {
    /// Average of the directions per lane, from which the weights of the model are computed.
    pub(crate) average: Lanes,
    /// Direction of the current iterate per lane: θ times the [`step_size`], about θ/√S.
    pub(crate) direction: Lanes,
}

impl Coordinate {
    /// Returns a coordinate without updates whose scale M is known to be 1.
    pub(crate) const fn with_unit_scale() -> Coordinate {
        Coordinate::with_scale(InverseScale(1.0_f64.to_bits()))
    }

    /// Returns a coordinate at 0 with the given inverse scale.
    pub(crate) const fn with_scale(inverse_scale: InverseScale) -> Coordinate {
        let none = Lanes([0.0; LANES]);
        Coordinate { theta: none, average: none, squares: 0.0, step: 0, inverse_scale }
    }

    /// Returns the current points without changing the coordinate, given its [`step_size`] (`rate`) and the weight,
    /// within the average, of the rounds since its last update (`share`). Both points are 0 for a coordinate without
    /// updates.
    #[inline(always)]
    pub(crate) fn ask(&self, rate: f32, share: f32) -> Points {
        let direction = self.theta * Lanes::of(f64::from(rate));
        // The iterate has not moved since the last update, so the average moves towards it.
        let average = self.average + (direction - self.average) * Lanes::of(f64::from(share));
        Points { average, direction }
    }

    /// Returns the average of the coordinate in the current round.
    pub(crate) fn average_at(&self, averaging: &Averaging) -> Lanes {
        let rate = step_size(self.squares, self.inverse_scale.updates() as f32);
        self.ask(rate, averaging.weight_since(self.step)).average
    }

    /// Adds the gradients of a row in which this coordinate has the value M; `average` is the result of
    /// [`Coordinate::ask`] in the same round.
    pub(crate) fn tell(&mut self, averaging: &Averaging, gradients: &Gradients, average: &Lanes) {
        self.theta = self.theta - gradients.lanes;
        self.squares += gradients.model * gradients.model;
        self.average = *average;
        self.step = averaging.step;
        self.inverse_scale = self.inverse_scale.with_update();
    }

    /// Changes the unit of gradients by multiplying all gradient sums by `ratio`.
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        let ratio = ratio as f32;
        self.theta = Lanes(self.theta.0.map(|theta| theta * ratio));
        self.squares *= ratio * ratio;
    }
}

/// Derivatives of the loss in the margin at a row, in units of gradients.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradients {
    /// Derivative per lane (one of the learners trained side by side), at the lane's own query point.
    pub(crate) lanes: Lanes,
    /// Derivative of the model: the root mean square of the lanes' derivatives, weighted by the lanes' mixture
    /// shares.
    pub(crate) model: f32,
}

/// Returns the weight of the model for raw values, where `dot` is Σ parts_k·average_k over the lanes k, `inverse` is
/// 1/M, and `factor` is [`Terms::factor`](crate::online::terms::Terms).
#[inline(always)]
pub(crate) fn raw_weight(dot: f32, inverse: f64, factor: f64) -> f64 {
    f64::from(dot) * inverse * factor
}

/// Returns the step size 1/√(S(1 + 4/n)) of a coordinate with the sum of squared gradients S after n updates; 0
/// without updates.
///
/// A coordinate after n updates moves as if its sum of squares S were larger by 4·S/n, so the first occurrence of a
/// rare feature moves its weight by 1/√5 of a full step. Unlike a constant added to S, this correction has no unit.
#[inline(always)]
pub(crate) fn step_size<R: Real>(squares: R, updates: R) -> R {
    (updates / ((updates + R::of(4.0)) * (squares + R::of(f64::from(f32::MIN_POSITIVE))))).sqrt()
}
