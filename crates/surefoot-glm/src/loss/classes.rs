//! Methods of [`Loss`] for multiclass losses, which have one margin per class.

use super::{Loss, charges::Charges, softmax};
use crate::simd::lanes::Lanes;

impl Loss {
    /// Returns the [multiclass](Loss::is_multiclass) loss of a row with the margins of K classes, where `y` is the
    /// class number of the label. Numerically stable for all finite margins. Costs O(K).
    ///
    /// ```
    /// use surefoot_glm::Loss;
    /// assert!((Loss::Softmax.multiclass_value(1, &[0.0, 0.0, 0.0]) - 3_f64.ln()).abs() < 1e-15);
    /// assert_eq!(Loss::Softmax.multiclass_value(0, &[-1e4, 1e4]), 2e4);
    /// ```
    ///
    /// # Panics
    /// Panics if `y` is not below the number of margins.
    #[must_use]
    pub fn multiclass_value(self, y: usize, margins: &[f64]) -> f64 {
        match self {
            Loss::Ovr => softmax::ovr_value(y, margins),
            _ => softmax::value(y, margins),
        }
    }

    /// Replaces the margins of K classes by the gradient of [`multiclass_value`](Loss::multiclass_value). Costs O(K).
    ///
    /// # Panics
    /// Panics if `y` is not below the number of margins.
    pub fn multiclass_gradient(self, y: usize, margins: &mut [f64]) {
        match self {
            Loss::Ovr => softmax::ovr_gradient(y, margins),
            _ => softmax::gradient(y, margins),
        }
    }

    /// Replaces the margins of K classes by the predicted probabilities, which sum to 1. Costs O(K).
    ///
    /// ```
    /// use surefoot_glm::Loss;
    /// let mut margins = [0.0, 3_f64.ln(), f64::NEG_INFINITY];
    /// Loss::Softmax.probabilities(&mut margins);
    /// assert!((margins[1] - 0.75).abs() < 1e-15 && margins[2] == 0.0);
    /// ```
    pub fn probabilities(self, margins: &mut [f64]) {
        if self == Loss::Ovr {
            softmax::ovr_logarithms(margins);
        }
        softmax::means(margins);
    }

    /// Computes the log loss −ln p_y, where p_y is the predicted probability of the label's class `y`, for any
    /// multiclass loss. Overwrites the margins.
    pub(crate) fn multiclass_log_loss(self, y: usize, margins: &mut [f64]) -> f64 {
        if self == Loss::Ovr {
            softmax::ovr_logarithms(margins);
        }
        softmax::value(y, margins)
    }

    /// Returns the mean loss of the best constant margins (one per class, the same for all rows), given the relative
    /// frequencies of the classes.
    pub(crate) fn multiclass_constant(self, shares: impl Iterator<Item = f64>) -> f64 {
        match self {
            Loss::Ovr => softmax::ovr_constant(shares),
            _ => softmax::constant(shares),
        }
    }

    /// Computes the losses of the lanes (learners trained side by side) at a row of class `y`, from which their mixture
    /// weights are updated. `margins` holds, for each of K classes, the margin of every lane, in f32.
    pub(crate) fn multiclass_charges(self, y: usize, margins: &[Lanes]) -> Charges {
        match self {
            Loss::Ovr => softmax::ovr_charges(y, margins),
            _ => softmax::charges(y, margins),
        }
    }

    /// Replaces the margins of each lane (one of the learners trained side by side) by the gradient of the loss with
    /// respect to these margins, in f32, as [`multiclass_gradient`](Loss::multiclass_gradient) does in f64.
    pub(crate) fn multiclass_derivatives(self, y: usize, margins: &mut [Lanes]) {
        match self {
            Loss::Ovr => softmax::ovr_derivatives(y, margins),
            _ => softmax::derivatives(y, margins),
        }
    }
}
