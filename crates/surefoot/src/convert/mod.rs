//! Conversions: from the regret of an online learner to a point with a guarantee.

mod accelerated;
mod anytime;
mod classic;
mod composite;
mod decay;
mod dense;
mod general;
mod optimistic;
mod pair;
mod queue;
mod strongly_convex;
mod sums;

pub use accelerated::Accelerated;
pub use anytime::{Anytime, Unskipped};
pub use classic::classic;
pub use composite::CompositeAnytime;
pub use decay::linear_decay;
pub use dense::DenseAnytime;
pub use general::General;
pub use optimistic::Optimistic;
pub use strongly_convex::StronglyConvex;

use crate::certificate::{Certified, Gradients, Uncertified};
use crate::{Domain, Float, Learner, Ledger, Point, Rounds, Status, Vector, Weights};

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
    /// Cannot fail: a gradient with a coordinate that is not finite (or outside the dimension, or given twice) changes
    /// nothing but the [`status`](AskTell::status).
    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V);

    /// The number of rounds closed.
    fn steps(&self) -> u64;

    /// Whether all gradients could be used; the first that could not stays on record.
    fn status(&self) -> Status;

    /// A bound on the output's excess over the best point of `domain`, or the reason why there is none. What it is worth
    /// depends on where the gradients came from, which only the caller knows; see [`Ledger`]. O(d).
    ///
    /// There is none of an objective with a penalty that the learner counts by itself: gradients do not know of it, and
    /// [`Composite`](crate::certificate::Composite) does. Nor is there from noisy gradients of which some were refused.
    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        let _ = (domain, gradients);
        Err(Uncertified::NoSums)
    }

    /// Coordinate `i` of the query point. O(1).
    ///
    /// # Panics
    /// If there is no such coordinate.
    fn at(&self, i: usize) -> F {
        self.query().at(i)
    }

    /// The query point's inner product with a row; coordinates outside of the dimension count nothing. O(nnz).
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

/// Ask, hint, tell: a conversion whose learner takes a guess of the next gradient.
///
/// [`Optimistic`] gives the last gradient as the hint, as Algorithm 3 does. A caller who knows better
/// gives hints of its own, at most one a round, before it asks for the query point of that round. A hint is a guess:
/// a bad one costs regret, and the guarantee of the conversion stays.
///
/// ```
/// use surefoot::{Anytime, AskHintTell, AskTell, Ball, DualAveraging, Learner, Linear};
///
/// // Gradients that alternate, which the caller can foresee: there is nothing to regret.
/// let mut method = Anytime::new(DualAveraging::<f64, _>::new(1, Ball::new(1.0)), Linear);
/// for t in 0..100 {
///     let foreseen = [if t % 2 == 0 { 1.0 } else { -1.0 }];
///     method.hint(&foreseen);
///     method.tell(&foreseen);
/// }
/// assert_eq!(method.learner().regret_bound(), Some(0.0));
/// ```
pub trait AskHintTell<F: Float>: AskTell<F> {
    /// Announces a guess of the open round's gradient; the round's weight is put to it here. O(nnz).
    ///
    /// Returns whether it was taken. A second hint in a round is not, nor is one with a coordinate that is not finite
    /// once weighted (or outside the dimension, or given twice); then nothing changes.
    fn hint<V: Vector<F> + ?Sized>(&mut self, hint: &V) -> bool;

    /// The weight α of the open round.
    fn next_weight(&self) -> f64;
}

/// The sums of a run, if the certificate of Theorem 1 can be made of them: for an objective that is all in its gradients,
/// none of which is missing for its own sake.
fn vouched<'a, F: Float, L: Learner<F>, W: Weights>(
    ledger: Option<&'a Ledger>,
    learner: &L,
    rounds: &Rounds<W>,
    gradients: Gradients,
) -> Result<&'a Ledger, Uncertified> {
    let ledger = ledger.ok_or(Uncertified::NoSums)?;
    if !learner.rests() {
        return Err(Uncertified::Penalised);
    }
    unbiased(rounds, gradients).map(|()| ledger)
}

/// Whether no noisy gradient was refused: which one is depends on its noise.
fn unbiased<W: Weights>(rounds: &Rounds<W>, gradients: Gradients) -> Result<(), Uncertified> {
    let whole = gradients == Gradients::Exact || !matches!(rounds.status(), Status::Refused { .. });
    if whole { Ok(()) } else { Err(Uncertified::Refused) }
}

/// Where between iterate and average gradients are taken.
#[derive(Clone, Copy, Debug)]
enum Interpolation {
    /// At β·x_t + (1−β)·w_t.
    Fixed(f64),
    /// The same with β_t = A_t/A, which becomes 1 when the sum of weights is A.
    Rising(f64),
}

impl Interpolation {
    /// # Panics
    /// If `beta` is not between 0 and 1.
    fn fixed(beta: f64) -> Self {
        assert!((0.0..=1.0).contains(&beta), "an interpolation between 0 and 1");
        Self::Fixed(beta)
    }

    /// # Panics
    /// If the weights of the first `steps` rounds do not sum to a positive number.
    fn rising<W: Weights>(rounds: &Rounds<W>, steps: u64) -> Self {
        let total = rounds.until(steps);
        assert!(total > 0.0 && total.is_finite(), "weights with a positive sum");
        Self::Rising(total)
    }

    /// The share of the average of closed rounds in the query point.
    fn share<W: Weights>(self, rounds: &Rounds<W>) -> f64 {
        let kept = 1.0 - rounds.share();
        match self {
            Self::Fixed(beta) => beta * kept,
            Self::Rising(total) => (rounds.total() / total).min(kept),
        }
    }
}

/// The share of the average of closed rounds in the output: all of it, once there is one.
fn output_share<W: Weights>(rounds: &Rounds<W>) -> f64 {
    if rounds.total() > 0.0 { 1.0 } else { 0.0 }
}
