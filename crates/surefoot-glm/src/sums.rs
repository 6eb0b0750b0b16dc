//! Sums, means and spreads of f64 that lose no digit however long they are.

use serde::{Deserialize, Serialize};

/// A sum that carries its rounding errors along (Neumaier 1974).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sum {
    sum: f64,
    carry: f64,
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

    /// `None` where there is no weight, or the sum has overflowed.
    pub(crate) fn value(&self) -> Option<f64> {
        Some(self.total.value() / self.weight.value()).filter(|mean| mean.is_finite())
    }

    pub(crate) fn weight(&self) -> f64 {
        self.weight.value()
    }
}

/// Σ w(y − mean)² in one pass, without the cancellation of Σ wy² − (Σ wy)²/W (Welford 1962, West 1979).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    weight: Sum,
    mean: Sum,
    squares: Sum,
}

impl Spread {
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
