//! The classic online-to-batch conversion, as a baseline: gradients at an online learner's iterates, and their average
//! as the output.

use crate::{Anytime, Float, Lazy, Weights};

/// Creates the classic online-to-batch conversion: gradients are taken at the iterates, and the output is their
/// average.
///
/// It is [`Anytime`] with interpolation 0, has the same guarantee and cost, and is the baseline of arXiv 1903.00974. As
/// in [`Anytime`], the output may be evaluated at any time, but no gradient is ever taken at the output.
///
/// ```
/// use surefoot::{AdaGrad, AskTell, BoxDomain, Point, Uniform, classic};
/// let mut method = classic(AdaGrad::<f64, _>::new(1, BoxDomain::cube(1, 1.0)), Uniform);
/// method.tell(&[1.0]); // at w_1 = 0; w_2 = −1
/// method.tell(&[1.0]); // at w_2
/// assert_eq!((method.at(0), method.output().at(0)), (-1.0, -0.5));
/// ```
///
/// Source: Cesa-Bianchi, Conconi and Gentile (2004), as in the introduction of arXiv 1903.00974.
pub fn classic<F: Float, L: Lazy<F>, W: Weights>(learner: L, weights: W) -> Anytime<F, L, W> {
    Anytime::new(learner, weights).interpolate(0.0)
}
