//! The printed losses: of the model, and of the best constant beside it.

use crate::{
    Loss,
    sums::{Mean, Spread},
};
use serde::{Deserialize, Serialize};

/// Mean loss of the rows scored so far, and the loss of the best constant on the same rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Board {
    loss: Mean,
    labels: Spread,
}

impl Board {
    /// Counts a row: its label (for classes −1 or +1, in any fixed order), weight and loss.
    pub(crate) fn add(&mut self, y: f64, weight: f64, loss: f64) {
        self.loss.add(loss, weight);
        self.labels.add(y, weight);
    }

    pub(crate) fn loss(&self) -> Option<f64> {
        self.loss.value()
    }

    pub(crate) fn weight(&self) -> f64 {
        self.loss.weight()
    }

    /// The mean loss of the constant margin that minimises it: the entropy of the classes, half the variance.
    pub(crate) fn constant(&self, loss: Loss) -> Option<f64> {
        let mean = self.labels.mean();
        let constant = match loss {
            Loss::Logistic => 0.0 - plogp(0.5 * (1.0 + mean)) - plogp(0.5 * (1.0 - mean)),
            Loss::Squared => 0.5 * self.labels.squares() / self.weight(),
        };
        (self.weight() > 0.0 && constant.is_finite()).then_some(constant)
    }
}

/// p·ln p, 0 at p = 0 (and at what rounding leaves below it).
fn plogp(p: f64) -> f64 {
    if p > 0.0 { p * libm::log(p) } else { 0.0 }
}
