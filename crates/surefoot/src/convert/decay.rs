//! The last iterate with a rate that decays linearly, a baseline.

use crate::{Anytime, Float, Lazy, Weights};

/// The last iterate of a learner whose moves are scaled down linearly, over a number of rounds known beforehand.
///
/// *Update*: gradients are taken at x_1 = w_1, x_{t+1} = x_t + (α_{t+1} + … + α_T)/A_T·(w_{t+1} − w_t): the learner's own
/// moves, times a factor that goes from 1 down to α_T/A_T, with α_t = 1 linearly. After T = `rounds` rounds the output is
/// x_T, the last point a gradient was taken at.
///
/// *Guarantee*: E[L(x_T) − L(u)] ≤ E[R_T(u)]/A_T for convex L and any learner, but only at the end. Written out,
/// x_t = (1 − A_{t−1}/A_T)·w_t + (A_{t−1}/A_T)·(the average of w_1 … w_{t−1}), so this is [`Anytime`] with the interpolation
/// β_t = A_t/A_T: on the way the *output*, the average of the iterates, has the guarantee of that, x_t has none. It is the
/// baseline for those who know when they will stop; after that, β stays at 1.
///
/// *Cost*: that of [`Anytime`]; O(T) once, for A_T. [`DenseAnytime::rise`](crate::DenseAnytime::rise) is the O(d) form.
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
