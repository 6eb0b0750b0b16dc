//! Constant predictor: the best constant margin so far, which is mixed with the lanes as if it were one more of them.
//!
//! It costs nothing per nonzero, and makes the start of a run safe: as long as no lane (one of the learners trained
//! side by side) is better than a constant, the mixture is close to the constant.

pub(super) mod in_rounds;

use super::label_units::LabelUnits;
use crate::{
    loss::Loss,
    numeric::check::{is_magnitude, need},
};
use serde::{Deserialize, Serialize};

/// Label statistics from which the best constant margin so far follows, for losses with a single margin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Constant {
    /// Largest row weight so far; weights count as multiples of it.
    largest_weight: f64,
    /// For classes, the total weights of the negative and of the positive class; for other losses, the total weight and
    /// the sum of |label − `estimate`|.
    totals: [f64; 2],
    /// For losses of numbers, the estimated best constant, in the unit of the data: for squared loss, the mean label.
    estimate: f64,
    /// Sum of the squared derivatives of the loss at the estimates, for Huber, absolute and quantile loss; those of
    /// Huber loss are divided by its δ.
    squares: f64,
}

impl Constant {
    /// Checks that the statistics, read from a file, are within their ranges.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sizes = [self.largest_weight, self.totals[0], self.totals[1], self.squares];
        let sound = sizes.iter().all(|x| is_magnitude(*x)) && self.estimate.is_finite();
        need(sound, "the statistics of the constant prediction are out of their range")
    }

    /// Returns the best constant margin so far, as a multiple of the unit of margins, for labels as they are encoded. As
    /// long as there are no labels, it is 0, and with a log link the logarithm of the mean label.
    ///
    /// For logistic loss the counts of both classes are increased by ½ (Krichevsky and Trofimov 1981): without offsets of
    /// rows, which the counts do not regard, the total loss exceeds that of the best constant in hindsight by at most ½·ln n + 1 for n rows of weight 1. For hinge losses the margin
    /// is ±1 as long as there is one class, as it is for the best constant: a margin that is short of 1 by 1/n costs more than that
    /// constant once the other class comes. For hinge loss, whose best constant is the sign of the majority, the margin follows the majority
    /// by exponential weights, whose rate falls with the weight of the rarer class.
    pub(crate) fn margin(&self, loss: Loss, units: &LabelUnits) -> f64 {
        let [negative, positive] = self.totals;
        let lead = positive - negative;
        match loss {
            Loss::Logistic => libm::log((positive + 0.5) / (negative + 0.5)),
            _ if loss.classifies() && lead == 0.0 => 0.0,
            Loss::Hinge => libm::tanh(lead / (2.0 * positive.min(negative)).sqrt()),
            Loss::SquaredHinge => lead / (positive + negative),
            Loss::SmoothedHinge => lead / positive.max(negative),
            _ if loss.variance_power().is_some() => units.offset(true).lanes,
            _ => units.offset_in_units(self.estimate),
        }
    }

    /// Updates the statistics with a row that is learnt, given its encoded label, its offset and its weight.
    pub(crate) fn count(&mut self, loss: Loss, y: f64, offset: f64, weight: f64) {
        if weight > self.largest_weight {
            let ratio = self.largest_weight / weight;
            self.totals.iter_mut().for_each(|total| *total *= ratio);
            self.squares *= ratio * ratio;
            self.largest_weight = weight;
        }
        let weight = weight / self.largest_weight;
        if loss.classifies() {
            // Labels that are proportions of the positive class lie between −1 and 1.
            self.totals[0] += weight * 0.5 * (1.0 - y);
            self.totals[1] += weight * 0.5 * (1.0 + y);
        } else if loss.variance_power().is_none() {
            self.count_number(loss, y - offset, weight);
        }
    }

    fn count_number(&mut self, loss: Loss, y: f64, weight: f64) {
        let before = self.totals[0];
        let lack = y - self.estimate;
        if !lack.is_finite() {
            return;
        }
        self.totals[0] += weight;
        if loss == Loss::Squared || before == 0.0 {
            self.estimate += lack * (weight / self.totals[0]);
            return;
        }
        // AdaGrad on the constant alone, with the mean distance of labels as the scale of its steps.
        self.totals[1] = (self.totals[1] + weight * lack.abs()).min(f64::MAX);
        // Relative to δ, the derivative of Huber loss has no unit either.
        let unit = if let Loss::Huber { delta } = loss { delta } else { 1.0 };
        let derivative = weight * (loss.derivative(y, self.estimate) / unit);
        self.squares = (self.squares + derivative * derivative).min(f64::MAX);
        if self.squares > 0.0 {
            self.estimate -= self.totals[1] / self.totals[0] * (derivative / self.squares.sqrt());
        }
    }
}

/// Total weights of the classes, from which the best constant margins so far follow, for multiclass losses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClassConstants {
    /// Largest row weight so far; weights count as multiples of it.
    largest_weight: f64,
    /// Total weight of each class, by class number.
    totals: Vec<f64>,
    /// Total weight of all classes.
    all: f64,
}

impl ClassConstants {
    /// Checks that the statistics of a model with `classes` classes, read from a file, are within their ranges.
    pub(crate) fn check(&self, classes: usize) -> Result<(), String> {
        let mut sizes = self.totals.iter().chain([&self.largest_weight, &self.all]);
        let sound = sizes.all(|x| is_magnitude(*x));
        need(sound && self.totals.len() <= classes, "the statistics of the constant prediction are out of their range")
    }

    /// Returns the best constant margin so far of the class with the given number; 0 for a class without rows. Counts
    /// are increased by ½, as for two classes.
    pub(crate) fn margin(&self, loss: Loss, class: usize) -> f64 {
        let Some(&total) = self.totals.get(class).filter(|total| **total > 0.0) else { return 0.0 };
        match loss {
            Loss::Ovr => libm::log((total + 0.5) / ((self.all - total).max(0.0) + 0.5)),
            // Margins are relative to that of a class without rows.
            _ => libm::log1p(2.0 * total),
        }
    }

    /// Updates the statistics with a row that is learnt, given its class number and its weight.
    pub(crate) fn count(&mut self, class: usize, weight: f64) {
        if weight > self.largest_weight {
            let ratio = self.largest_weight / weight;
            self.totals.iter_mut().chain([&mut self.all]).for_each(|total| *total *= ratio);
            self.largest_weight = weight;
        }
        self.totals.resize(self.totals.len().max(class + 1), 0.0);
        self.totals[class] += weight / self.largest_weight;
        self.all += weight / self.largest_weight;
    }
}
