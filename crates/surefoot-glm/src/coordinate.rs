//! What is remembered of one coordinate, and its two moves: ask and tell.
//!
//! In the unit of its largest |x| so far every coordinate has the same learner: diagonal AdaGrad in its
//! dual-averaging form under the anytime conversion, once for each lane. All lanes share the unit, the clock and
//! the count of touches, so a coordinate takes 128 bytes.

use crate::{clock::Clock, lanes::Lanes};
use surefoot::{Real, kernel};

/// A coordinate that was touched n times moves as if it had c·S/n more in its sum of squares S: the first sight of
/// a rare feature moves it by 1/√(1 + c) of a full step. It has no unit, unlike a constant added to S.
const DAMPING: f64 = 4.0;

/// Values below this count as zero: dividing by one could overflow.
pub(crate) const NEGLIGIBLE: f64 = f64::MIN_POSITIVE / f64::EPSILON;

/// One coordinate in all lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Coordinate {
    /// θ = −Σ g·x/M, in gradient units.
    pub(crate) theta: Lanes,
    /// S = Σ (g·x/M)².
    pub(crate) squares: Lanes,
    /// The average as of the last touch, times M.
    pub(crate) average: Lanes,
    /// M, the largest |x| so far; 0 for a coordinate never seen.
    pub(crate) unit: f64,
    /// A and P of the clock at the last touch.
    pub(crate) weights: f64,
    pub(crate) scaled: f64,
    /// Rows that touched it.
    pub(crate) touches: f32,
}

/// A coordinate's points as of now, times M.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// The output point x_t.
    pub(crate) average: Lanes,
    /// The query point q_t.
    pub(crate) query: Lanes,
}

impl Coordinate {
    /// Output and query point now; does not change anything.
    #[inline(always)]
    pub(crate) fn ask(&self, clock: &Clock, scales: Lanes, beta: Lanes) -> Asked {
        if self.touches == 0.0 {
            return Asked::default();
        }
        let damping = self.squares * Lanes::of(DAMPING / f64::from(self.touches));
        let direction = kernel::iterate(self.theta, self.squares, scales, damping);
        // Since the last touch the iterate was scale_s·direction, whose mean is the direction times the mean scale.
        let mean_scale = (clock.scaled - self.scaled) / (clock.weights - self.weights);
        let rested = direction * Lanes::of(mean_scale);
        let average = kernel::catch_up(self.average, rested, Lanes::of(self.weights / clock.weights));
        let iterate = direction * Lanes::of(clock.scale);
        Asked { average, query: iterate + (average - iterate) * beta }
    }

    /// The weight that predicts: to be multiplied by raw values.
    #[inline(always)]
    pub(crate) fn weight(&self, average: Lanes, shares: Lanes) -> f64 {
        f64::from(average.dot(shares)) / self.unit
    }

    /// The value x as a multiple of the unit it will have once x is counted: in [−1, 1].
    #[inline(always)]
    pub(crate) fn relative(&self, x: f64) -> f64 {
        if x.abs() > self.unit { x.signum() } else { x / self.unit }
    }

    /// Learns a gradient (one a lane, of the margin) at a row where this coordinate has value `x`, and `relative`
    /// as above; `average` is what [`Coordinate::ask`] said with the same clock.
    #[inline(always)]
    pub(crate) fn tell(&mut self, clock: &Clock, gradient: Lanes, x: f64, relative: f64, average: Lanes) {
        if x.abs() > self.unit {
            self.raise_unit(x.abs());
        }
        (self.theta, self.squares) = kernel::tell(self.theta, self.squares, gradient * Lanes::of(relative));
        self.average = average;
        self.weights = clock.weights;
        self.scaled = clock.scaled;
        self.touches += 1.0;
    }

    /// Re-expresses the state in a larger unit, as if it had been known from the start: gradients were x/M·g, so
    /// they shrink; the iterate times M is a ratio of them, and stays, and with it its average.
    #[inline(always)]
    fn raise_unit(&mut self, unit: f64) {
        let ratio = Lanes::of(self.unit / unit);
        self.theta = self.theta * ratio;
        self.squares = self.squares * ratio * ratio;
        self.unit = unit;
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
