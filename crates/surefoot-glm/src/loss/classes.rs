//! What a [`Loss`] with a margin for each class says of them, each one arm a loss.

use super::{Loss, charges::Charges, softmax};
use crate::simd::lanes::Lanes;

impl Loss {
    /// The loss of the margins of K classes, of which number `y` is the label; for losses that have them ([`has_margins`](Loss::has_margins)),
    /// stable for all finite margins. O(K).
    ///
    /// ```
    /// use surefoot_glm::Loss;
    /// assert!((Loss::Softmax.value_of(1, &[0.0, 0.0, 0.0]) - 3_f64.ln()).abs() < 1e-15);
    /// assert_eq!(Loss::Softmax.value_of(0, &[-1e4, 1e4]), 2e4);
    /// ```
    ///
    /// # Panics
    /// If there are not so many margins.
    #[must_use]
    pub fn value_of(self, y: usize, margins: &[f64]) -> f64 {
        match self {
            Loss::Ovr => softmax::rest_value(y, margins),
            _ => softmax::value(y, margins),
        }
    }

    /// Turns the margins of K classes into the gradient of [`value_of`](Loss::value_of). O(K).
    ///
    /// # Panics
    /// If there are not so many margins.
    pub fn gradient_of(self, y: usize, margins: &mut [f64]) {
        match self {
            Loss::Ovr => softmax::rest_gradient(y, margins),
            _ => softmax::gradient(y, margins),
        }
    }

    /// Turns the margins of K classes into their probabilities, which sum to 1. O(K).
    ///
    /// ```
    /// use surefoot_glm::Loss;
    /// let mut margins = [0.0, 3_f64.ln(), f64::NEG_INFINITY];
    /// Loss::Softmax.means_of(&mut margins);
    /// assert!((margins[1] - 0.75).abs() < 1e-15 && margins[2] == 0.0);
    /// ```
    pub fn means_of(self, margins: &mut [f64]) {
        if self == Loss::Ovr {
            softmax::rest_logarithms(margins);
        }
        softmax::means(margins);
    }

    /// The log loss of the probabilities that K margins stand for: −ln p_y, whichever loss was minimised. Changes the margins.
    pub(crate) fn log_loss_of(self, y: usize, margins: &mut [f64]) -> f64 {
        if self == Loss::Ovr {
            softmax::rest_logarithms(margins);
        }
        softmax::value(y, margins)
    }

    /// The least mean loss of K constant margins, if classes have these shares.
    pub(crate) fn constant_of(self, shares: impl Iterator<Item = f64>) -> f64 {
        match self {
            Loss::Ovr => softmax::rest_constant(shares),
            _ => softmax::constant(shares),
        }
    }

    /// What lanes are charged for the margins of K classes, to f32's precision.
    pub(crate) fn charges_of(self, y: usize, margins: &[Lanes]) -> Charges {
        match self {
            Loss::Ovr => softmax::rest_charges(y, margins),
            _ => softmax::charges(y, margins),
        }
    }

    /// [`gradient_of`](Loss::gradient_of) of every lane, to f32's precision.
    pub(crate) fn slopes_of(self, y: usize, margins: &mut [Lanes]) {
        match self {
            Loss::Ovr => softmax::rest_slopes(y, margins),
            _ => softmax::slopes(y, margins),
        }
    }
}
