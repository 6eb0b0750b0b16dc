//! Step sizes: the scales of the lanes (learners trained side by side), and the step size of a coordinate.

use crate::{loss::Loss, simd::lanes::Lanes};
use surefoot::Real;

/// Returns the step-size scales D of the lanes (learners trained side by side), each about 3 times the one before.
/// Margins are of order 1 in classification and with a log link; in regression, weights may exceed the standard
/// deviation of the label by far if columns are nearly collinear.
///
/// The grids were chosen among ten by one pass over real data sets, each with variants (`docs/decisions.md`).
pub(crate) fn grid(loss: Loss) -> Lanes {
    Lanes(match loss.classifies() || loss.variance_power().is_some() {
        true => [0.1, 0.3, 1.0, 3.0],
        false => [0.3, 1.0, 3.0, 10.0],
    })
}

/// Returns the step size 1/√(S(1 + 4/n)) of a coordinate, where S is its sum of squared gradients and n its number of
/// updates; 0 for n = 0.
///
/// A coordinate after n updates moves as if its sum of squares S were larger by 4·S/n, so the first occurrence of a
/// rare feature moves its weight by 1/√5 of a full step. Unlike a constant added to S, this correction has no unit.
#[inline(always)]
pub(crate) fn step_size<R: Real>(squares: R, damping: R) -> R {
    (damping / (squares + R::of(f64::from(f32::MIN_POSITIVE)))).sqrt()
}

/// Returns n/(n + 4), by which [`step_size`] is damped after n updates of a coordinate.
#[inline(always)]
pub(crate) fn damping<R: Real>(updates: R) -> R {
    updates / (updates + R::of(4.0))
}
