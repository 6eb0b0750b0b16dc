//! Online-to-batch conversions: methods that turn an online learner into a stochastic optimiser whose output has a
//! guarantee.

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
pub use anytime::{Anytime, SkipError};
pub use classic::classic;
pub use composite::CompositeAnytime;
pub use decay::linear_decay;
pub use dense::DenseAnytime;
pub use general::General;
pub use optimistic::Optimistic;
pub use strongly_convex::StronglyConvex;

use crate::certificate::{Certified, Gradients, Uncertified};
use crate::{Domain, Float, Learner, Ledger, Point, Rounds, Status, Vector, Weights};

/// A method that is asked for the point of the next gradient and told that gradient; the caller owns the loop.
///
/// After t gradients there are two points, both read-only:
/// * the *query* point of round t + 1, where the next gradient must be taken;
/// * the *output* point of round t, which the theorem bounds, and which is used for prediction, saving and evaluation.
///
/// In Algorithms 1 to 3 the output of round t is the query of round t: once its gradient is known, it has a guarantee.
/// The query and the output point are the learner's first iterate until the first gradient.
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
/// For convenience, the methods of a [`Point`] are also defined here and apply to the query point.
pub trait AskTell<F: Float> {
    /// Returns d, the number of coordinates of points and gradients.
    fn dim(&self) -> usize;

    /// Returns the query point of the current round, where the caller must take the gradient.
    fn query(&self) -> impl Point<F>;

    /// Returns the output point after the rounds completed so far, the point whose loss the guarantee bounds.
    fn output(&self) -> impl Point<F>;

    /// Completes the current round with a (sub)gradient taken at the query point. Costs O(nnz), unless the conversion
    /// says otherwise.
    ///
    /// Cannot fail: an invalid gradient is refused and changes only the [`status`](AskTell::status). A gradient is
    /// invalid if a coordinate is not finite, is outside of the dimension or is given twice.
    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V);

    /// Returns the number of completed rounds; refused gradients do not count.
    fn steps(&self) -> u64;

    /// Returns the status of the run: whether all gradients so far were usable, and if not, the first refusal.
    fn status(&self) -> Status;

    /// Returns a bound on the loss of the output minus the minimum loss over `domain`, or the reason why there is no
    /// bound. What the bound means depends on how `gradients` were obtained, which the caller states; see [`Ledger`].
    /// O(d).
    ///
    /// There is no bound if the learner minimises a penalty itself, since the gradients do not contain it; use
    /// [`Composite`](crate::certificate::Composite) then. There is no bound either if a noisy gradient was refused.
    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        let _ = (domain, gradients);
        Err(Uncertified::NoSums)
    }

    /// Returns coordinate `i` of the query point, in O(1).
    ///
    /// # Panics
    /// If `i` is not below the dimension.
    fn at(&self, i: usize) -> F {
        self.query().at(i)
    }

    /// Returns the inner product of the query point and `row`; coordinates outside of the dimension are ignored.
    /// O(nnz).
    fn dot<V: Vector<F> + ?Sized>(&self, row: &V) -> f64 {
        self.query().dot(row)
    }

    /// Copies the query point to `out`. O(d).
    ///
    /// # Panics
    /// If the length of `out` is not the dimension.
    fn write(&self, out: &mut [F]) {
        self.query().write(out);
    }
}

/// A conversion whose learner accepts hints, that is, predictions of the next gradient.
///
/// [`Optimistic`] uses the last gradient as the hint, as Algorithm 3 does. A caller with a better prediction may give
/// its own hints, at most one per round, before asking for the query point of that round. A wrong hint increases the
/// regret, but the guarantee of the conversion still holds.
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
    /// Announces a prediction of the current round's gradient, which is multiplied by the round's weight. O(nnz).
    ///
    /// Returns whether the hint was accepted. A second hint in the same round is rejected, and so is a hint with a
    /// coordinate that is not finite after weighting, is outside of the dimension or is given twice. A rejected hint
    /// changes nothing.
    fn hint<V: Vector<F> + ?Sized>(&mut self, hint: &V) -> bool;

    /// Returns the weight α of the current round, whose gradient has not been told yet.
    fn next_weight(&self) -> f64;
}

/// Returns the sums of a run from which Theorem 1 gives an upper bound on the excess loss (a certificate), or the
/// reason why there is no bound: the sums were not kept, the learner has a penalty of its own, or a noisy gradient was
/// refused.
fn vouched<'a, F: Float, L: Learner<F>, W: Weights>(
    ledger: Option<&'a Ledger>,
    learner: &L,
    rounds: &Rounds<W>,
    gradients: Gradients,
) -> Result<&'a Ledger, Uncertified> {
    let ledger = ledger.ok_or(Uncertified::NoSums)?;
    if !learner.is_stationary() {
        return Err(Uncertified::Penalised);
    }
    unbiased(rounds, gradients).map(|()| ledger)
}

/// Returns an error if a noisy gradient was refused, since the remaining gradients are then a biased sample; exact
/// gradients never give an error.
fn unbiased<W: Weights>(rounds: &Rounds<W>, gradients: Gradients) -> Result<(), Uncertified> {
    let whole = gradients == Gradients::Exact || !matches!(rounds.status(), Status::Refused { .. });
    if whole { Ok(()) } else { Err(Uncertified::Refused) }
}

/// The rule for the weight β of the average in the query point β·average + (1 − β)·iterate, where gradients are taken.
#[derive(Clone, Copy, Debug)]
enum Interpolation {
    /// A fixed β: the query point is β·x_t + (1−β)·w_t for the average x_t and the iterate w_t.
    Fixed(f64),
    /// An increasing β_t = A_t/A, where A_t is the sum of round weights so far and A the stored number; β stays at 1
    /// once A_t reaches A.
    Rising(f64),
}

impl Interpolation {
    /// Creates the rule under which the average has the fixed weight β = `beta` in the query point.
    ///
    /// # Panics
    /// If `beta` is not between 0 and 1.
    fn fixed(beta: f64) -> Self {
        assert!((0.0..=1.0).contains(&beta), "an interpolation between 0 and 1");
        Self::Fixed(beta)
    }

    /// Creates the rule under which the weight β of the average in the query point increases with the sum of round
    /// weights and reaches 1 after `steps` rounds.
    ///
    /// # Panics
    /// If the sum of the weights of the first `steps` rounds is not positive and finite.
    fn rising<W: Weights>(rounds: &Rounds<W>, steps: u64) -> Self {
        let total = rounds.until(steps);
        assert!(total > 0.0 && total.is_finite(), "weights with a positive sum");
        Self::Rising(total)
    }

    /// Returns the weight of the average of completed rounds in the query point, which is a convex combination of that
    /// average and the current iterate.
    fn share<W: Weights>(self, rounds: &Rounds<W>) -> f64 {
        let kept = 1.0 - rounds.share();
        match self {
            Self::Fixed(beta) => beta * kept,
            Self::Rising(total) => (rounds.total() / total).min(kept),
        }
    }
}

/// Returns the weight of the average of completed rounds in the output: 1, or 0 before the first round of positive
/// weight, when the output is the initial iterate.
fn output_share<W: Weights>(rounds: &Rounds<W>) -> f64 {
    if rounds.total() > 0.0 { 1.0 } else { 0.0 }
}
