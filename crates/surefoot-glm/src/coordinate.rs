//! What is remembered of one coordinate, and its two moves: ask and tell.
//!
//! In the unit of its largest |x| so far every coordinate has the same learner: diagonal AdaGrad in its
//! dual-averaging form under the anytime conversion, once for each lane. Lanes have their own sums of gradients and
//! averages, and share one sum of squares; how much larger the gradients of one lane are than those of the model is
//! the same for all coordinates (see [`pace`](crate::pace)). So a coordinate fills one cache line.

use crate::{
    block::rate_of,
    clock::Clock,
    lanes::{LANES, Lanes, Wide},
};
use bytemuck::Zeroable;

/// Values below this count as zero: dividing by one could overflow.
pub(crate) const NEGLIGIBLE: f64 = f64::MIN_POSITIVE / f64::EPSILON;

/// One coordinate in all lanes.
#[derive(Clone, Copy, Debug, Default, Zeroable)]
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
    pub(crate) unit: Unit,
}

/// 1/M, where M is the largest |x| so far, and in its last twelve bits the number of rows that touched the coordinate,
/// up to 4095; all zeros for a coordinate never seen. Without those bits 1/M is exact to 2⁻⁴⁰.
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable)]
#[repr(transparent)]
pub(crate) struct Unit(pub(crate) u64);

impl Unit {
    const TOUCHES: u64 = 0xfff;

    /// The unit 1, not touched.
    pub(crate) fn one() -> Unit {
        Unit(1.0_f64.to_bits())
    }

    #[inline(always)]
    pub(crate) fn inverse(self) -> f64 {
        f64::from_bits(self.0 & !Unit::TOUCHES)
    }

    #[inline(always)]
    pub(crate) fn touches(self) -> usize {
        (self.0 & Unit::TOUCHES) as usize
    }

    /// 1/√(1 + 4/n) after n touches; 0 for a coordinate never seen.
    #[inline(always)]
    pub(crate) fn damping(self) -> f32 {
        DAMPING[(self.0 & Unit::TOUCHES) as usize]
    }

    #[inline(always)]
    fn touched(self) -> Unit {
        Unit(self.0 + u64::from(self.0 & Unit::TOUCHES < Unit::TOUCHES))
    }

    fn with_inverse(self, inverse: f64) -> Unit {
        Unit(inverse.to_bits() & !Unit::TOUCHES | self.0 & Unit::TOUCHES)
    }
}

/// 1/√(1 + 4/n) for n touches: a coordinate that was touched n times moves as if it had 4·S/n more in its sum of
/// squares S, so the first sight of a rare feature moves it by 1/√5 of a full step. Unlike a constant added to S, this
/// has no unit.
static DAMPING: [f32; Unit::TOUCHES as usize + 1] = {
    let mut table = [0.0; Unit::TOUCHES as usize + 1];
    let mut n = 1;
    while n < table.len() {
        table[n] = inverse_root(1.0 + 4.0 / n as f64);
        n += 1;
    }
    table
};

/// 1/√x for x in [1, 5], by Newton's method, which the compiler can do.
const fn inverse_root(x: f64) -> f32 {
    let mut y = 0.6;
    let mut rounds = 0;
    while rounds < 60 {
        y *= 1.5 - 0.5 * x * y * y;
        rounds += 1;
    }
    y as f32
}

/// A coordinate's points as of now, before the scales of the lanes and divided by the unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<W> {
    /// The average: the output point.
    pub(crate) average: W,
    /// The direction of the iterate, θ/√S.
    pub(crate) direction: W,
}

impl Coordinate {
    pub(crate) const NEVER_SEEN: Coordinate =
        Coordinate { theta: Lanes([0.0; LANES]), average: Lanes([0.0; LANES]), squares: 0.0, step: 0, unit: Unit(0) };

    /// The points now, given the single numbers of [`block`](crate::block); all zeros for a coordinate never seen. Does
    /// not change anything.
    #[inline(always)]
    pub(crate) fn ask<W: Wide>(&self, rate: f32, share: f32) -> Asked<W> {
        let direction = W::load(&self.theta) * W::of(f64::from(rate));
        let average = W::load(&self.average);
        // It has not moved since the last touch, so the average goes towards it.
        let average = average + (direction - average) * W::of(f64::from(share));
        Asked { average, direction }
    }

    /// The average now.
    pub(crate) fn average_at(&self, clock: &Clock) -> Lanes {
        let rate = rate_of(self.squares, self.unit.damping());
        self.ask::<Lanes>(rate, clock.share_since(f64::from(self.step))).average
    }

    /// Learns the gradients of the lanes and of the model at a row where this coordinate has the value `relative` in
    /// its unit; `average` is what [`Coordinate::ask`] said with the same clock.
    #[inline(always)]
    pub(crate) fn tell<W: Wide>(&mut self, clock: &Clock, gradients: &Gradients<W>, relative: f32, average: &Lanes) {
        let theta = W::load(&self.theta) - gradients.lanes * W::of(f64::from(relative));
        theta.store(&mut self.theta);
        let g = gradients.model * relative;
        self.squares += g * g;
        self.average = *average;
        self.step = clock.step;
        self.unit = self.unit.touched();
    }

    /// Re-expresses the state in a larger unit, as if it had been known from the start: gradients were x/M·g, so
    /// they shrink; the direction is a ratio of them, and stays, and with it its average.
    pub(crate) fn raise_unit(&mut self, unit: f64) {
        let inverse = (1.0 / unit).max(f64::MIN_POSITIVE);
        let ratio = if self.unit.touches() == 0 { 0.0 } else { (inverse / self.unit.inverse()) as f32 };
        self.theta = Lanes(self.theta.0.map(|theta| theta * ratio));
        self.squares *= ratio * ratio;
        self.unit = self.unit.with_inverse(inverse);
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
pub(crate) struct Gradients<W> {
    /// Of each lane.
    pub(crate) lanes: W,
    /// Of the model: the root mean square over its lanes.
    pub(crate) model: f32,
}
