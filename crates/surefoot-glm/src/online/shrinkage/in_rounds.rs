//! Statistics for the shrinkage by a penalty from the rows of a round, at the shrunk model of its start.

use super::{Observation, Shrinkage, curvature};
use crate::{
    loss::Loss,
    numeric::check::{MOST_ROWS, is_magnitude, need},
};
use serde::{Deserialize, Serialize};

/// Sums, over rows of a round, of the statistics of [`Shrinkage`], each times the row's weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ShrunkRows {
    rows: u64,
    weight: f64,
    /// Sum of the second derivatives of the loss at the margins of the shrunk model.
    curvatures: f64,
    /// Sum of the squared gradients of the model, in the unit of gradients.
    squares: f64,
    /// Sum of the absolute errors of the model before shrinkage.
    sizes: f64,
    /// Sum of the differences that shrinkage makes to derivatives, and of the curvatures by which the intercept follows
    /// them.
    shift: [f64; 2],
}

/// Returns a sum, or the largest number of its sign if it has overflowed.
fn capped(sum: f64) -> f64 {
    sum.clamp(f64::MIN, f64::MAX)
}

impl ShrunkRows {
    fn add(&mut self, other: &ShrunkRows) {
        self.rows += other.rows;
        let sums = [&mut self.weight, &mut self.curvatures, &mut self.squares, &mut self.sizes];
        let others = [other.weight, other.curvatures, other.squares, other.sizes];
        sums.into_iter().zip(others).for_each(|(sum, other)| *sum = capped(*sum + other));
        self.shift.iter_mut().zip(other.shift).for_each(|(sum, other)| *sum = capped(*sum + other));
    }

    /// Adds the rows of another part of the round; `ratios` are the factors by which the gradients of both have to be
    /// multiplied first.
    pub(crate) fn join(&mut self, other: &ShrunkRows, [own, others]: [f64; 2]) {
        self.squares *= own * own;
        self.add(&ShrunkRows { squares: other.squares * others * others, ..*other });
    }

    /// Multiplies the sum of squared gradients as a change of the unit of gradients requires.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.squares *= ratio * ratio;
    }

    /// Checks that the sums, read from a message, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sizes = [self.weight, self.curvatures, self.squares, self.sizes, self.shift[1]];
        let sound = sizes.into_iter().all(is_magnitude) && self.shift[0].is_finite() && self.rows <= MOST_ROWS;
        need(sound, "the penalty's sums over the rows of a round are out of their range")
    }
}

impl Shrinkage {
    /// Adds a row to the sums of its round, given the margin of the shrunk model at it, with the sign that fits encoded
    /// labels, and the square of the model's gradient.
    pub(crate) fn add_in_round(
        &self,
        sums: &mut ShrunkRows,
        loss: Loss,
        observation: &Observation,
        margin: f64,
        square: f64,
    ) {
        let Observation { y, weight, learnt, .. } = *observation;
        let size = self.sizes / self.weight.value();
        let derivative = loss.derivative(y, learnt);
        let by = loss.derivative(y, margin) - derivative;
        let chord = by / (margin - learnt);
        let here = curvature(loss, y, margin, size);
        let chord = here.max(if chord.is_finite() { chord } else { 0.0 });
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        sums.add(&ShrunkRows {
            rows: 1,
            weight,
            curvatures: finite(weight * here).max(0.0),
            squares: square,
            sizes: finite(weight * (y - learnt).abs()),
            shift: [finite(weight * by), finite(weight * chord).max(0.0)],
        });
    }

    /// Updates the statistics with the rows of a round; the intercept is shifted by one Newton step.
    pub(crate) fn add_round(&mut self, sums: &ShrunkRows) {
        self.rows = (self.rows + sums.rows).min(MOST_ROWS);
        self.weight.add(sums.weight);
        self.sizes += sums.sizes;
        self.curvatures += sums.curvatures;
        self.squares += sums.squares;
        let Some(one) = self.candidates.first_mut().filter(|_| self.shifts) else { return };
        one.curvatures += sums.shift[1];
        let step = sums.shift[0] / (one.curvatures * (1.0 + 1.0 / self.rows.max(1) as f64));
        one.shift -= if step.is_finite() { step } else { 0.0 };
    }
}
