//! Range of the labels seen by losses with a log link, and the bounds derived from it at which the derivatives of these
//! losses are clipped.

use crate::{loss::Loss, numeric::check::is_magnitude};
use serde::{Deserialize, Serialize};

/// Factor e by which the largest label so far is multiplied in the bounds at which derivatives are clipped.
const BEYOND: f64 = std::f64::consts::E;

/// Mean and maximum of the labels so far, and their mean exposure (e^offset), for losses with a log link.
///
/// With a log link, a margin too large by 20 has a derivative 5·10⁸ times the usual one, and a learner that divides
/// by the square root of the sum of squared gradients would hardly move afterwards. So derivatives are clipped. The
/// upper bound is the derivative for a label of 0 and a predicted mean of e times the largest label. The lower bound
/// is the derivative for a label of e times the largest label and a predicted mean equal to the mean of all labels.
/// The clipped loss is still convex with its minimum at each row's own label, and equals the true loss as long as
/// predictions are of the magnitude of labels. The reported loss is never clipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LabelRange {
    /// Total weight of the rows so far.
    weight: f64,
    /// Weighted mean of the labels so far.
    mean: f64,
    /// Largest label so far; 0 before the first row.
    largest: f64,
    /// Logarithm of the weighted mean exposure e^offset; 0 if no row has an offset.
    #[serde(rename = "log_mean_exposure", default, skip_serializing_if = "is_zero")]
    exposure: f64,
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl LabelRange {
    /// Whether the statistics, read from a file, are within their valid ranges.
    pub(crate) fn is_sound(&self) -> bool {
        [self.weight, self.mean, self.largest].into_iter().all(is_magnitude) && self.exposure.is_finite()
    }

    /// Returns the weighted mean of the labels so far; 0 as long as no label is above 0.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the logarithm of the weighted mean exposure e^offset of the rows so far.
    pub(crate) fn exposure(&self) -> f64 {
        self.exposure
    }

    pub(crate) fn count(&mut self, y: f64, offset: f64, weight: f64) {
        self.join(&LabelRange { weight, mean: y, largest: y, exposure: offset });
    }

    /// Adds the rows of other statistics.
    pub(crate) fn join(&mut self, other: &LabelRange) {
        if other.weight == 0.0 {
            return;
        }
        let total = self.weight + other.weight;
        let (rest, part) = (self.weight / total, other.weight / total);
        self.weight = total;
        self.mean += (other.mean - self.mean) * part;
        self.largest = self.largest.max(other.largest);
        self.exposure = log_mean_exp([self.exposure, other.exposure], [rest, part]);
    }

    /// Converts the statistics to another unit of labels: all labels so far count as multiplied by `ratio`.
    pub(crate) fn rescale(&mut self, ratio: f64) {
        self.mean *= ratio;
        self.largest *= ratio;
    }

    /// Returns the bounds (down, up) of the derivative φ' of the loss with respect to the margin, for a row with label
    /// `y`: φ' is clipped to [−down, up]. Both are infinite for losses without a log link.
    pub(crate) fn derivative_bounds(&self, loss: Loss, y: f64) -> (f64, f64) {
        let Some(power) = loss.variance_power() else { return (f64::INFINITY, f64::INFINITY) };
        let or = |x: f64, other: f64| if x > 0.0 { x } else { other };
        let largest = (BEYOND * or(self.largest.max(y), 1.0)).min(f64::MAX);
        let mean = or(self.mean, largest);
        (largest * libm::pow(mean, 1.0 - power), libm::pow(largest, 2.0 - power))
    }

    /// Returns the derivative φ' of the loss, clipped to the bounds that hold for label `y`.
    pub(crate) fn cut(&self, loss: Loss, y: f64, derivative: f64) -> f64 {
        let (down, up) = self.derivative_bounds(loss, y);
        derivative.clamp(-down, up)
    }

    pub(crate) fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        [&mut self.weight, &mut self.mean, &mut self.largest, &mut self.exposure].into_iter().for_each(visit);
    }
}

/// Returns ln(p·e^a + q·e^b) for shares p and q, which add up to 1. It is computed starting from the larger of a and b, so
/// that neither exponential overflows.
fn log_mean_exp([a, b]: [f64; 2], [p, q]: [f64; 2]) -> f64 {
    if a == b || q == 0.0 {
        return a;
    }
    if p == 0.0 {
        return b;
    }
    let (top, of_top, of_other, less) = if a > b { (a, p, q, b - a) } else { (b, q, 1.0 - q, a - b) };
    let change = of_other * libm::expm1(less);
    // Where the larger exponential has next to no share, 1 + change has lost it, and may even be 0.
    top + if change > -0.5 { libm::log1p(change) } else { libm::log(of_top + of_other * libm::exp(less)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean exposure lies between those of the rows, and is that of the formula where this does not overflow, also
    /// if one of the rows has next to no weight.
    #[test]
    fn the_mean_exposure_is_finite_for_all_weights() {
        let (weights, offsets) =
            ([1e-300, 1e-20, 1e-9, 0.3, 1.0, 7.0, 1e240], [-1e308, -600.0, -3.0, 0.0, 2.0, 50.0, 1e308]);
        for ((w, v), (a, b)) in pairs(&weights).flat_map(|pair| pairs(&offsets).map(move |ends| (pair, ends))) {
            let (mut counted, mut joined) = (LabelRange::default(), [LabelRange::default(); 2]);
            counted.count(1.0, a, w);
            counted.count(1.0, b, v);
            joined[0].count(1.0, a, w);
            joined[1].count(1.0, b, v);
            let [mut left, right] = joined;
            left.join(&right);
            for found in [counted.exposure(), left.exposure()] {
                assert!((a.min(b)..=a.max(b)).contains(&found), "{found} from {a} of weight {w} and {b} of weight {v}");
                // Both terms relative to the larger one.
                let (x, y) = (libm::log(w / (w + v)) + a, libm::log(v / (w + v)) + b);
                let truth = x.max(y) + libm::log1p(libm::exp(-(x - y).abs()));
                let close = (found - truth).abs() <= 1e-14 * (1.0 + truth.abs() + a.abs().max(b.abs()).min(1e3));
                assert!(close, "{found} and {truth} from {a} of weight {w} and {b} of weight {v}");
            }
        }
    }

    fn pairs(numbers: &[f64]) -> impl Iterator<Item = (f64, f64)> {
        numbers.iter().flat_map(move |&a| numbers.iter().map(move |&b| (a, b)))
    }
}
