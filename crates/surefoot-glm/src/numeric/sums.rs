//! Compensated sums, and weighted means and variances, of f64.

use super::check::is_magnitude;
use serde::{Deserialize, Serialize};

/// Compensated sum of f64 (Neumaier 1974), whose rounding error does not grow with the number of terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sum {
    /// Sum of the terms, rounded after each addition.
    #[serde(with = "nan_as_null")]
    sum: f64,
    /// Sum of the rounding errors of the additions, which corrects `sum`.
    #[serde(rename = "compensation", with = "nan_as_null")]
    carry: f64,
}

/// Serialization of f64 that are only displayed, and may have overflowed: numbers that are not finite become null in
/// JSON, and null is read back as NaN, so that a run can be resumed.
pub(crate) mod nan_as_null {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        if x.is_finite() { to.serialize_f64(*x) } else { to.serialize_none() }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
    }
}

/// Serialization of nonnegative f64 sums that may have overflowed: sums that are not finite become null in JSON, and
/// null is read back as infinity.
pub(crate) mod infinite_as_null {
    pub(crate) use crate::numeric::sums::nan_as_null::serialize;
    use serde::{Deserialize, Deserializer};

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
    }
}

impl Sum {
    pub(crate) fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.carry += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }

    pub(crate) fn value(&self) -> f64 {
        self.sum + self.carry
    }

    /// Returns the sum of the terms as rounded after each addition, and the sum of the rounding errors.
    pub(crate) fn parts(&self) -> [f64; 2] {
        [self.sum, self.carry]
    }

    /// Builds a sum from its [parts](Sum::parts).
    pub(crate) fn of_parts([sum, carry]: [f64; 2]) -> Sum {
        Sum { sum, carry }
    }

    /// Adds the terms of another sum.
    pub(crate) fn join(&mut self, other: &Sum) {
        self.add(other.sum);
        self.add(other.carry);
    }

    /// Whether the sum is finite and at least 0.
    pub(crate) fn is_magnitude(&self) -> bool {
        is_magnitude(self.value())
    }

    fn rescale(&mut self, ratio: f64) {
        self.sum *= ratio;
        self.carry *= ratio;
    }
}

/// Returns the sums of these, and after them their rounding errors, as partial results of shards have them.
pub(crate) fn compensated(sums: &[Sum]) -> Vec<f64> {
    sums.iter().map(|sum| sum.sum).chain(sums.iter().map(|sum| sum.carry)).collect()
}

/// Weighted mean of numbers, held as the sum of weight·number and the sum of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mean {
    total: Sum,
    weight: Sum,
}

impl Mean {
    /// Returns the sum of weight·number and the sum of the weights.
    pub(crate) fn sums(&self) -> [Sum; 2] {
        [self.total, self.weight]
    }

    /// Returns the sum of weight·number and the sum of the weights, to be changed.
    pub(crate) fn sums_mut(&mut self) -> [&mut Sum; 2] {
        [&mut self.total, &mut self.weight]
    }

    /// Returns both sums as compensated sums.
    pub(crate) fn parts(&self) -> Vec<f64> {
        compensated(&self.sums())
    }

    /// Builds a mean from the sum of weight·number and the sum of the weights.
    pub(crate) fn of_parts(sums: &[f64]) -> Mean {
        let mut mean = Mean::default();
        mean.total.add(sums[0]);
        mean.weight.add(sums[1]);
        mean
    }

    pub(crate) fn add(&mut self, value: f64, weight: f64) {
        self.total.add(weight * value);
        self.weight.add(weight);
    }

    /// Adds to this mean all numbers, with their weights, that were added to the mean `other`.
    pub(crate) fn join(&mut self, other: &Mean) {
        self.total.add(other.total.value());
        self.weight.add(other.weight.value());
    }

    /// Returns the weighted mean; `None` if the total weight is 0 or the sum has overflowed.
    pub(crate) fn value(&self) -> Option<f64> {
        Some(self.total.value() / self.weight.value()).filter(|mean| mean.is_finite())
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight.value()
    }

    /// Whether the mean, read from a file, is valid; an overflowed sum is allowed.
    pub(crate) fn is_sound(&self) -> bool {
        self.weight.is_magnitude()
    }

    /// Returns the mean of the numbers added since this mean was in the state `before`; `None` if no numbers were
    /// added, or if the sum has overflowed.
    pub(crate) fn since(&self, before: &Mean) -> Option<f64> {
        let total = self.total.value() - before.total.value();
        Some(total / (self.weight() - before.weight())).filter(|mean| mean.is_finite())
    }
}

/// Weighted mean and sum of squared deviations Σ w(y − mean)² of numbers y with weights w, updated in one pass (Welford
/// 1962, West 1979). This avoids the cancellation in Σ wy² − (Σ wy)²/Σw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moments {
    weight: Sum,
    mean: Sum,
    #[serde(rename = "squared_deviations")]
    squares: Sum,
}

impl Moments {
    pub(crate) fn add(&mut self, y: f64, weight: f64) {
        self.weight.add(weight);
        let before = y - self.mean.value();
        self.mean.add(before * (weight / self.weight.value()));
        self.squares.add(weight * before * (y - self.mean.value()));
    }

    /// Returns the weight, the mean and the squared deviations, each as the parts of its sum.
    pub(crate) fn parts(&self) -> [f64; 6] {
        let [[a, b], [c, d], [e, f]] = [self.weight, self.mean, self.squares].map(|sum| sum.parts());
        [a, b, c, d, e, f]
    }

    /// Builds moments from their [parts](Moments::parts).
    pub(crate) fn of_parts([a, b, c, d, e, f]: [f64; 6]) -> Moments {
        let [weight, mean, squares] = [[a, b], [c, d], [e, f]].map(Sum::of_parts);
        Moments { weight, mean, squares }
    }

    /// Adds the numbers of other moments, with their weights (Chan, Golub and LeVeque 1979).
    pub(crate) fn join(&mut self, other: &Moments) {
        let (own, others) = (self.weight(), other.weight());
        if own == 0.0 || others == 0.0 {
            *self = if own == 0.0 { *other } else { *self };
            return;
        }
        let apart = other.mean() - self.mean();
        self.weight.join(&other.weight);
        self.mean.add(apart * (others / self.weight.value()));
        self.squares.join(&other.squares);
        self.squares.add(apart * (own * (others / self.weight.value())) * apart);
    }

    /// Changes the moments as if every number y added so far had been multiplied by `ratio`.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.mean.rescale(ratio);
        self.squares.rescale(ratio * ratio);
    }

    /// Whether the moments, read from a file, are valid; overflowed sums are allowed.
    pub(crate) fn is_sound(&self) -> bool {
        self.weight.is_magnitude()
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight.value()
    }

    pub(crate) fn mean(&self) -> f64 {
        self.mean.value()
    }

    pub(crate) fn squares(&self) -> f64 {
        self.squares.value()
    }
}
