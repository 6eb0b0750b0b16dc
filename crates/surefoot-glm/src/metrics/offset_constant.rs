//! Mean loss of the best constant for rows with offsets: the margin of each row is the constant plus the row's offset.
//!
//! | losses | best constant |
//! | --- | --- |
//! | regression | the best constant for labels less offsets; nothing is stored here |
//! | losses with a log link | in closed form from three sums: for counts it is the logarithm of Σwy / Σw·exposure |
//! | binary losses | over the [centres](LabelSketch) of the offsets of each class: never above the true one, exact up to 64 different offsets per class |

use super::label_sketch::LabelSketch;
use crate::{
    loss::Loss,
    numeric::{bisection::bisect, sums::Sum},
};
use serde::{Deserialize, Serialize};

/// Statistics of labels and offsets from which the best constant is computed, kept as soon as some row has an offset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OffsetConstant {
    /// Sums for losses with a log link and variance power p (1 for counts, 2 for gamma). For the margins c + o, with the constant c and the
    /// offset o of each row, the total loss up to constant factors is paid·e^(−(p−1)c) + due·e^((2−p)c) + rest.
    Rates {
        /// Sum of w·y·e^(−(p−1)o) over the rows, for a row of weight w, label y and offset o, and the variance power p of the loss.
        #[serde(rename = "observed")]
        paid: Sum,
        /// Sum of w·e^((2−p)o) over the rows, for a row of weight w and offset o, and the variance power p of the loss.
        #[serde(rename = "expected")]
        due: Sum,
        /// Sum of the terms of the loss that do not depend on the constant: −Σ w·y·o for variance power p = 1, Σ w·o for p = 2, otherwise
        /// 0, for rows of weight w, label y and offset o.
        #[serde(rename = "constant")]
        rest: Sum,
    },
    /// For binary losses: sketches of the distribution of the offsets of each encoded class, −1 and +1.
    Classes { negative: LabelSketch, positive: LabelSketch },
}

impl OffsetConstant {
    /// Returns the statistics of rows that all have offset 0, given their total weight and mean encoded label, to which rows with offsets
    /// are then added; `None` for losses that need no such statistics.
    pub(crate) fn new(loss: Loss, weight: f64, mean: f64) -> Option<OffsetConstant> {
        if loss.variance_power().is_some() {
            let mut sums = [Sum::default(); 2];
            if weight > 0.0 {
                sums[0].add(weight * mean);
                sums[1].add(weight);
            }
            return Some(OffsetConstant::Rates { paid: sums[0], due: sums[1], rest: Sum::default() });
        }
        if !loss.classifies() || loss.is_multiclass() {
            return None;
        }
        let class = |share: f64| {
            let mut sketch = LabelSketch::default();
            if weight * share > 0.0 {
                sketch.add(0.0, weight * share);
            }
            sketch
        };
        Some(OffsetConstant::Classes { negative: class(0.5 * (1.0 - mean)), positive: class(0.5 * (1.0 + mean)) })
    }

    /// Whether the statistics, read from a file, are valid for the loss.
    pub(crate) fn is_sound(&self, loss: Loss) -> bool {
        match self {
            OffsetConstant::Rates { .. } => loss.variance_power().is_some(),
            OffsetConstant::Classes { negative, positive } => {
                loss.classifies() && !loss.is_multiclass() && negative.is_sound() && positive.is_sound()
            }
        }
    }

    /// Adds a row to the statistics, given its encoded label `y`.
    pub(crate) fn add(&mut self, loss: Loss, y: f64, weight: f64, offset: f64) {
        match self {
            OffsetConstant::Rates { paid, due, rest } => {
                let power = loss.variance_power().unwrap_or(1.0);
                paid.add(weight * y * libm::exp(-(power - 1.0) * offset));
                due.add(weight * libm::exp((2.0 - power) * offset));
                rest.add(match power {
                    1.0 => -weight * y * offset,
                    2.0 => weight * offset,
                    _ => 0.0,
                });
            }
            OffsetConstant::Classes { negative, positive } => {
                if y > 0.0 { positive } else { negative }.add(offset, weight);
            }
        }
    }

    /// Adds the rows of other statistics of the same loss.
    pub(crate) fn join(&mut self, other: &OffsetConstant) {
        match (self, other) {
            (OffsetConstant::Rates { paid, due, rest }, OffsetConstant::Rates { paid: p, due: d, rest: r }) => {
                [paid, due, rest].into_iter().zip([p, d, r]).for_each(|(sum, other)| sum.join(other));
            }
            (OffsetConstant::Classes { negative, positive }, OffsetConstant::Classes { negative: n, positive: p }) => {
                negative.join(n);
                positive.join(p);
            }
            // The kind follows from the loss.
            _ => {}
        }
    }

    /// Returns the mean loss of the best constant; `sign` is −1 if the negative class is encoded as +1, otherwise 1.
    pub(crate) fn constant(&self, loss: Loss, weight: f64, sign: f64) -> Option<f64> {
        match self {
            OffsetConstant::Rates { paid, due, rest } => {
                let (paid, due, rest) = (paid.value() / weight, due.value() / weight, rest.value() / weight);
                // The best constant c has e^c = paid/due; its loss is the loss of this mean label without offsets,
                // times due.
                Some(match loss.variance_power()? {
                    1.0 if paid > 0.0 => paid - paid * libm::log(paid / due) + rest,
                    1.0 => 0.0,
                    2.0 => 1.0 + libm::log(paid) + rest,
                    _ if paid > 0.0 => due * loss.minimum(paid / due),
                    _ => 0.0,
                })
            }
            OffsetConstant::Classes { negative, positive } => {
                let centres = |sketch: &LabelSketch, y: f64| {
                    sketch.centres().map(|(offset, weight)| (sign * y, offset, weight)).collect::<Vec<_>>()
                };
                least_of_classes(loss, &[centres(negative, -1.0), centres(positive, 1.0)].concat())
            }
        }
    }
}

/// Returns the mean loss of the best constant, for a binary loss and rows given as (label −1 or +1, offset, weight).
fn least_of_classes(loss: Loss, rows: &[(f64, f64, f64)]) -> Option<f64> {
    let total: f64 = rows.iter().map(|row| row.2).sum();
    let mean = |of: &dyn Fn(f64, f64) -> f64| -> f64 { rows.iter().map(|&(y, o, w)| w / total * of(y, o)).sum() };
    let at = |c: f64| mean(&|y, o| loss.value(y, c + o));
    let size = rows.iter().fold(1.0, |size: f64, row| size.max(row.1.abs()));
    // Beyond this range all margins are far on one side. Rows of a single class have their least loss at an infinite
    // constant.
    let (low, high) = (-800.0 - size, 800.0 + size);
    let [low, high] = bisect(low, high, |middle| mean(&|y, o| loss.derivative(y, middle + o)) > 0.0);
    Some(at(low).min(at(high))).filter(|least| least.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::progressive_loss::ProgressiveLoss;

    /// Returns test rows as (label, weight, offset); the first rows have offset 0.
    fn rows(loss: Loss) -> Vec<(f64, f64, f64)> {
        let row = |t: u32| {
            let u = |by: f64| (f64::from(t) * by).fract();
            let y = match loss {
                _ if loss.classifies() => {
                    if u(0.618) < 0.3 {
                        1.0
                    } else {
                        -1.0
                    }
                }
                _ if loss.variance_power().is_some() => 0.1 + (4.0 * u(0.414)).floor(),
                _ => 10.0 * u(0.414),
            };
            (y, 0.5 + u(0.732), if t < 5 { 0.0 } else { (f64::from(t % 40) / 10.0 - 2.0).round() })
        };
        (1..300).map(row).collect()
    }

    /// Returns the mean loss of the best constant, found by golden-section search.
    fn literal(loss: Loss, rows: &[(f64, f64, f64)]) -> f64 {
        let weight: f64 = rows.iter().map(|row| row.1).sum();
        let at = |c: f64| rows.iter().map(|&(y, w, o)| w / weight * loss.value(y, c + o)).sum::<f64>();
        let (mut low, mut high) = (-60.0, 60.0);
        for _ in 0..200 {
            let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
            if at(a) < at(b) { high = b } else { low = a }
        }
        at(0.5 * (low + high))
    }

    #[test]
    fn the_best_constant_stands_beside_the_offsets() {
        for loss in Loss::SCALAR {
            let (mut losses, rows) = (ProgressiveLoss::default(), rows(loss));
            rows.iter().for_each(|&(y, w, o)| losses.add(loss, y, w, 0.0, o));
            let (found, truth) = (losses.constant(loss, 1.0).unwrap(), literal(loss, &rows));
            let close = (found - truth).abs() <= 1e-9 * (1.0 + truth.abs());
            // Labels less offsets have many different values, so their sketch is not exact.
            let sketched = matches!(loss, Loss::Huber { .. } | Loss::Absolute | Loss::Quantile { .. });
            assert!(close || sketched && found <= truth && found > 0.97 * truth, "{loss}: {found} and {truth}");
            if loss.classifies() {
                let turned: Vec<_> = rows.iter().map(|&(y, w, o)| (-y, w, o)).collect();
                let (found, truth) = (losses.constant(loss, -1.0).unwrap(), literal(loss, &turned));
                assert!((found - truth).abs() <= 1e-9, "{loss} turned: {found} and {truth}");
            }
        }
    }
}
