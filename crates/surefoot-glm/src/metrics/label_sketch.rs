//! Sketch of the distribution of labels, for losses whose best constant prediction does not follow from mean and
//! variance.

use crate::{
    loss::Loss,
    numeric::{bisection::bisect, check::is_magnitude},
};
use serde::{Deserialize, Serialize};

/// Maximum number of centres (representative labels) in a sketch.
const CENTRES: usize = 64;

/// Sketch of a distribution of labels: up to 64 centres in ascending order with their weights, where each centre is
/// the mean of the labels merged into it (the streaming histogram of Ben-Haim and Tom-Tov 2010).
///
/// A convex loss of a mean is at most the mean of the losses, so the least mean loss of a constant over the centres
/// is *never above* the least mean loss over the labels: a model with a smaller loss is better than any constant. The
/// sketch is exact up to 64 different labels. Costs O(64) per row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelSketch {
    /// Centres (means of the labels merged into one) in ascending order.
    labels: Vec<f64>,
    /// Total weight of the labels merged into each centre.
    weights: Vec<f64>,
}

impl LabelSketch {
    /// Whether the sketch, read from a file, is valid.
    pub(crate) fn is_sound(&self) -> bool {
        let ascend = self.labels.iter().all(|label| label.is_finite()) && self.labels.is_sorted_by(|a, b| a < b);
        let fit = self.labels.len() == self.weights.len() && self.labels.len() <= CENTRES;
        ascend && fit && self.weights.iter().all(|weight| is_magnitude(*weight))
    }

    /// Returns each centre with its weight, in ascending order.
    pub(crate) fn centres(&self) -> impl Iterator<Item = (f64, f64)> {
        self.labels.iter().copied().zip(self.weights.iter().copied())
    }

    /// Adds the labels of another sketch.
    pub(crate) fn join(&mut self, other: &LabelSketch) {
        other.centres().for_each(|(label, weight)| self.add(label, weight));
    }

    /// Adds a finite label with a positive weight.
    pub(crate) fn add(&mut self, y: f64, weight: f64) {
        let at = self.labels.partition_point(|&label| label < y);
        if self.labels.get(at) == Some(&y) {
            self.weights[at] += weight;
            return;
        }
        self.labels.insert(at, y);
        self.weights.insert(at, weight);
        if self.labels.len() > CENTRES {
            self.merge();
        }
    }

    /// Merges the two neighbouring centres whose merging changes the labels least.
    fn merge(&mut self) {
        let moved = |i: usize| {
            let (a, b) = (self.weights[i], self.weights[i + 1]);
            a / (a + b) * b * (self.labels[i + 1] - self.labels[i])
        };
        let (at, _) = (0..self.labels.len() - 1).fold((0, f64::INFINITY), |(best, least), i| {
            let moved = moved(i);
            if moved < least { (i, moved) } else { (best, least) }
        });
        let (a, b) = (self.weights[at], self.weights[at + 1]);
        let (low, high) = (self.labels[at], self.labels[at + 1]);
        // The distance of labels of both signs may overflow.
        let far = !(high - low).is_finite();
        let mean = if far { a / (a + b) * low + b / (a + b) * high } else { low + b / (a + b) * (high - low) };
        self.labels[at] = mean.clamp(low, high);
        self.weights[at] = a + b;
        self.labels.remove(at + 1);
        self.weights.remove(at + 1);
    }

    /// Returns the mean loss over the centres of the best constant margin; `None` if the sketch is empty.
    pub(crate) fn constant(&self, loss: Loss) -> Option<f64> {
        let (low, high) = (*self.labels.first()?, *self.labels.last()?);
        let total: f64 = self.weights.iter().sum();
        let mean = |of: &dyn Fn(f64) -> f64| -> f64 {
            self.labels.iter().zip(&self.weights).map(|(&y, &weight)| weight / total * of(y)).sum()
        };
        // The mean loss is convex, so its minimum is found by bisection on the sign of the derivative.
        let [low, high] = bisect(low, high, |middle| mean(&|y| loss.derivative(y, middle)) > 0.0)
            .map(|m| mean(&|y| loss.value(y, m)));
        Some(low.min(high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `n` labels of a heavy-tailed distribution, with weights.
    fn labels(n: u32) -> Vec<(f64, f64)> {
        let uniform = |k: u32, by: f64| (f64::from(k) * by).fract();
        (1..=n)
            .map(|k| {
                (1.0 / (0.01 + uniform(k, 0.618_033_988_75)) - 5.0 * uniform(k, 0.414_213_562_37), f64::from(1 + k % 3))
            })
            .collect()
    }

    /// Returns the mean loss of the best constant among all labels and a grid, found by exhaustive search.
    fn literal(loss: Loss, labels: &[(f64, f64)]) -> f64 {
        let weight: f64 = labels.iter().map(|(_, weight)| weight).sum();
        let mean = |m: f64| labels.iter().map(|&(y, w)| w * loss.value(y, m)).sum::<f64>() / weight;
        let grid = (-5000..=100_000).map(|m| f64::from(m) * 1e-3);
        labels.iter().map(|&(y, _)| y).chain(grid.step_by(50)).map(mean).fold(f64::INFINITY, f64::min)
    }

    const LOSSES: [Loss; 4] =
        [Loss::Absolute, Loss::Quantile { tau: 0.1 }, Loss::Quantile { tau: 0.95 }, Loss::Huber { delta: 2.0 }];

    #[test]
    fn never_above_the_truth_and_close_to_it() {
        let (labels, mut sketch) = (labels(2000), LabelSketch::default());
        labels.iter().for_each(|&(y, weight)| sketch.add(y, weight));
        assert_eq!(sketch.labels.len(), CENTRES);
        for loss in LOSSES {
            let (found, truth) = (sketch.constant(loss).unwrap(), literal(loss, &labels));
            assert!(found <= truth * (1.0 + 1e-12) && found >= 0.97 * truth, "{loss:?}: {found} and {truth}");
        }
    }

    #[test]
    fn exact_for_few_different_labels() {
        let mut sketch = LabelSketch::default();
        let labels: Vec<(f64, f64)> = (0..500).map(|k| (f64::from(k * k % 61), f64::from(1 + k % 4))).collect();
        labels.iter().for_each(|&(y, weight)| sketch.add(y, weight));
        for loss in [Loss::Absolute, Loss::Quantile { tau: 0.1 }, Loss::Quantile { tau: 0.95 }] {
            let (found, truth) = (sketch.constant(loss).unwrap(), literal(loss, &labels));
            assert!((found / truth - 1.0).abs() < 1e-12, "{loss:?}: {found} and {truth}");
        }
        assert_eq!(LabelSketch::default().constant(Loss::Absolute), None);
    }
}
