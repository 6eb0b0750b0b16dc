//! Online learners: what a conversion may know about them, and the learners that come with the crate.
//!
//! In round t a learner has an iterate w_t, chosen before the round's loss is known; then it is told the loss. Its
//! regret against u is R_T(u) = Σ α_t⟨g_t, w_t − u⟩. A learner sees weighted losses and hints and nothing else;
//! a conversion sees the learner through these traits and nothing else.
//!
//! | trait | promise | needed by |
//! | --- | --- | --- |
//! | [`Learner`] | has an iterate, learns from linear losses | [`DenseAnytime`](crate::DenseAnytime), O(d) a step |
//! | [`Lazy`] | moves only where the gradient is not zero, up to one global scale | [`Anytime`](crate::Anytime), O(nnz) |
//! | [`Hinted`], [`LazyHinted`] | uses a guess of the next gradient | [`Optimistic`](crate::Optimistic), Algorithm 3 |
//! | [`Quadratic`] | learns from losses with curvature | [`General`](crate::General), Algorithm 2 |
//! | [`Penalised`] | counts a penalty in full | penalised losses |

mod ada_hedge;
mod adagrad;
mod cholesky;
mod clip;
mod coin_betting;
mod composite;
mod constrained;
mod descent;
mod diagonal_free_grad;
mod diagonal_proximal;
mod dual_adagrad;
mod dual_averaging;
mod experts;
mod free_grad;
mod hedge;
mod leader;
mod magnitude;
mod newton;
mod ogd;
mod p_norm;
mod potential;
mod proximal;
mod ridge;
mod signed_hedge;
mod unit;

pub use ada_hedge::AdaHedge;
pub use adagrad::AdaGrad;
pub use coin_betting::CoinBetting;
pub use composite::CompositeAveraging;
pub use constrained::Constrained;
pub use descent::Descent;
pub use diagonal_free_grad::DiagonalFreeGrad;
pub use diagonal_proximal::DiagonalProximal;
pub use dual_adagrad::DualAdaGrad;
pub use dual_averaging::DualAveraging;
pub use free_grad::FreeGrad;
pub use hedge::Hedge;
pub use leader::Leader;
pub use magnitude::Magnitude;
pub use newton::OnlineNewton;
pub use ogd::OgdNorm;
pub use p_norm::PNorm;
pub use proximal::Proximal;
pub use ridge::Ridge;
pub use signed_hedge::SignedHedge;

use crate::{Float, Penalty, Point, Separable, Vector};

/// No rate is above this, so that sums of rates stay finite. Where gradients are so small, against the reach, that a
/// higher one were due, learners move too little, and promise nothing.
const STEEPEST: f64 = 1e270;

/// Sums of gradients up to here are far from leaving the range of numbers: 2^1000.
const LARGEST: f64 = f64::MAX / (1_u64 << 24) as f64;

/// Points up to here are finite in `F`, and so are their sums over rounds.
fn span<F: Float>() -> f64 {
    let arrays: f64 = F::max_value().wide() / (1_u64 << 24) as f64;
    arrays.min(LARGEST / (1_u128 << 100) as f64)
}

/// The [`room`](Learner::room) of a learner whose numbers are gradients, and points within `reach` of its centre.
fn room_within<F: Float>(reach: f64) -> f64 {
    if reach <= span::<F>() { LARGEST } else { 0.0 }
}

/// The [`room`](Learner::room) of a learner whose points are sums of gradients divided by `steepness`.
pub(crate) fn leader_room<F: Float>(steepness: f64) -> f64 {
    (span::<F>() * steepness).min(LARGEST)
}

/// An online learner for linear losses ⟨α_t g_t, ·⟩.
///
/// Contract: the iterate depends on past losses (and the present hint) only, lies in the learner's domain, and stays
/// where it is, finite, when gradients are zero (but for a penalty of its own). Whoever tells a learner by itself owes it what
/// conversions see to: weights that are finite and not negative, gradients and hints that are finite once weighted, within
/// [`room`](Learner::room) and the dimension, each index once. It does not look again: what it makes of others is not
/// defined, but for memory, which is safe.
pub trait Learner<F: Float> {
    /// The number of coordinates.
    fn dim(&self) -> usize;

    /// Coordinate `i` of the iterate, in O(1).
    fn at(&self, i: usize) -> F;

    /// Announces the weight of the round that is open, before its iterate is used: for learners whose iterate depends on
    /// it, as where a penalty counts in every round. Nothing changes for others.
    fn open(&mut self, weight: f64) {
        let _ = weight;
    }

    /// How large Σ|α_t g_tj|, over all coordinates and rounds and that of the open round and its hint included, may become
    /// with no number of the learner's leaving the range of `F` or `f64`. Conversions refuse gradients beyond that, as
    /// they refuse those that are not finite. `weight` is that of the open round. O(1).
    fn room(&self, weight: f64) -> f64 {
        let _ = weight;
        LARGEST
    }

    /// Whether the iterate stays where it is while gradients are zero: not where a penalty moves it.
    fn rests(&self) -> bool {
        true
    }

    /// Learns from the round's loss: `gradient` times `weight`.
    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V);

    /// A number that the regret over all rounds so far, against any point of the domain, does not exceed, if there is
    /// a theorem that says so.
    fn regret_bound(&self) -> Option<f64> {
        None
    }

    /// The same against all points within `distance` of the learner's first iterate, if they are all in its domain: there
    /// is no bound for any that are not. Learners that need no radius have a bound at any distance, even where they have
    /// none over all points.
    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        let _ = distance;
        None
    }
}

/// A learner whose iterate is `centre + scale · direction`, where the direction rests at every coordinate that it
/// does not report.
///
/// The centre never changes. The scale, one number ≥ 0, may change at every step: that is how a ball's projection or
/// a falling step size moves all coordinates in O(1). This promise is what makes averages exact in O(nnz).
///
/// Directions are `f64` whatever `F` is: they may be sums of gradients, which outgrow `f32` in range and digits.
pub trait Lazy<F: Float>: Learner<F> {
    /// Coordinate `i` of the centre.
    fn centre(&self, i: usize) -> F;

    /// The global scale, not negative.
    fn scale(&self) -> f64;

    /// Coordinate `i` of the direction.
    fn direction(&self, i: usize) -> f64;

    /// [`tell`](Learner::tell), and for each coordinate whose direction moves a call `moved(i, old)` *before* its
    /// first move, with the direction that it leaves. Later calls for the same coordinate within one `tell` may
    /// follow and mean nothing. A learner that moves its whole direction, to keep numbers in range, reports all
    /// coordinates.
    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, moved: impl FnMut(usize, f64));
}

/// A learner that accepts a hint: a guess of the gradient of the round that is open, announced before the round's
/// iterate is used and replaced by the next `tell`.
///
/// Source: arXiv 1903.00974, Algorithm 3; the hint carries the weight of the open round.
pub trait Hinted<F: Float>: Learner<F> {
    /// Announces `hint` times `weight`, which is finite. At most one a round.
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V);
}

/// A hinted learner that keeps the promise of [`Lazy`] when it is hinted too.
pub trait LazyHinted<F: Float>: Lazy<F> + Hinted<F> {
    /// [`hint`](Hinted::hint), reporting as [`tell_moved`](Lazy::tell_moved) does.
    fn hint_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V, moved: impl FnMut(usize, f64));
}

/// A learner for losses with curvature: lower bounds of a convex loss that are quadratic around the query point.
///
/// Which curvature there is the learner was told when it was made: [`Leader`] knows a constant of strong convexity,
/// [`OnlineNewton`] one of exp-concavity.
/// Its regret is that of these losses, Σ α_t(ℓ_t(w_t) − ℓ_t(u)).
///
/// Source: arXiv 1903.00974, Algorithm 2.
pub trait Quadratic<F: Float>: Learner<F> {
    /// Whether the theorem promises less of the run than one gradient did of its first point, see
    /// [`Status::Strayed`](crate::Status::Strayed).
    fn strayed(&self) -> bool {
        false
    }

    /// Learns from the round's loss: `weight` times the lower bound that `gradient`, taken at `around`, gives.
    fn tell_quadratic<V, P>(&mut self, weight: f64, gradient: &V, around: &P)
    where
        V: Vector<F> + ?Sized,
        P: Point<F>;
}

/// A learner that counts a penalty Ω in full in every round, instead of its gradients.
///
/// Its iterate moves even when gradients are zero. Its regret is Σ α_t(⟨g_t, w_t − u⟩ + Ω(w_t) − Ω(u)), and for
/// gradients of F it bounds the excess of F + Ω at the averages of [`Anytime`](crate::Anytime), since Ω is convex. What
/// the certificate [`Composite`](crate::certificate::Composite) takes for F + Ω is here.
///
/// Source: Xiao (2010); Duchi, Shalev-Shwartz, Singer and Tewari (2010).
pub trait Penalised<F: Float>: Learner<F> {
    /// Ω.
    fn penalty(&self) -> impl Penalty;

    /// Ω at the present iterate.
    fn present(&self) -> f64;
}

/// `bound`, which holds over a domain that is the same in all directions and has this reach around the first iterate, for
/// points within `distance`.
fn nearby(bound: Option<f64>, reach: f64, distance: f64) -> Option<f64> {
    bound.filter(|_| distance <= reach)
}

/// The distance within which all points lie in a product of intervals, or in the whole space.
fn inner<F: Float>(domain: &impl Separable<F>, dim: usize) -> f64 {
    (0..dim).map(|i| domain.width(i).wide() / 2.0).fold(f64::INFINITY, f64::min)
}

/// Coordinate `i` of a lazy learner's iterate.
#[inline]
fn place<F: Float>(learner: &impl Lazy<F>, i: usize) -> F {
    F::of(learner.centre(i).wide() + learner.scale() * learner.direction(i))
}
