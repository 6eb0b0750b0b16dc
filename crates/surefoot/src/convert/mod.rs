//! Conversions: from the regret of an online learner to a point with a guarantee.

mod anytime;
mod classic;
mod dense;

pub use anytime::Anytime;
pub use classic::classic;
pub use dense::DenseAnytime;

use crate::certificate::{Certified, Gradients, Uncertified};
use crate::{Domain, Float, Point, Rounds, Status, Vector, Weights};

/// Ask where to take a gradient, tell the gradient; the caller owns the loop.
///
/// After t gradients have been told there are two points, both to be read only:
/// * the *query* point of round t + 1, where the next gradient is to be taken;
/// * the *output* point of round t, which the theorem bounds, and which is to be predicted with, saved and evaluated.
///
/// In Algorithms 1 to 3 the output of round t is the query of round t: by the time its gradient is known it can be
/// vouched for. Before the first gradient both are the learner's first iterate.
///
/// ```
/// use surefoot::{Anytime, AskTell, Ball, OgdNorm, Point, Uniform};
///
/// // Minimise |x − 0.3|·5 on the interval from −1 to 1, given subgradients only.
/// let mut method = Anytime::new(OgdNorm::<f64, _>::new(1, Ball::new(1.0)), Uniform);
/// for _ in 0..1000 {
///     let slope = 5.0 * (method.at(0) - 0.3).signum();
///     method.tell(&[slope]);
/// }
/// assert!((method.output().at(0) - 0.3).abs() < 0.05);
/// ```
///
/// The methods of a [`Point`] are here too, for the query point.
pub trait AskTell<F: Float> {
    /// The number of coordinates.
    fn dim(&self) -> usize;

    /// The query point of the open round.
    fn query(&self) -> impl Point<F>;

    /// The output point of the rounds closed so far.
    fn output(&self) -> impl Point<F>;

    /// Closes the round with a (sub)gradient at the query point. O(nnz), but for conversions whose name says more.
    ///
    /// Cannot fail: a gradient with a coordinate that is not finite (or outside the dimension) changes nothing but
    /// the [`status`](AskTell::status).
    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V);

    /// The number of rounds closed.
    fn steps(&self) -> u64;

    /// Whether all gradients could be used; the first that could not stays on record.
    fn status(&self) -> Status;

    /// A bound on the output's excess over the best point of `domain`, or the reason why there is none. What it is worth
    /// depends on where the gradients came from, which only the caller knows; see [`Ledger`](crate::Ledger). O(d).
    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        let _ = (domain, gradients);
        Err(Uncertified::NoSums)
    }

    /// Coordinate `i` of the query point. O(1).
    fn at(&self, i: usize) -> F {
        self.query().at(i)
    }

    /// The query point's inner product with a row. O(nnz).
    fn dot<V: Vector<F> + ?Sized>(&self, row: &V) -> f64 {
        self.query().dot(row)
    }

    /// Writes out the query point. O(d).
    ///
    /// # Panics
    /// If `out` is not as long as the point.
    fn write(&self, out: &mut [F]) {
        self.query().write(out);
    }
}

/// The share of the average of closed rounds in the query point β·x + (1−β)·w, where x includes the open round.
fn query_share<W: Weights>(interpolation: f64, rounds: &Rounds<W>) -> f64 {
    interpolation * (1.0 - rounds.share())
}

/// The share of that average in the output: all of it, once there is one.
fn output_share<W: Weights>(rounds: &Rounds<W>) -> f64 {
    if rounds.total() > 0.0 { 1.0 } else { 0.0 }
}

/// Accepts an interpolation between 0 and 1.
fn checked(interpolation: f64) -> f64 {
    assert!((0.0..=1.0).contains(&interpolation), "an interpolation between 0 and 1");
    interpolation
}
