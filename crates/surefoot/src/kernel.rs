//! The per-coordinate arithmetic of learners, generic over one number or several lanes (learners trained side by side).
//!
//! | doc maths | here | meaning |
//! | --- | --- | --- |
//! | θ_j = −Σ α_t g_{t,j} | `theta` | minus the weighted sum of gradients |
//! | S_j = Σ (α_t g_{t,j})² | `squares` | the sum of the squared weighted gradients |
//! | D | `scale` | expected size of the coordinate of the solution |
//! | c | `damping` | added to `squares` under the root |
//! | w_j, x_j | `iterate`, `average` | the learner's point and the running average |
//!
//! None of these functions branches or compares, so all lanes execute the same instructions.

use crate::Real;

/// Constant added under square roots in [`iterate`] and [`descend`] to avoid 0/0: far below any sum of squares of
/// suitably scaled gradients, and not subnormal in `f32`.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// Computes a coordinate of the iterate of diagonal AdaGrad in its dual-averaging form, `w = D·θ/√(S + c)`; 0 before
/// the first gradient. θ = `theta` is minus the sum of weighted gradients, S = `squares` the sum of their squares, D =
/// `scale` and c = `damping`.
///
/// The scale of the gradients cancels, so each coordinate may multiply `theta` by any factor, and `squares` and
/// `damping` by the square of the factor. The factor should make the sum `S + c` either 0 or at least about 1e-21,
/// since for smaller values the term that avoids 0/0 affects the result.
///
/// ```
/// use surefoot::kernel::iterate;
/// assert_eq!(iterate(3.0_f64, 9.0, 0.5, 0.0), 0.5);
/// assert_eq!(iterate(0.0_f32, 0.0, 0.5, 0.0), 0.0);
/// ```
///
/// Source: Duchi, Hazan, Singer (2011), the primal-dual form with the diagonal matrix.
#[inline(always)]
pub fn iterate<E: Real>(theta: E, squares: E, scale: E, damping: E) -> E {
    scale * theta / (squares + damping + E::of(TINY)).sqrt()
}

/// Computes the state of a coordinate after a weighted gradient `g`: `θ − g`, minus the sum of gradients, and `S + g²`,
/// the sum of their squares.
///
/// ```
/// use surefoot::kernel::tell;
/// assert_eq!(tell(1.0_f64, 4.0, 3.0), (-2.0, 13.0));
/// ```
#[inline(always)]
pub fn tell<E: Real>(theta: E, squares: E, gradient: E) -> (E, E) {
    (theta - gradient, squares + gradient * gradient)
}

/// Computes one step of AdaGrad before its projection, `w − B·g/√(2S)`, from the iterate w, the width B of the domain
/// and the weighted gradient g; S = `squares` is the sum of squared gradients, including g².
///
/// ```
/// use surefoot::kernel::descend;
/// assert_eq!(descend(1.0_f64, 8.0, 4.0, 2.0), -1.0);
/// ```
///
/// Source: McMahan and Streeter (2010); Duchi, Hazan, Singer (2011).
#[inline(always)]
pub fn descend<E: Real>(iterate: E, squares: E, width: E, gradient: E) -> E {
    iterate - width * gradient / (squares + squares + E::of(TINY)).sqrt()
}

/// Brings the average of a coordinate up to date: `w + (x − w)·keep`, where `x` is the average at the time when the
/// coordinate last changed, and `w` the iterate, which has not changed since.
///
/// `keep = A_last / A_now`, the sum of weights at the last change over the sum now, lies between 0 and 1, so the result
/// is a convex combination of the two: no digits cancel, however long the coordinate was untouched.
///
/// ```
/// use surefoot::kernel::catch_up;
/// // Average 4 over a total weight of 1; then the iterate rested at 1 for a weight of 2 more.
/// assert_eq!(catch_up(4.0_f64, 1.0, 1.0 / 3.0), 2.0);
/// ```
#[inline(always)]
pub fn catch_up<E: Real>(average: E, iterate: E, keep: E) -> E {
    iterate + (average - iterate) * keep
}

/// Computes the average `x·kept + w·added` of the old average x and the iterate w, where `kept + added = 1`: the result
/// of [`catch_up`], with a smaller rounding error.
///
/// The computation starts from the value with the larger weight and adds a correction. So a small weight is not lost by
/// rounding in 1 − weight: `f32` averages follow even if a step adds 1e-9 of the total, and the error from an iterate
/// much larger than the average is in proportion to its weight. The two weights are the same for all lanes.
///
/// ```
/// use surefoot::kernel::{blend, catch_up};
/// let (x, w, added) = (1.0_f32, 101.0, 1e-8);
/// assert_eq!(blend(x, w, 1.0 - added, added), 1.000001);
/// assert_eq!(catch_up(x, w, (1.0 - added) as f32), 1.0); // the share is gone
/// ```
#[inline(always)]
pub fn blend<E: Real>(average: E, iterate: E, kept: f64, added: f64) -> E {
    if added < kept { average + (iterate - average) * E::of(added) } else { catch_up(average, iterate, E::of(kept)) }
}
