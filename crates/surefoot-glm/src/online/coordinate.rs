//! What is remembered of one coordinate, and its two moves: ask and tell.
//!
//! In the unit of its largest |x| so far every coordinate has the same learner: diagonal AdaGrad in its
//! dual-averaging form under the anytime conversion, once for each lane. Lanes have their own sums of gradients and
//! averages, and share one sum of squares; how much larger the gradients of one lane are than those of the model is
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
    /// The average direction as of the last touch.
    pub(crate) average: Lanes,
    /// S = Σ (g·x/M)² with g the gradient of the model.
    pub(crate) squares: f32,
    /// The round of the last touch.
    pub(crate) step: u32,
    /// 1/M and the number of touches.
    pub(crate) inverse_scale: InverseScale,
}

/// A coordinate's points as of now, before the scales of the lanes and divided by the unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Points {
    /// The average: the output point.
    pub(crate) average: Lanes,
    /// The direction of the iterate, θ/√S.
    pub(crate) direction: Lanes,
}

impl Coordinate {
    /// A coordinate never seen, whose unit is known to be 1.
    pub(crate) const fn of_scale_one() -> Coordinate {
        Coordinate::of_scale(InverseScale(1.0_f64.to_bits()))
    }

    /// A coordinate at 0.
    pub(crate) const fn of_scale(inverse_scale: InverseScale) -> Coordinate {
        let none = Lanes([0.0; LANES]);
        Coordinate { theta: none, average: none, squares: 0.0, step: 0, inverse_scale }
    }

    /// The points now, given [`rate_of`] and the share of the rounds since the last touch in the average; all zeros for a coordinate
    /// never seen. Does not change anything.
    #[inline(always)]
    pub(crate) fn ask(&self, rate: f32, share: f32) -> Points {
        let direction = self.theta * Lanes::of(f64::from(rate));
        // It has not moved since the last touch, so the average goes towards it.
        let average = self.average + (direction - self.average) * Lanes::of(f64::from(share));
        Points { average, direction }
    }

    /// The average now.
    pub(crate) fn average_at(&self, averaging: &Averaging) -> Lanes {
        let rate = rate_of(self.squares, self.inverse_scale.updates() as f32);
        self.ask(rate, averaging.share_since(self.step)).average
    }

    /// Learns the gradients of the lanes and of the model at a row where this coordinate has the value 1, which is its unit; `average` is
    /// what [`Coordinate::ask`] said with the same clock.
    pub(crate) fn tell(&mut self, averaging: &Averaging, gradients: &Gradients, average: &Lanes) {
        self.theta = self.theta - gradients.lanes;
        self.squares += gradients.model * gradients.model;
        self.average = *average;
        self.step = averaging.step;
        self.inverse_scale = self.inverse_scale.with_update();
    }

    /// Multiplies the unit of gradients by 1/`ratio`.
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        let ratio = ratio as f32;
        self.theta = Lanes(self.theta.0.map(|theta| theta * ratio));
        self.squares *= ratio * ratio;
    }
}

/// The gradients of a row in the margin, in gradient units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradients {
    /// Of each lane.
    pub(crate) lanes: Lanes,
    /// Of the model: the root mean square over its lanes.
    pub(crate) model: f32,
}

/// The weight that predicts, to be multiplied by raw values: `dot` is Σ parts_k·average_k, `factor` that of the model.
#[inline(always)]
pub(crate) fn weight_of(dot: f32, inverse: f64, factor: f64) -> f64 {
    f64::from(dot) * inverse * factor
}

/// 1/√(S(1 + 4/n)) after n touches; 0 for a coordinate never seen.
///
/// A coordinate that was touched n times moves as if it had 4·S/n more in its sum of squares S, so the first sight of a
/// rare feature moves it by 1/√5 of a full step. Unlike a constant added to S, this has no unit.
#[inline(always)]
pub(crate) fn rate_of<R: Real>(squares: R, updates: R) -> R {
    (updates / ((updates + R::of(4.0)) * (squares + R::of(f64::from(f32::MIN_POSITIVE))))).sqrt()
}
