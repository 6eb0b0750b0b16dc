//! What is remembered of one coordinate, and its two moves: ask and tell.
//!
//! In the unit of its largest |x| so far every coordinate has the same learner: diagonal AdaGrad in its
//! dual-averaging form under the anytime conversion, once for each lane. All lanes share the unit, the clock and
//! the count of touches, so a coordinate takes 128 bytes.

use crate::{
    clock::Clock,
    lanes::{Lanes, Wide},
};
use bytemuck::Zeroable;
use surefoot::{Real, kernel};

/// A coordinate that was touched n times moves as if it had c·S/n more in its sum of squares S: the first sight of
/// a rare feature moves it by 1/√(1 + c) of a full step. It has no unit, unlike a constant added to S.
const DAMPING: f64 = 4.0;

/// Values below this count as zero: dividing by one could overflow.
pub(crate) const NEGLIGIBLE: f64 = f64::MIN_POSITIVE / f64::EPSILON;

/// One coordinate in all lanes.
#[derive(Clone, Copy, Debug, Default, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Coordinate {
    /// θ = −Σ g·x/M, in gradient units.
    pub(crate) theta: Lanes,
    /// S = Σ (g·x/M)².
    pub(crate) squares: Lanes,
    /// The average as of the last touch, times M.
    pub(crate) average: Lanes,
    /// 1/M, where M is the largest |x| so far; 0 for a coordinate never seen, which is all zeros.
    pub(crate) inverse: f64,
    /// A and P of the clock at the last touch.
    pub(crate) weights: f64,
    pub(crate) scaled: f64,
    /// Rows that touched it.
    pub(crate) touches: f32,
}

/// A coordinate's points as of now, times M.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<W> {
    /// The output point x_t.
    pub(crate) average: W,
    /// The query point q_t.
    pub(crate) query: W,
}

/// What all coordinates share while a row is worked on, in the registers of the loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment<'a, W> {
    pub(crate) clock: &'a Clock,
    pub(crate) scales: W,
    pub(crate) shares: W,
    pub(crate) beta: W,
}

impl Coordinate {
    /// Output and query point now, of a coordinate that was touched; does not change anything.
    #[inline(always)]
    pub(crate) fn ask<W: Wide>(&self, moment: &Moment<'_, W>) -> Asked<W> {
        let clock = moment.clock;
        let squares = W::load(&self.squares);
        let damping = squares * W::of(DAMPING / f64::from(self.touches));
        let direction = kernel::iterate(W::load(&self.theta), squares, moment.scales, damping);
        let rested = direction * W::of(clock.mean_scale(self.weights, self.scaled));
        let average = kernel::catch_up(W::load(&self.average), rested, W::of(self.weights * clock.inverse));
        let iterate = direction * W::of(clock.scale);
        Asked { average, query: iterate + (average - iterate) * moment.beta }
    }

    /// The weight that predicts, given the average: to be multiplied by raw values.
    #[inline(always)]
    pub(crate) fn weight<W: Wide>(&self, average: W, moment: &Moment<'_, W>) -> f64 {
        f64::from(average.dot(moment.shares)) * self.inverse
    }

    /// The value x as a multiple of the unit it will have once x is counted: in [−1, 1].
    #[inline(always)]
    pub(crate) fn relative(&self, x: f64) -> f64 {
        if self.exceeds(x) { x.signum() } else { x * self.inverse }
    }

    /// Learns a gradient (one a lane, of the margin) at a row where this coordinate has value `x`, and `relative`
    /// as above; `average` is what [`Coordinate::ask`] said with the same clock.
    #[inline(always)]
    pub(crate) fn tell<W: Wide>(&mut self, clock: &Clock, gradient: W, x: f64, relative: f64, average: &Lanes) {
        if self.exceeds(x) {
            self.raise_unit(x.abs());
        }
        let gradient = gradient * W::of(relative);
        let (theta, squares) = kernel::tell(W::load(&self.theta), W::load(&self.squares), gradient);
        theta.store(&mut self.theta);
        squares.store(&mut self.squares);
        self.average = *average;
        self.weights = clock.weights;
        self.scaled = clock.scaled;
        self.touches += 1.0;
    }

    /// Whether |x| is larger than the unit, by more than the rounding of 1/M.
    #[inline(always)]
    fn exceeds(&self, x: f64) -> bool {
        self.inverse == 0.0 || x.abs() * self.inverse > 1.0 + f64::EPSILON
    }

    /// Re-expresses the state in a larger unit, as if it had been known from the start: gradients were x/M·g, so
    /// they shrink; the iterate times M is a ratio of them, and stays, and with it its average.
    fn raise_unit(&mut self, unit: f64) {
        let inverse = 1.0 / unit;
        if self.inverse > 0.0 {
            let ratio = Lanes::of(inverse / self.inverse);
            self.theta = self.theta * ratio;
            self.squares = self.squares * ratio * ratio;
        }
        self.inverse = inverse;
    }

    /// Multiplies the unit of gradients by 1/`ratio`, a power of two.
    pub(crate) fn rescale_gradients(&mut self, ratio: f64) {
        self.theta = self.theta * Lanes::of(ratio);
        self.squares = self.squares * Lanes::of(ratio) * Lanes::of(ratio);
    }

    /// Multiplies the unit of margins by 1/`ratio`, a power of two.
    pub(crate) fn rescale_margins(&mut self, ratio: f64) {
        self.average = self.average * Lanes::of(ratio);
        self.scaled *= ratio;
    }
}
