//! Sums of the gradients that the rows of a round have in one coordinate, and the update of a coordinate by them.
//!
//! All rows of a round take their gradients at the points of its start, so the gradients of its parts can be added up.
//! Squares are those of each row's gradient, as in training row by row, so that the sum of squares S does not depend on
//! how many rows a round has. With G the sum of a round's gradients, the step G/√S then is as long as the sum of the
//! steps of its rows. Where the gradient is the same in most rows, the round misses that the first rows of it would
//! have changed the gradients of the next: a long round overshoots. That is the case if G pulls the iterate back
//! towards the average, since the average lies where an iterate that overshoots comes back to. There S grows by G² at
//! least (AdaGrad's sum if a round is one gradient), and G is cut so that the iterate, if it crosses the average, comes no
//! further beyond it than it was ahead of it, apart from
//! the noise of G. Where G leads away from the average the iterate is under way to a distant optimum, and nothing is
//! cut. A single row per round is learnt as the sequential learner learns it.

use super::{averaging::Averaging, coordinate::Coordinate};
use crate::simd::{
    inverse_scale::InverseScale,
    lanes::{LANES, Lanes},
};
use bytemuck::{Pod, Zeroable};

/// Sums of gradients g·x/M and of their squares over rows of a round, in one coordinate. Here g is the derivative of the
/// loss at the query point of a lane, as a multiple of a unit, x the value and M the scale of the coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct GradientSums {
    pub(crate) gradient: Lanes,
    pub(crate) squares: Lanes,
    /// Inverse 1/M of the scale in which the sums are, which is the largest |x| so far, those of the rows included.
    pub(crate) inverse: f64,
    /// Number of rows with this coordinate.
    pub(crate) count: u32,
    /// Always 0: fills the last word, so that lists of sums can be sent as they lie in memory.
    pub(crate) unused: u32,
}

/// [`GradientSums`] of one shard, to which rows are added one by one, in one cache line. Gradients have both signs, so
/// that their sum is small beside its terms, and is in f64.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct RowSums {
    gradient: [f64; LANES],
    squares: [f32; LANES],
    inverse: f64,
    count: u32,
    /// Number under which the [points](super::round_points::RoundPoints) of the coordinate are known.
    pub(crate) number: u32,
}

impl RowSums {
    /// Returns the sums of no rows, for the coordinate known as `number`, given its inverse scale; 0 if it has none.
    #[inline]
    pub(crate) fn new(number: u32, inverse: f64) -> RowSums {
        RowSums { gradient: [0.0; LANES], squares: [0.0; LANES], inverse, count: 0, number }
    }

    /// Adds the gradients of a row in which the coordinate has the value `x`.
    #[inline(always)]
    pub(crate) fn add(&mut self, x: f64, gradients: &[f64; LANES]) {
        let mut relative = x * self.inverse;
        if relative.abs() > 1.0 || self.inverse == 0.0 {
            self.raise_scale(x.abs());
            relative = 1.0_f64.copysign(x);
        }
        for ((gradient, squares), g) in self.gradient.iter_mut().zip(&mut self.squares).zip(gradients) {
            let g = g * relative;
            *gradient += g;
            *squares += (g * g) as f32;
        }
        self.count = self.count.saturating_add(1);
    }

    #[cold]
    fn raise_scale(&mut self, scale: f64) {
        let (inverse, _) = InverseScale::default().raised(scale);
        let ratio = if self.inverse > 0.0 { inverse.value() / self.inverse } else { 0.0 };
        self.gradient.iter_mut().for_each(|sum| *sum *= ratio);
        self.squares.iter_mut().for_each(|sum| *sum *= (ratio * ratio) as f32);
        self.inverse = inverse.value();
    }

    /// Multiplies the sums as a change of the unit of gradients requires.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.gradient.iter_mut().for_each(|sum| *sum *= ratio);
        self.squares.iter_mut().for_each(|sum| *sum *= (ratio * ratio) as f32);
    }

    /// Returns the sums, rounded to f32.
    pub(crate) fn rounded(&self) -> GradientSums {
        let gradient = Lanes(self.gradient.map(within));
        let squares = Lanes(self.squares.map(|sum| within(sum.into())));
        GradientSums { gradient, squares, inverse: self.inverse, count: self.count, unused: 0 }
    }
}

/// Rounds to f32; beyond its range, to its largest number.
fn within(x: f64) -> f32 {
    (x as f32).clamp(f32::MIN, f32::MAX)
}

impl GradientSums {
    /// Adds the rows of another part of the round, in the larger of both scales.
    pub(crate) fn join(&mut self, other: &GradientSums) {
        let mut other = *other;
        if self.inverse != other.inverse {
            let inverse = self.inverse.min(other.inverse);
            self.rescale_values(inverse);
            other.rescale_values(inverse);
        }
        let capped = |sums: Lanes| Lanes(sums.0.map(|sum| sum.clamp(f32::MIN, f32::MAX)));
        self.gradient = capped(self.gradient + other.gradient);
        self.squares = capped(self.squares + other.squares);
        self.count = self.count.saturating_add(other.count);
    }

    /// Converts the sums to a larger scale, given as its inverse.
    fn rescale_values(&mut self, inverse: f64) {
        if inverse < self.inverse {
            self.rescale(inverse / self.inverse);
            self.inverse = inverse;
        }
    }

    /// Multiplies the sums of gradients by `ratio`, at most 1, and those of squares by its square.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        let by = |sums: Lanes, ratio: f64| Lanes(sums.0.map(|sum| (f64::from(sum) * ratio) as f32));
        self.gradient = by(self.gradient, ratio);
        self.squares = by(self.squares, ratio * ratio);
    }

    /// Whether the sums, read from a message, are within their ranges.
    pub(crate) fn are_sound(&self) -> bool {
        let sums = self.gradient.is_finite() && self.squares.0.iter().all(|&sum| sum >= 0.0 && sum.is_finite());
        sums && self.count > 0 && self.unused == 0 && (f64::MIN_POSITIVE..f64::INFINITY).contains(&self.inverse)
    }
}

impl Coordinate {
    /// Learns the rows of a round, whose last row was learnt in the round (row number) of `averaging`; `shares` are the
    /// mixture weights of the lanes (learners trained side by side) during it.
    pub(crate) fn absorb(&mut self, averaging: &Averaging, shares: Lanes, sums: &GradientSums) {
        let mut sums = *sums;
        self.fit_scale(&mut sums);
        let points = self.ask(self.rates(), averaging.weight_since(self.step));
        let mut model = 0.0;
        for k in 0..LANES {
            let (g, squares) = (sums.gradient.0[k], sums.squares.0[k]);
            let away = points.direction.0[k] - points.average.0[k];
            let pulls_back = g * away > 0.0;
            let more = if pulls_back { (g * g - squares).max(0.0) } else { 0.0 };
            let total = (self.squares.0[k] + squares + more).min(f32::MAX);
            let most = if pulls_back { away.abs() * total.sqrt() + squares.sqrt() } else { f32::INFINITY };
            // Unlike `clamp`, this takes any bound, also that of sums out of all proportion.
            let step = g.max(-most).min(most);
            self.theta.0[k] = (self.theta.0[k] - step).clamp(f32::MIN, f32::MAX);
            self.squares.0[k] = total;
            model += shares.0[k] * squares;
        }
        self.model_squares = (self.model_squares + model).min(f32::MAX);
        self.average = points.average;
        self.step = averaging.step;
        self.inverse_scale = self.inverse_scale.with_updates(sums.count);
    }

    /// Brings coordinate and sums to the same scale, the larger of both.
    fn fit_scale(&mut self, sums: &mut GradientSums) {
        let own = self.inverse_scale.value();
        if self.inverse_scale.updates() == 0 && own != sums.inverse {
            self.inverse_scale = InverseScale(sums.inverse.to_bits() & !InverseScale::UPDATES);
        } else if sums.inverse < own {
            let ratio = sums.inverse / own;
            self.rescale_gradients(ratio);
            let updates = self.inverse_scale.0 & InverseScale::UPDATES;
            self.inverse_scale = InverseScale(sums.inverse.to_bits() & !InverseScale::UPDATES | updates);
        } else {
            sums.rescale_values(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::online::coordinate::Gradients;

    /// A round of one row does what the sequential learner does with it, up to rounding.
    #[test]
    fn a_round_of_one_row_is_a_step() {
        let mut averaging = Averaging::new();
        let (mut round, mut step) = (Coordinate::with_unit_scale(), Coordinate::with_unit_scale());
        for t in 0..200_i32 {
            let g = Lanes(std::array::from_fn(|k| (0.7 * f64::from(t) + k as f64).sin() as f32));
            let (shares, gradients) = (Lanes([0.25; LANES]), Gradients::new(g, Lanes([0.25; LANES])));
            let asked = step.ask(step.rates(), averaging.weight_since(step.step));
            step.tell(&averaging, &gradients, &asked.average);
            let mut row = RowSums::new(0, 1.0);
            row.add(1.0, &g.0.map(f64::from));
            round.absorb(&averaging, shares, &row.rounded());
            averaging.advance();
            for k in 0..LANES {
                let close = |a: f32, b: f32| (a - b).abs() <= 1e-5 * (1.0 + b.abs());
                assert!(close(round.theta.0[k], step.theta.0[k]), "{t}: {round:?} {step:?}");
                assert!(close(round.squares.0[k], step.squares.0[k]) && close(round.average.0[k], step.average.0[k]));
            }
            assert_eq!((round.step, round.inverse_scale), (step.step, step.inverse_scale));
        }
    }

    /// A gradient that pulls back by more than the way to the average, and is no noise, leads to the average.
    #[test]
    fn no_round_overshoots_the_average() {
        let averaging = Averaging::new();
        let mut c =
            Coordinate { theta: Lanes([10.0; LANES]), squares: Lanes([100.0; LANES]), ..Coordinate::with_unit_scale() };
        (c.step, c.inverse_scale) = (1, c.inverse_scale.with_updates(4000));
        let mut sums = RowSums::new(0, 1.0);
        (0..10_000).for_each(|_| sums.add(1.0, &[0.1; LANES]));
        c.absorb(&averaging, Lanes([0.25; LANES]), &sums.rounded());
        let noise = 100.0_f32.sqrt();
        assert!(c.theta.0.iter().all(|&theta| theta >= -1.1 * c.squares.0[0].sqrt() - noise && theta < 0.0), "{c:?}");
        assert!(c.squares.0.iter().all(|&squares| squares >= 1e6));
    }

    #[test]
    fn sums_are_in_the_larger_scale() {
        let (mut a, mut b, mut all) = (RowSums::new(0, 0.0), RowSums::new(0, 0.0), RowSums::new(0, 0.0));
        for (t, x) in [0.5, -2.0, 1.0, 8.0, -4.0, 1e-3].into_iter().enumerate() {
            let g = std::array::from_fn(|k| 0.1 + t as f64 - k as f64);
            if t < 3 { &mut a } else { &mut b }.add(x, &g);
            all.add(x, &g);
        }
        let (mut joined, mut turned) = (a.rounded(), b.rounded());
        joined.join(&b.rounded());
        turned.join(&a.rounded());
        assert_eq!((joined, joined.inverse, joined.count), (turned, 0.125, 6));
        let all = all.rounded();
        for k in 0..LANES {
            assert!((joined.gradient.0[k] - all.gradient.0[k]).abs() < 1e-5, "{joined:?} {all:?}");
            assert!((joined.squares.0[k] - all.squares.0[k]).abs() < 1e-4 * all.squares.0[k]);
        }
    }
}
