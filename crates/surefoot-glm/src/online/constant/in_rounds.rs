//! The best constant from the rows of a round, with the estimate of its start.

use super::Constant;
use crate::{
    loss::Loss,
    numeric::check::{is_magnitude, need},
};
use serde::{Deserialize, Serialize};

/// Sums, over rows of a round, from which the best constant follows; weights count as multiples of the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConstantRows {
    largest_weight: f64,
    /// For classes, the total weights of the negative and of the positive class; for other losses, the total weight and
    /// the sum of |label − estimate|.
    totals: [f64; 2],
    /// Sum of label − estimate.
    lack: f64,
    /// Sum of the derivatives of the loss at the estimate, and of their squares.
    derivatives: [f64; 2],
}

impl ConstantRows {
    fn raise_weight(&mut self, weight: f64) {
        if weight > self.largest_weight {
            let ratio = self.largest_weight / weight;
            let [derivative, squares] = &mut self.derivatives;
            self.totals.iter_mut().chain([&mut self.lack, derivative]).for_each(|sum| *sum *= ratio);
            *squares *= ratio * ratio;
            self.largest_weight = weight;
        }
    }

    /// Adds the rows of another part of the round.
    pub(crate) fn join(&mut self, other: &ConstantRows) {
        let mut other = *other;
        self.raise_weight(other.largest_weight);
        other.raise_weight(self.largest_weight);
        for k in 0..2 {
            self.totals[k] = (self.totals[k] + other.totals[k]).min(f64::MAX);
            self.derivatives[k] = capped(self.derivatives[k] + other.derivatives[k]);
        }
        self.lack = capped(self.lack + other.lack);
    }

    /// Checks that the sums, read from a message, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let [derivative, squares] = self.derivatives;
        let sizes = [self.largest_weight, self.totals[0], self.totals[1]].into_iter().all(is_magnitude);
        let sums = self.lack.is_finite() && derivative.is_finite() && is_magnitude(squares);
        need(sizes && sums, "the labels of the rows of a round are out of their range")
    }
}

/// Returns a sum, or the largest number of its sign if it has overflowed.
fn capped(sum: f64) -> f64 {
    sum.clamp(f64::MIN, f64::MAX)
}

/// Number by which derivatives are divided, so that those of Huber loss have no unit either.
fn unit(loss: Loss) -> f64 {
    if let Loss::Huber { delta } = loss { delta } else { 1.0 }
}

impl Constant {
    /// Adds a row to the sums of its round, given its encoded label, its offset and its weight.
    pub(crate) fn count_in_round(&self, sums: &mut ConstantRows, loss: Loss, y: f64, offset: f64, weight: f64) {
        sums.raise_weight(weight);
        let weight = weight / sums.largest_weight;
        if loss.classifies() {
            sums.totals[0] += weight * 0.5 * (1.0 - y);
            sums.totals[1] += weight * 0.5 * (1.0 + y);
            return;
        }
        let lack = y - offset - self.estimate;
        if loss.variance_power().is_none() && lack.is_finite() {
            sums.totals[0] += weight;
            sums.totals[1] = (sums.totals[1] + weight * lack.abs()).min(f64::MAX);
            sums.lack = capped(sums.lack + weight * lack);
            let derivative = weight * (loss.derivative(y - offset, self.estimate) / unit(loss));
            sums.derivatives[0] = capped(sums.derivatives[0] + derivative);
            sums.derivatives[1] = capped(sums.derivatives[1] + derivative * derivative);
        }
    }

    /// Updates the statistics with the rows of a round.
    pub(crate) fn add_round(&mut self, loss: Loss, sums: &ConstantRows) {
        let mut sums = *sums;
        sums.raise_weight(self.largest_weight);
        if sums.largest_weight > self.largest_weight {
            let ratio = self.largest_weight / sums.largest_weight;
            self.totals.iter_mut().for_each(|total| *total *= ratio);
            self.squares *= ratio * ratio;
            self.largest_weight = sums.largest_weight;
        }
        let is_squared = loss == Loss::Squared;
        // Squared loss needs no sum of distances.
        let count = if is_squared { 1 } else { 2 };
        for (total, rows) in self.totals.iter_mut().zip(sums.totals).take(count) {
            *total = (*total + rows).min(f64::MAX);
        }
        let [derivative, squares] = sums.derivatives;
        let step = match () {
            () if loss.classifies() || self.totals[0] == 0.0 => 0.0,
            () if is_squared => sums.lack / self.totals[0],
            () => {
                // The derivatives of one round add up, so its step is bounded as that of a single row is.
                self.squares = (self.squares + squares.max(derivative * derivative)).min(f64::MAX);
                -self.totals[1] / self.totals[0] * (derivative / self.squares.sqrt())
            }
        };
        let moved = self.estimate + step;
        self.estimate = if moved.is_finite() { moved } else { self.estimate };
    }
}
