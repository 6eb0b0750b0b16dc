//! Sums, means and spreads of f64 that lose no digit however long they are.

use super::check::is_magnitude;
use serde::{Deserialize, Serialize};

/// A sum that carries its rounding errors along (Neumaier 1974).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sum {
    #[serde(with = "nan_as_null")]
    sum: f64,
    #[serde(with = "nan_as_null")]
    carry: f64,
}

/// Numbers that may have overflowed, as squares of large ones do, and are only shown. JSON has null for what is not finite; it comes
/// back as NaN, so that a run can go on without them.
pub(crate) mod nan_as_null {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(x: &f64, to: S) -> Result<S::Ok, S::Error> {
        if x.is_finite() { to.serialize_f64(*x) } else { to.serialize_none() }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
    }
}

/// The same for sums of sizes: what has overflowed is infinite.
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

    /// Whether it may be the sum of numbers that are at least 0.
    pub(crate) fn is_magnitude(&self) -> bool {
        is_magnitude(self.value())
    }

    fn rescale(&mut self, ratio: f64) {
        self.sum *= ratio;
        self.carry *= ratio;
    }
}

/// A weighted mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Mean {
    total: Sum,
    weight: Sum,
}

impl Mean {
    pub(crate) fn add(&mut self, value: f64, weight: f64) {
        self.total.add(weight * value);
        self.weight.add(weight);
    }

    /// Takes in what another mean is of.
    pub(crate) fn join(&mut self, other: &Mean) {
        self.total.add(other.total.value());
        self.weight.add(other.weight.value());
    }

    /// `None` where there is no weight, or the sum has overflowed.
    pub(crate) fn value(&self) -> Option<f64> {
        Some(self.total.value() / self.weight.value()).filter(|mean| mean.is_finite())
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight.value()
    }

    /// Whether one that was read from a file can be one; its sum may have overflowed.
    pub(crate) fn is_sound(&self) -> bool {
        self.weight.is_magnitude()
    }

    /// The mean of what was added since it was `before`.
    pub(crate) fn since(&self, before: &Mean) -> Option<f64> {
        let total = self.total.value() - before.total.value();
        Some(total / (self.weight() - before.weight())).filter(|mean| mean.is_finite())
    }
}

/// Σ w(y − mean)² in one pass, without the cancellation of Σ wy² − (Σ wy)²/W (Welford 1962, West 1979).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moments {
    weight: Sum,
    mean: Sum,
    squares: Sum,
}

impl Moments {
    pub(crate) fn add(&mut self, y: f64, weight: f64) {
        self.weight.add(weight);
        let before = y - self.mean.value();
        self.mean.add(before * (weight / self.weight.value()));
        self.squares.add(weight * before * (y - self.mean.value()));
    }

    /// As if all numbers so far had been multiplied by `ratio`.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.mean.rescale(ratio);
        self.squares.rescale(ratio * ratio);
    }

    /// Whether one that was read from a file can be one; its sums may have overflowed.
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
