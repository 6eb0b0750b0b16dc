//! The anytime conversion for strongly convex losses (Algorithm 2 of arXiv 1903.00974 with follow-the-leader as the
//! online learner), in O(nnz) per step.

use std::marker::PhantomData;

use super::pair::{Matrix, Norms, SAME, apply, product};
use super::{AskTell, output_share, unbiased};
use crate::certificate::{Certified, Gradients, Uncertified};
use crate::learner::leader_room;
use crate::promise::Promise;
use crate::squares::weigh;
use crate::{Domain, Float, Ledger, Point, Radial, Rounds, Squares, Status, Vector, View, Weights, kernel};

/// Growth factor of the sum of weights since the last rebase (an update of the stored numbers of all coordinates, in
/// O(d)) at which the next rebase is due.
const GROWTH: f64 = 4.0;

/// Threshold for a rebase (an O(d) update of all coordinates): the largest ratio of the coefficient of the stored,
/// unprojected follow-the-leader iterate u in the average x to the factor s by which the latest projection scales u.
const STALE: f64 = 32.0;

/// Limits of a gradient step beyond which a rebase (an O(d) update of all coordinates) comes first: its norm relative
/// to ‖u‖, and its contribution to x relative to ‖x‖. x is the average and u the unprojected leader.
const LARGE: [f64; 2] = [0.5, 32.0];

/// The anytime conversion of follow-the-leader for strongly convex losses. Up to rounding it computes what
/// [`General`](crate::General) over [`Leader`](crate::Leader) does, but in O(nnz) per step.
///
/// *Update and guarantee*: those of [`General`](crate::General), in the whole space or a ball: w_{t+1} = Π_D(u_{t+1})
/// with u_{t+1} = (Σ α_i x_i − Z_t/μ)/A_t.
///
/// *Cost*: O(nnz) per step and two `f64` per coordinate, although everything moves in every round. With τ = α_t/A_t and
/// the factor s of the projection, x_t = (1−τ)x_{t−1} + τs·u_t and, where g_t is zero, u_{t+1} = (1−τ)u_t + τx_t. So
/// (x, u) is multiplied by a 2×2 matrix of determinant (1−τ)² that all coordinates share. Each coordinate stores its
/// state as of a common reference time, and a gradient is added to that state through the inverse of the product of the
/// matrices since. The product is well conditioned while A has grown little. The reference time is moved to the
/// present, in O(d), whenever A has grown fourfold (about log₄ A_T times in all), when s has fallen to a small part of
/// its former value, and before a step that is large relative to u, since at an earlier reference time such a step
/// would leave rounding errors in x. ‖u‖, needed for the projection, is updated by the same matrices, and recomputed in
/// O(d) when it has fallen fourfold since it was computed.
///
/// *In the whole space* only the gradients keep iterates from going far away. The first steps are as long as if the
/// loss were nowhere steeper than μ. If gradients are L-Lipschitz with a large L/μ, the iterates of the first L/μ
/// rounds or so go far away, gradients become large, and the theorem holds with these gradients. [`Status::Strayed`]
/// reports this while [`promised`](StronglyConvex::promised) exceeds the first gradient's ‖g‖²/(2μ). The remedy is a
/// ball. If g is an exact gradient at a point x, the minimiser is within ‖g‖/μ of x. So `Ball::around(x, ‖g‖/μ)`
/// suffices, at the cost of one gradient, and the guarantee then involves only gradients in that ball.
///
/// ```
/// use surefoot::{AskTell, Linear, Point, Sparse, StronglyConvex, WholeSpace};
///
/// // Mean of four losses ½(2x_i − 1)², one coordinate each: 1-strongly convex. Sparse gradients, one loss at a time.
/// let mut method = StronglyConvex::<f64, _, _>::new(4, WholeSpace::new(1.0), 1.0, Linear);
/// for t in 0..4000_u32 {
///     let i = t % 4;
///     let slope = 2.0 * (2.0 * method.at(i as usize) - 1.0);
///     method.tell(&Sparse::new(&[i], &[slope]));
/// }
/// assert!((0..4).all(|i| (method.output().at(i) - 0.5).abs() < 1e-2));
/// ```
///
/// Source: that of [`General`](crate::General).
#[derive(Clone, Debug)]
pub struct StronglyConvex<F, D, W> {
    /// The domain that contains all iterates: a ball or the whole space.
    domain: D,
    /// μ, the constant of strong convexity of the loss.
    curvature: f64,
    /// The round counter, with the weights of the rounds and their sum.
    rounds: Rounds<W>,
    /// For each coordinate j, x_j and u_j minus the domain's centre, for the average x and the unprojected
    /// follow-the-leader iterate u, as of the last rebase (update of all coordinates).
    state: Vec<[f64; 2]>,
    /// The sum of weights at the last rebase (update of all coordinates).
    mark: f64,
    /// The product of the 2×2 matrices applied to the pair (x_j, u_j) of every coordinate since the last rebase (update
    /// of all coordinates).
    map: Matrix,
    /// Current norms and inner product of the average x and the unprojected follow-the-leader iterate u, relative to
    /// the centre.
    norms: Norms,
    /// s, the factor ≤ 1 by which the projection onto the domain multiplies the unprojected follow-the-leader iterate u
    /// minus the centre.
    shrink: f64,
    /// Upper bounds on the excess loss computed from the gradients of this run: that of the theorem for the output, and
    /// that of the first gradient alone.
    promise: Promise,
    /// The sums for a certificate (an upper bound on the excess loss); `None` unless `certified` was called.
    ledger: Option<Ledger>,
    arrays: PhantomData<F>,
}

impl<F: Float, D: Radial<F>, W: Weights> StronglyConvex<F, D, W> {
    /// Creates the method in `dim` dimensions, with its initial iterate at the centre of `domain`, for losses that are
    /// strongly convex with constant μ = `curvature`. Allocates O(d) memory; later calls do not allocate.
    ///
    /// # Panics
    /// If `curvature` or the first weight is not positive and finite.
    pub fn new(dim: usize, domain: D, curvature: f64, weights: W) -> Self {
        assert!(curvature > 0.0 && curvature.is_finite(), "a positive curvature");
        Self {
            domain,
            curvature,
            rounds: Rounds::over(weights, dim),
            state: vec![[0.0; 2]; dim],
            mark: 0.0,
            map: SAME,
            norms: Norms::default(),
            shrink: 1.0,
            promise: Promise::default(),
            ledger: None,
            arrays: PhantomData,
        }
    }

    /// Makes the method keep the sums for a certificate (an upper bound on the excess loss), at one more `f64` per
    /// coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.ledger = Some(Ledger::new(self.state.len()));
        self
    }

    /// Returns the learner's iterate w_t of the current round.
    pub fn iterate(&self) -> impl Point<F> {
        self.point(0.0)
    }

    /// Returns μ, the constant of strong convexity of the losses.
    pub fn curvature(&self) -> f64 {
        self.curvature
    }

    /// Returns the upper bound on the excess loss L(x_T) − L(u) that the theorem for [`General`](crate::General) gives
    /// with the gradients of this run: (1/(2μA_T))·Σ (α_t²/A_t)(1 + ρ_t)‖g_t‖². It holds for exact gradients, and for
    /// noisy ones in expectation.
    pub fn promised(&self) -> f64 {
        self.promise.excess()
    }

    /// Returns the sum of weights A_t of the completed rounds.
    pub fn total_weight(&self) -> f64 {
        self.rounds.total()
    }

    /// Returns the sums for a certificate (an upper bound on the excess loss); `None` without
    /// [`certified`](StronglyConvex::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Returns the point `share`·average + (1 − `share`)·iterate, where the average is that of the iterates of
    /// completed rounds and the iterate that of the current round.
    fn point(&self, share: f64) -> impl Point<F> {
        View::new(self.state.len(), move |i| {
            let [x, u] = apply(&self.map, self.state[i]);
            F::of(self.domain.centre(i).wide() + kernel::blend(x, self.shrink * u, share, 1.0 - share))
        })
    }

    /// Applies the part of a round that needs no gradient: adds the current iterate to the average x, and then the new
    /// average to the unprojected follow-the-leader iterate u, for all coordinates at once in O(1), by a change of
    /// their shared 2×2 matrix.
    fn pass(&mut self) {
        let (total, next) = (self.rounds.total(), self.rounds.next());
        if total == 0.0 {
            return; // all iterates so far are at the centre
        }
        let (kept, share) = (total / (total + next), self.rounds.share());
        let pulled = share * self.shrink;
        let step = [[kept, pulled], [share * kept, kept + share * pulled]];
        self.map = product(&step, &self.map);
        self.norms.pass(&step);
    }

    /// Whether a gradient step of norm `step` is so large that adding it to the coordinates as stored at the last
    /// rebase would lose precision, so that all coordinates must be updated first.
    fn is_large(&self, step: f64) -> bool {
        step > LARGE[0] * self.norms.far() || self.map[0][1] * step > LARGE[1] * self.norms.near()
    }

    /// Applies the accumulated 2×2 matrix to the stored numbers of all coordinates, resets the matrix to the identity,
    /// and recomputes the norms. O(d).
    fn rebase(&mut self) {
        self.norms = Norms::default();
        for state in &mut self.state {
            *state = apply(&self.map, *state);
            self.norms.change([0.0; 2], *state);
        }
        (self.map, self.mark) = (SAME, self.rounds.total());
    }
}

impl<F: Float, D: Radial<F>, W: Weights> AskTell<F> for StronglyConvex<F, D, W> {
    fn dim(&self) -> usize {
        self.state.len()
    }

    fn query(&self) -> impl Point<F> {
        self.point(1.0 - self.rounds.share())
    }

    fn output(&self) -> impl Point<F> {
        self.point(output_share(&self.rounds))
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        // ‖u‖ is at most the norm of an average of the x_t plus Σ‖α_t g_t‖/(μA_t).
        let magnitude_budget = leader_room::<F>(self.curvature * (self.rounds.total() + self.rounds.next()));
        let Some(weight) = self.rounds.admit(self.state.len(), gradient, magnitude_budget) else { return };
        if let Some(mut ledger) = self.ledger.take() {
            ledger.record(weight, gradient, |i| self.iterate().at(i));
            self.ledger = Some(ledger);
        }
        if self.map[0][1] > STALE * self.shrink {
            self.rebase(); // else the small new part of u in x would be lost beside the large old one
        }
        self.pass();
        self.rounds.close();
        let steepness = self.curvature * self.rounds.total();
        let size = Squares::of(weight, gradient).root();
        self.promise.record(self.curvature, weight, self.rounds.total(), size);
        if self.rounds.total() > GROWTH * self.mark || self.is_large(size / steepness) {
            self.rebase();
        }
        let [[a, b], [c, d]] = self.map;
        let determinant = a * d - b * c;
        gradient.each(|i, g| {
            let step = -weigh(weight, g).wide() / steepness;
            let old = apply(&self.map, self.state[i]);
            self.norms.change(old, [old[0], old[1] + step]);
            let moved = step / determinant;
            self.state[i][0] -= b * moved;
            self.state[i][1] += a * moved;
        });
        if self.norms.is_stale() {
            self.rebase();
        }
        self.shrink = self.domain.shrink(self.norms.far());
    }

    fn steps(&self) -> u64 {
        self.rounds.steps()
    }

    fn status(&self) -> Status {
        match self.rounds.status() {
            Status::Sound if !self.domain.bounded() && self.promise.is_void() => Status::Strayed,
            status => status,
        }
    }

    /// Returns the upper bound on the excess loss that follows from Theorem 1, which ignores curvature, so it may be
    /// loose; [`Curved`](crate::certificate::Curved) takes curvature into account, at O(d) per step, for which the
    /// caller passes [`iterate`](StronglyConvex::iterate) as the nearest point in the domain.
    fn certificate<E: Domain<F>>(&self, domain: &E, gradients: Gradients) -> Certified {
        let ledger = self.ledger.as_ref().ok_or(Uncertified::NoSums)?;
        unbiased(&self.rounds, gradients)?;
        ledger.certificate(self.rounds.total(), domain, &self.output(), gradients)
    }
}

#[cfg(test)]
mod tests {
    use super::{AskTell, StronglyConvex};
    use crate::{Ball, Point, Sparse, Uniform};

    /// Checks that coordinates without gradients are visited only in rebases (updates of all coordinates): a NaN placed
    /// in one would spread to ‖u‖. Rebases happen when the sum of weights has grown fourfold and in some of the first
    /// rounds, whose steps are large; a first run without NaN finds these rounds.
    #[test]
    fn rest_costs_nothing() {
        let new = || StronglyConvex::<f64, _, _>::new(1 << 16, Ball::new(0.5), 1.0, Uniform);
        let tell = |method: &mut StronglyConvex<_, _, _>, t: u32| {
            let mark = method.mark;
            method.tell(&Sparse::new(&[t % 7, 65_535 - t % 3], &[1.0, f64::from(t % 5) - 2.5]));
            method.mark == mark
        };
        let mut method = new();
        let quiet: Vec<bool> = (1..=3000).map(|t| tell(&mut method, t)).collect();
        let loud = quiet.iter().filter(|quiet| !**quiet).count();
        assert!((6..=12).contains(&loud) && quiet[100..].iter().filter(|quiet| !**quiet).count() <= 3, "{loud}");
        let mut method = new();
        for t in 1..=3000_u32 {
            let (quiet, kept) = (quiet[t as usize - 1], method.state[1000]);
            method.state[1000] = if quiet { [f64::NAN; 2] } else { kept };
            assert_eq!(tell(&mut method, t), quiet, "round {t}");
            method.state[1000] = if quiet { kept } else { method.state[1000] };
            assert!(method.norms.products.iter().all(|x| x.is_finite()), "round {t}");
        }
        assert!(method.output().at(0) < 0.0);
    }
}
