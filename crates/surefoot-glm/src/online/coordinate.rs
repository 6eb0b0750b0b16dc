//! State of one coordinate in all lanes, and its two operations: ask and tell.
//!
//! Every coordinate runs the same learner on values relative to its largest |x| so far: diagonal AdaGrad in its
//! dual-averaging form under the anytime conversion, once per lane. Lanes have their own sums of gradients and
//! averages, and share one sum of squares; the ratio of the gradients of a lane to those of the model is
//! the same for all coordinates (see [`step_sizes`](crate::online::step_sizes)). So a coordinate fills one cache line.

use super::averaging::Averaging;
use crate::simd::inverse_scale::InverseScale;
use crate::simd::lanes::{LANES, Lanes};
use bytemuck::{Pod, Zeroable};
use surefoot::Real;

/// One coordinate in all lanes.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Coordinate {
    /// θ = −Σ g·x/M, in gradient units.
    pub(crate) theta: Lanes,
    /// Average direction as of the last update.
    pub(crate) average: Lanes,
    /// S = Σ (g·x/M)² with g the gradient of the model.
    pub(crate) squares: f32,
    /// Round of the last update.
    pub(crate) step: u32,
    /// 1/M, M the largest |x| so far, and the number of updates.
    pub(crate) inverse_scale: InverseScale,
}

/// Current points of a coordinate in all lanes, before the scales of the lanes and divided by the coordinate's unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points {
    /// The average: the output point.
    pub(crate) average: Lanes,
    /// The direction of the iterate, θ/√S.
    pub(crate) direction: Lanes,
}

impl Coordinate {
    /// A coordinate without updates, whose scale is known to be 1.
    pub(crate) const fn with_unit_scale() -> Coordinate {
        Coordinate::with_scale(InverseScale(1.0_f64.to_bits()))
    }

    /// A coordinate at 0 with this scale.
    pub(crate) const fn with_scale(inverse_scale: InverseScale) -> Coordinate {
        let none = Lanes([0.0; LANES]);
        Coordinate { theta: none, average: none, squares: 0.0, step: 0, inverse_scale }
    }

    /// Current points, given [`step_size`] and the weight in the average of the rounds since the last update; zeros for a coordinate
    /// without updates. Changes nothing.
    #[inline(always)]
    pub(crate) fn ask(&self, rate: f32, share: f32) -> Points {
        let direction = self.theta * Lanes::of(f64::from(rate));
        // The iterate has not moved since the last update, so the average moves towards it.
        let average = self.average + (direction - self.average) * Lanes::of(f64::from(share));
        Points { average, direction }
    }

    /// Current average.
    pub(crate) fn average_at(&self, averaging: &Averaging) -> Lanes {
        let rate = step_size(self.squares, self.inverse_scale.updates() as f32);
        self.ask(rate, averaging.weight_since(self.step)).average
    }

    /// Learns the gradients of a row where this coordinate has the value 1; `average` is the result of [`Coordinate::ask`] in the same
    /// round.
    pub(crate) fn tell(&mut self, averaging: &Averaging, gradients: &Gradients, average: &Lanes) {
        self.theta = self.theta - gradients.lanes;
        self.squares += gradients.model * gradients.model;
        self.average = *average;
        self.step = averaging.step;
        self.inverse_scale = self.inverse_scale.with_update();
    }

    /// Changes the unit of gradients: multiplies them by `ratio`.
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        let ratio = ratio as f32;
        self.theta = Lanes(self.theta.0.map(|theta| theta * ratio));
        self.squares *= ratio * ratio;
    }
}

/// Derivatives of the loss in the margin at a row, in gradient units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradients {
    /// Per lane.
    pub(crate) lanes: Lanes,
    /// Of the model: root mean square over lanes, weighted by shares.
    pub(crate) model: f32,
}

/// Weight of the model for raw values; `dot` is Σ parts_k·average_k, `factor` is [`Terms::factor`](crate::online::terms::Terms).
#[inline(always)]
pub(crate) fn raw_weight(dot: f32, inverse: f64, factor: f64) -> f64 {
    f64::from(dot) * inverse * factor
}

/// Step size 1/√(S(1 + 4/n)) after n updates; 0 for a coordinate without updates.
///
/// A coordinate after n updates moves as if its sum of squares S were larger by 4·S/n, so the first occurrence of a
/// rare feature moves it by 1/√5 of a full step. Unlike a constant added to S, this has no unit.
#[inline(always)]
pub(crate) fn step_size<R: Real>(squares: R, updates: R) -> R {
    (updates / ((updates + R::of(4.0)) * (squares + R::of(f64::from(f32::MIN_POSITIVE))))).sqrt()
}
