//! Online learners: the traits through which a conversion uses a learner, and the learners of this crate.
//!
//! In round t a learner has an iterate w_t, chosen before the loss of the round is known; then it receives the loss.
//! Its regret against a comparator u is R_T(u) = Σ α_t⟨g_t, w_t − u⟩. A learner sees only weighted losses and hints,
//! and a conversion sees the learner only through these traits.
//!
//! | trait | promise | needed by |
//! | --- | --- | --- |
//! | [`Learner`] | has an iterate, learns from linear losses | [`DenseAnytime`](crate::DenseAnytime), O(d) per step |
//! | [`Lazy`] | moves only at nonzeros of the gradient, up to one global scale | [`Anytime`](crate::Anytime), O(nnz) |
//! | [`Hinted`], [`LazyHinted`] | uses a prediction of the next gradient | [`Optimistic`](crate::Optimistic), Algorithm 3 |
//! | [`Quadratic`] | learns from losses with curvature | [`General`](crate::General), Algorithm 2 |
//! | [`Penalised`] | minimises a penalty exactly | penalised losses |

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

/// Cap on the learning rate of any learner, which keeps sums of rates finite. If gradients are so small relative to the
/// domain's reach that the rate is capped, learners move too little, and there is no regret bound.
const STEEPEST: f64 = 1e270;

/// Largest sum of absolute weighted gradient coordinates that learners accept, 2^1000, far below overflow in `f64`.
const LARGEST: f64 = f64::MAX / (1_u64 << 24) as f64;

/// Returns the largest absolute value that coordinates of iterates may have: it leaves them finite in `F`, and their
/// weighted sums over rounds finite in `f64`.
fn span<F: Float>() -> f64 {
    let arrays: f64 = F::max_value().wide() / (1_u64 << 24) as f64;
    arrays.min(LARGEST / (1_u128 << 100) as f64)
}

/// Returns the [`magnitude_budget`](Learner::magnitude_budget), a limit on sums of absolute gradient entries, of a
/// learner that stores gradient sums, and iterates within distance `reach` of its centre; 0 if such iterates could
/// overflow.
fn room_within<F: Float>(reach: f64) -> f64 {
    if reach <= span::<F>() { LARGEST } else { 0.0 }
}

/// Returns the [`magnitude_budget`](Learner::magnitude_budget), a limit on sums of absolute gradient entries, of a
/// learner whose iterates are gradient sums divided by `steepness`.
pub(crate) fn leader_room<F: Float>(steepness: f64) -> f64 {
    (span::<F>() * steepness).min(LARGEST)
}

/// An online learner for linear losses ⟨α_t g_t, ·⟩.
///
/// Contract: the iterate depends only on past losses (and the hint of the current round), lies in the learner's domain,
/// and stays unchanged and finite when gradients are zero (unless a penalty of the learner moves it). A caller that
/// uses a learner directly must ensure what conversions ensure: weights are finite and not negative; gradients and
/// hints are finite after weighting, within [`magnitude_budget`](Learner::magnitude_budget) and the dimension, and
/// contain each index once. Learners do not check this: other input gives unspecified results, but never memory errors.
pub trait Learner<F: Float> {
    /// Returns d, the number of coordinates of iterates and gradients.
    fn dim(&self) -> usize;

    /// Returns coordinate `i` of the current iterate, in O(1).
    fn at(&self, i: usize) -> F;

    /// Announces the weight of the current round before its iterate is used. Only learners whose iterate depends on
    /// this weight need the call, for instance those with a penalty in every round; for others the call does nothing.
    fn open(&mut self, weight: f64) {
        let _ = weight;
    }

    /// Returns the largest value of Σ|α_t g_tj| (over all coordinates and rounds, including the current round and its
    /// hint) for which no number of the learner overflows `F` or `f64`. Conversions refuse gradients that would exceed
    /// this value, and those that are not finite. `weight` is that of the current round. O(1).
    fn magnitude_budget(&self, weight: f64) -> f64 {
        let _ = weight;
        LARGEST
    }

    /// Whether the iterate stays unchanged while gradients are zero; false if a penalty moves it.
    fn is_stationary(&self) -> bool {
        true
    }

    /// Learns from the linear loss of the round, whose gradient is `gradient` times `weight`.
    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V);

    /// Returns an upper bound on the regret over all rounds so far against any comparator in the domain; `None` if no
    /// theorem gives one.
    fn regret_bound(&self) -> Option<f64> {
        None
    }

    /// Returns an upper bound on the regret against all points within `distance` of the learner's first iterate, or
    /// `None` if no theorem gives one or some of these points lie outside of the domain. Parameter-free learners have
    /// such a bound at any distance, even if [`regret_bound`](Learner::regret_bound) is `None`.
    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        let _ = distance;
        None
    }
}

/// A learner whose iterate is `centre + scale · direction`, where the direction changes only at coordinates that it
/// reports.
///
/// The centre never changes. The scale, one number ≥ 0, may change at every step, which lets the projection of a ball
/// or a decreasing step size move all coordinates in O(1). The form allows a conversion to average iterates exactly in
/// O(nnz) per step.
///
/// Directions are `f64` whatever `F` is: they may be sums of gradients, which exceed the range and the precision of
/// `f32`.
pub trait Lazy<F: Float>: Learner<F> {
    /// Returns coordinate `i` of the constant centre in `centre + scale · direction`.
    fn centre(&self, i: usize) -> F;

    /// Returns the scale ≥ 0 in `centre + scale · direction`, common to all coordinates.
    fn scale(&self) -> f64;

    /// Returns coordinate `i` of the direction in `centre + scale · direction`.
    fn direction(&self, i: usize) -> f64;

    /// Learns like [`tell`](Learner::tell), and calls `moved(i, old)` for each coordinate of the direction that
    /// changes, *before* its first change and with its old value `old`. Further calls for the same coordinate within
    /// one `tell` are allowed and must be ignored. A learner that rewrites its whole direction, to keep numbers in
    /// range, reports all coordinates.
    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, moved: impl FnMut(usize, f64));
}

/// A learner that accepts a hint: a prediction of the gradient of the current round, announced before the iterate of
/// the round is used. The next `tell` discards it.
///
/// Source: arXiv 1903.00974, Algorithm 3; the hint carries the weight of the current round.
pub trait Hinted<F: Float>: Learner<F> {
    /// Announces `hint` times `weight` as the prediction of the current round's weighted gradient. Both must be finite;
    /// at most one hint per round.
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V);
}

/// A learner with hints whose iterate has the form `centre + scale · direction` of [`Lazy`], with or without a hint.
pub trait LazyHinted<F: Float>: Lazy<F> + Hinted<F> {
    /// Announces a hint like [`hint`](Hinted::hint), and reports each changed coordinate of the direction to `moved`
    /// like [`tell_moved`](Lazy::tell_moved).
    fn hint_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V, moved: impl FnMut(usize, f64));
}

/// A learner for quadratic losses: lower bounds of a convex loss that are quadratic around the query point.
///
/// The kind of curvature is fixed when the learner is created: [`Leader`] has a constant of strong convexity,
/// [`OnlineNewton`] one of exp-concavity. The regret is that of these quadratic losses, Σ α_t(ℓ_t(w_t) − ℓ_t(u)).
///
/// Source: arXiv 1903.00974, Algorithm 2.
pub trait Quadratic<F: Float>: Learner<F> {
    /// Whether the upper bound on the excess loss for the whole run exceeds the one that the first gradient alone gave
    /// for the first point, so that it is vacuous; see [`Status::Strayed`](crate::Status::Strayed).
    fn strayed(&self) -> bool {
        false
    }

    /// Learns from the quadratic loss of the round: `weight` times the quadratic lower bound given by `gradient`, taken
    /// at the point `around`.
    fn tell_quadratic<V, P>(&mut self, weight: f64, gradient: &V, around: &P)
    where
        V: Vector<F> + ?Sized,
        P: Point<F>;
}

/// A learner that minimises a penalty Ω exactly in every round, instead of using gradients of Ω.
///
/// Its iterate moves even when gradients are zero. Its regret is Σ α_t(⟨g_t, w_t − u⟩ + Ω(w_t) − Ω(u)), and with
/// gradients of F it bounds F + Ω at the averages of [`Anytime`](crate::Anytime) minus the minimum, since Ω is convex.
/// These methods provide what the certificate [`Composite`](crate::certificate::Composite) needs for F + Ω.
///
/// Source: Xiao (2010); Duchi, Shalev-Shwartz, Singer and Tewari (2010).
pub trait Penalised<F: Float>: Learner<F> {
    /// Returns the penalty Ω that the learner minimises exactly, as a function.
    fn penalty(&self) -> impl Penalty;

    /// Returns the value of the penalty Ω at the current iterate.
    fn present(&self) -> f64;
}

/// Returns `bound`, a regret bound that holds for comparators within `reach` of the first iterate, if it covers
/// comparators within `distance`, that is, if `distance` ≤ `reach`; `None` otherwise.
fn nearby(bound: Option<f64>, reach: f64, distance: f64) -> Option<f64> {
    bound.filter(|_| distance <= reach)
}

/// Returns the radius of the largest centred ball inside the domain, which is a box or the whole space: half the
/// smallest interval width.
fn inner<F: Float>(domain: &impl Separable<F>, dim: usize) -> f64 {
    (0..dim).map(|i| domain.width(i).wide() / 2.0).fold(f64::INFINITY, f64::min)
}

/// Returns coordinate `i` of a lazy learner's iterate, centre + scale · direction.
#[inline]
fn place<F: Float>(learner: &impl Lazy<F>, i: usize) -> F {
    F::of(learner.centre(i).wide() + learner.scale() * learner.direction(i))
}
