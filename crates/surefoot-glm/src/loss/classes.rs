//! What a [`Loss`] with a margin for each class says of them, each one arm a loss.

use super::{Loss, charges::Charges, softmax};
use crate::simd::lanes::Lanes;

impl Loss {
    /// The loss of the margins of K classes, of which number `y` is the label; for losses that have them ([`is_multiclass`](Loss::is_multiclass)),
    /// stable for all finite margins. O(K).
    ///
    /// ```
    /// use surefoot_glm::Loss;
    /// assert!((Loss::Softmax.multiclass_value(1, &[0.0, 0.0, 0.0]) - 3_f64.ln()).abs() < 1e-15);
    /// assert_eq!(Loss::Softmax.multiclass_value(0, &[-1e4, 1e4]), 2e4);
    /// ```
    ///
    /// # Panics
    /// If there are not so many margins.
    #[must_use]
    pub fn multiclass_value(self, y: usize, margins: &[f64]) -> f64 {
        match self {
            Loss::Ovr => softmax::ovr_value(y, margins),
            _ => softmax::value(y, margins),
        }
    }

    /// Turns the margins of K classes into the gradient of [`multiclass_value`](Loss::multiclass_value). O(K).
    ///
    /// # Panics
    /// If there are not so many margins.
    pub fn multiclass_gradient(self, y: usize, margins: &mut [f64]) {
        match self {
            Loss::Ovr => softmax::ovr_gradient(y, margins),
            _ => softmax::gradient(y, margins),
        }
    }

    /// Turns the margins of K classes into their probabilities, which sum to 1. O(K).
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

    /// The log loss of the probabilities that K margins stand for: −ln p_y, whichever loss was minimised. Changes the margins.
    pub(crate) fn multiclass_log_loss(self, y: usize, margins: &mut [f64]) -> f64 {
        if self == Loss::Ovr {
            softmax::ovr_logarithms(margins);
        }
        softmax::value(y, margins)
    }

    /// The least mean loss of K constant margins, if classes have these shares.
    pub(crate) fn multiclass_constant(self, shares: impl Iterator<Item = f64>) -> f64 {
        match self {
            Loss::Ovr => softmax::ovr_constant(shares),
            _ => softmax::constant(shares),
        }
    }

    /// What lanes are charged for the margins of K classes, to f32's precision.
    pub(crate) fn multiclass_charges(self, y: usize, margins: &[Lanes]) -> Charges {
        match self {
            Loss::Ovr => softmax::ovr_charges(y, margins),
            _ => softmax::charges(y, margins),
        }
    }

    /// [`multiclass_gradient`](Loss::multiclass_gradient) of every lane, to f32's precision.
    pub(crate) fn multiclass_derivatives(self, y: usize, margins: &mut [Lanes]) {
        match self {
            Loss::Ovr => softmax::ovr_derivatives(y, margins),
            _ => softmax::derivatives(y, margins),
        }
    }
}
