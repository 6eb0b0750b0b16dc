//! A baseline conversion: the last iterate of a learner whose steps are scaled down linearly.

use crate::{Anytime, Float, Lazy, Weights};

/// Creates the linear-decay conversion: its output is the last iterate of a learner whose steps are scaled down
/// linearly over a number of rounds known in advance.
///
/// *Update*: gradients are taken at x_1 = w_1, x_{t+1} = x_t + (α_{t+1} + … + α_T)/A_T·(w_{t+1} − w_t): the learner's
/// own steps times a factor that falls from 1 to α_T/A_T, linearly for α_t = 1. After T = `rounds` rounds the output is
/// x_T, the last query point.
///
/// *Guarantee*: E[L(x_T) − L(u)] ≤ E[R_T(u)]/A_T for a convex loss L, any learner with regret R_T and any comparator u,
/// but only after T rounds. Since x_t = (1 − A_{t−1}/A_T)·w_t + (A_{t−1}/A_T)·(the average of w_1 … w_{t−1}), this is
/// [`Anytime`] with the interpolation β_t = A_t/A_T: before round T the *output*, the average of the iterates, has the
/// guarantee of [`Anytime`], while x_t has none. It is the baseline for a stopping time known in advance; after round
/// T, β stays at 1.
///
/// *Cost*: that of [`Anytime`], plus O(T) once to compute A_T. [`DenseAnytime::rise`](crate::DenseAnytime::rise) is the
/// O(d) form.
///
/// ```
/// use surefoot::{AskTell, Ball, OgdNorm, Point, Uniform, linear_decay};
///
/// let mut method = linear_decay(OgdNorm::<f64, _>::new(1, Ball::new(1.0)), Uniform, 1000);
/// for _ in 0..1000 {
///     let slope = 5.0 * (method.at(0) - 0.3).signum();
///     method.tell(&[slope]);
/// }
/// assert!((method.output().at(0) - 0.3).abs() < 0.01);
/// ```
///
/// # Panics
/// If the first weight, or the sum of weights, is not positive and finite.
///
/// Source: Defazio, Cutkosky, Mehta and Mishchenko (2023), for any learner; Zamani and Glineur (2023) for linear decay.
pub fn linear_decay<F: Float, L: Lazy<F>, W: Weights>(learner: L, weights: W, rounds: u64) -> Anytime<F, L, W> {
    Anytime::new(learner, weights).rise(rounds)
}
