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
        self.weight += weight;
        let row = LabelRange { weight, mean: y, largest: y, exposure: offset };
        self.include(&row, weight / self.weight);
    }

    /// Includes rows that make up a `part` of the total weight in mean, maximum and exposure.
    fn include(&mut self, rows: &LabelRange, part: f64) {
        self.mean += (rows.mean - self.mean) * part;
        self.largest = self.largest.max(rows.largest);
        if part == 1.0 {
            self.exposure = rows.exposure;
        } else if rows.exposure != self.exposure {
            // ln((1 − part)·e^a + part·e^b) is computed starting from the larger of a and b, so that neither
            // exponential overflows.
            let (a, b) = (self.exposure, rows.exposure);
            let (top, share, other) = if a > b { (a, part, b - a) } else { (b, 1.0 - part, a - b) };
            self.exposure = top + libm::log1p(share * libm::expm1(other));
        }
    }

    /// Adds the rows of other statistics.
    pub(crate) fn join(&mut self, other: &LabelRange) {
        self.weight += other.weight;
        if other.weight > 0.0 {
            self.include(other, other.weight / self.weight);
        }
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
