//! Algorithm 2 with follow-the-leader, in O(nnz).

use std::marker::PhantomData;

use super::pair::{Matrix, Norms, SAME, apply, product};
use super::{AskTell, output_share, unbiased};
use crate::certificate::{Certified, Gradients, Uncertified};
use crate::learner::leader_room;
use crate::promise::Promise;
use crate::squares::weigh;
use crate::{Domain, Float, Ledger, Point, Radial, Rounds, Squares, Status, Vector, View, Weights, kernel};

/// How much the sum of weights may grow before all coordinates are brought up to date.
const GROWTH: f64 = 4.0;

/// How much of u may have gone into x, against what the latest projection would have let through.
const STALE: f64 = 32.0;

/// How large a step may be, against ‖u‖, and what it would have added to x, against ‖x‖, to be taken at the common moment.
const LARGE: [f64; 2] = [0.5, 32.0];

/// [`General`](crate::General) over [`Leader`](crate::Leader), exactly, at the cost of a gradient's nonzeros.
///
/// *Update and guarantee*: as there, in the whole space or a ball: w_{t+1} = Π_D(u_{t+1}) with
/// u_{t+1} = (Σ α_i x_i − Z_t/μ)/A_t.
///
/// *Cost*: O(nnz) a step and two `f64` a coordinate, although everything moves in every round. With τ = α_t/A_t and the
/// projection's factor s, x_t = (1−τ)x_{t−1} + τs·u_t and, where g_t is zero, u_{t+1} = (1−τ)u_t + τx_t. So (x, u) goes
/// through a 2×2 matrix of determinant (1−τ)² that all coordinates share; each keeps its state as it would have been at
/// a common moment, and a gradient is added to it through the inverse of the product of the matrices since. That
/// product is well conditioned while A has grown little. Whenever it has grown fourfold, about log₄ A_T times in all,
/// the present becomes the common moment, in O(d); so it does if s has fallen to a small part of what it was, and before a step
/// that is large against u: at a common moment earlier than the present, it would be taken out of x again only up to
/// rounding. ‖u‖, for the projection, goes through the same matrices, and is summed anew, in O(d), when it has fallen
/// fourfold since it was.
///
/// *In the whole space* nothing but gradients holds it. The first steps are as long as if the loss were nowhere steeper than μ: if
/// gradients are L-Lipschitz with L/μ large, the first rounds, some L/μ of them, go far away, gradients grow, and the theorem holds with
/// these. [`Status::Strayed`] says so while [`promised`](StronglyConvex::promised) is more than the first gradient's ‖g‖²/(2μ). The
/// remedy is a ball. If g is a gradient at a point x, not noisy, the minimiser is within ‖g‖/μ of x: so
/// `Ball::around(x, ‖g‖/μ)` will do, at the price of one gradient, and the guarantee is the same with the gradients in that ball.
///
/// ```
/// use surefoot::{AskTell, Linear, Point, Sparse, StronglyConvex, Whole};
///
/// // Mean of four losses ½(2x_i − 1)², one coordinate each: 1-strongly convex. Sparse gradients, one loss at a time.
/// let mut method = StronglyConvex::<f64, _, _>::new(4, Whole::new(1.0), 1.0, Linear);
/// for t in 0..4000_u32 {
///     let i = t % 4;
///     let slope = 2.0 * (2.0 * method.at(i as usize) - 1.0);
///     method.tell(&Sparse::new(&[i], &[slope]));
/// }
/// assert!((0..4).all(|i| (method.output().at(i) - 0.5).abs() < 1e-2));
/// ```
///
/// Source: as [`General`](crate::General).
#[derive(Clone, Debug)]
pub struct StronglyConvex<F, D, W> {
    domain: D,
    curvature: f64,
    rounds: Rounds<W>,
    /// (x, u) less the centre, as of the moment when A was `mark`.
    state: Vec<[f64; 2]>,
    mark: f64,
    /// From then to now.
    map: Matrix,
    norms: Norms,
    shrink: f64,
    promise: Promise,
    ledger: Option<Ledger>,
    arrays: PhantomData<F>,
}

impl<F: Float, D: Radial<F>, W: Weights> StronglyConvex<F, D, W> {
    /// At the centre of `domain`, in `dim` dimensions, for losses of strong convexity μ = `curvature`. Allocates O(d),
    /// here and nowhere else.
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

    /// Keeps the sums that a certificate needs: one more `f64` a coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.ledger = Some(Ledger::new(self.state.len()));
        self
    }

    /// The learner's iterate w_t of the open round.
    pub fn iterate(&self) -> impl Point<F> {
        self.point(0.0)
    }

    /// μ.
    pub fn curvature(&self) -> f64 {
        self.curvature
    }

    /// What the guarantee of [`General`](crate::General) says of this run, with the gradients that it was told:
    /// (1/(2μA_T))·Σ (α_t²/A_t)(1 + ρ_t)‖g_t‖². L(x_T) − L(u) is at most that for exact gradients, in expectation else.
    pub fn promised(&self) -> f64 {
        self.promise.excess()
    }

    /// The sum of weights A_t of the closed rounds.
    pub fn total_weight(&self) -> f64 {
        self.rounds.total()
    }

    /// The sums of the certificate, if [`certified`](StronglyConvex::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// The point with a given share of the average of closed rounds, against the iterate.
    fn point(&self, share: f64) -> impl Point<F> {
        View::new(self.state.len(), move |i| {
            let [x, u] = apply(&self.map, self.state[i]);
            F::of(self.domain.centre(i).wide() + kernel::blend(x, self.shrink * u, share, 1.0 - share))
        })
    }

    /// The open round's iterate joins the average, and the average the losses.
    fn pass(&mut self) {
        let (total, next) = (self.rounds.total(), self.rounds.next());
        if total == 0.0 {
            return; // all is at the centre
        }
        let (kept, share) = (total / (total + next), self.rounds.share());
        let pulled = share * self.shrink;
        let step = [[kept, pulled], [share * kept, kept + share * pulled]];
        self.map = product(&step, &self.map);
        self.norms.pass(&step);
    }

    /// Whether a step of this size would cost digits at the common moment.
    fn is_large(&self, step: f64) -> bool {
        step > LARGE[0] * self.norms.far() || self.map[0][1] * step > LARGE[1] * self.norms.near()
    }

    /// Makes the present the common moment.
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
        // ‖u‖ is at most that of an average of the x_t and Σ‖α_t g_t‖/(μA_t).
        let room = leader_room::<F>(self.curvature * (self.rounds.total() + self.rounds.next()));
        let Some(weight) = self.rounds.admit(self.state.len(), gradient, room) else { return };
        if let Some(mut ledger) = self.ledger.take() {
            ledger.record(weight, gradient, |i| self.iterate().at(i));
            self.ledger = Some(ledger);
        }
        if self.map[0][1] > STALE * self.shrink {
            self.rebase(); // before little of u is added to what was much
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

    /// That of Theorem 1, which makes no use of curvature; [`Curved`](crate::certificate::Curved) does, and costs O(d) a step.
    /// In a domain it takes [`iterate`](StronglyConvex::iterate).
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

    /// Coordinates without gradients are not looked at: as NaN they would spoil all others through ‖u‖. But all are brought
    /// up to date where A has grown fourfold, and in some of the first rounds, whose steps are large: a first run says where.
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
