//! Optimistic proximal follow-the-regularised-leader, on any domain with a projection.

use super::{Hinted, Learner, room_within, span};
use crate::squares::weigh;
use crate::{Domain, Float, Project, Squares, Vector};

/// Distance from the centre, as a multiple of the domain's reach, of the point that is projected to find the furthest
/// point of the domain in a given direction.
const FAR: f64 = (1_u64 << 60) as f64;

/// Optimistic follow-the-regularised-leader whose regularisers are centred at the iterates.
///
/// *Update*, with weighted gradients G_t = α_t g_t, their sum Z, hints h_t (predictions of G_t), hint errors δ_t = G_t
/// − h_t, V_t = Σ‖δ‖², s_t = √(2V_t)/B, and B twice the [`reach`](crate::Domain::reach) of the domain D: w_t minimises
/// ⟨Z_{t−1} + h_t, ·⟩ + Σ_{i<t} (σ_i/2)‖· − w_i‖² over D, σ_i = s_i − s_{i−1}; equivalently, w_t = Π_D((Σσ_i w_i −
/// Z_{t−1} − h_t)/s_{t−1}). The initial iterate is the centre; before the first nonzero error, where s = 0, the iterate
/// is the furthest point of D against the hint. Nothing is clipped, and no bound on gradients is needed.
///
/// *Guarantee*: the regret R_T(u) is at most B·√(2V_T) over a bounded domain, whatever the hints. The bound is at most
/// twice that of [`DualAveraging`](crate::DualAveraging), but has no term for clipped errors. Rounds with exact hints
/// add nothing to it.
///
/// *Cost*: O(d) per step and at most two projections.
///
/// ```
/// use surefoot::{Ball, Hinted, Learner, Proximal};
/// let mut learner = Proximal::<f64, _>::new(2, Ball::new(1.0));
/// learner.hint(1.0, &[0.0, 3.0]);
/// assert_eq!([learner.at(0), learner.at(1)], [0.0, -1.0]); // the best reply to the hint
/// learner.tell(1.0, &[0.0, 3.0]);
/// assert_eq!(learner.regret_bound(), Some(0.0));
/// ```
///
/// Source: Mohri and Yang (2016); Joulani, György and Szepesvári (2017). Their constants are larger; Algorithm 3 of
/// arXiv 1903.00974 requires B·√(2V).
#[derive(Clone, Debug)]
pub struct Proximal<F, D> {
    /// The domain D that contains all iterates.
    domain: D,
    /// B·(Σσ_i w_i − Z), for past iterates w_i, the strengths σ_i of the regularisers centred at them, and the sum Z of
    /// weighted gradients. The factor B, twice the domain's reach, avoids a division by B.
    pull: Vec<f64>,
    /// Prediction (hint) of the current round's gradient times the round's weight, one number per coordinate; 0 without
    /// a hint.
    hint: Vec<f64>,
    /// The current iterate w, one number per coordinate.
    iterate: Vec<F>,
    /// V, the sum of squared norms of hint errors (weighted gradient minus its prediction, the hint).
    errors: Squares,
    /// Largest sum of absolute values of all weighted gradient entries of the run for which no number of the state,
    /// `pull` included, overflows; returned by [`Learner::magnitude_budget`].
    magnitude_budget: f64,
}

impl<F: Float, D: Project<F>> Proximal<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
    pub fn new(dim: usize, domain: D) -> Self {
        let iterate = (0..dim).map(|i| domain.centre(i)).collect();
        let magnitude_budget = pulled_room(&domain, dim);
        Self {
            domain,
            pull: vec![0.0; dim],
            hint: vec![0.0; dim],
            iterate,
            errors: Squares::default(),
            magnitude_budget,
        }
    }

    /// Returns B, twice the domain's reach (the largest distance of its points from its centre).
    fn diameter(&self) -> f64 {
        2.0 * self.domain.reach()
    }

    /// Returns coordinate `i` of `pull` minus B times the current hint h, which is B·(Σσ_i w_i − Z − h); the iterate is
    /// its projection after division by B and the total regulariser strength.
    fn force(&self, i: usize) -> f64 {
        self.pull[i] - self.diameter() * self.hint[i]
    }

    /// Moves the iterate to the minimiser over the domain of the past losses plus the hint and the regularisers.
    fn play(&mut self) {
        let mut squares = Squares::default();
        (0..self.pull.len()).for_each(|i| squares.add(self.force(i)));
        let (norm, root) = (squares.root(), self.errors.root_of(2.0));
        if norm == 0.0 || (root == 0.0 && !self.domain.bounded()) {
            let domain = &self.domain;
            self.iterate.iter_mut().enumerate().for_each(|(i, w)| *w = domain.centre(i));
        } else {
            // Limits the distance before projecting: points further out have the same projection up to rounding.
            let length = if self.domain.bounded() { FAR * self.domain.reach() } else { f64::INFINITY };
            let length = if root > 0.0 { length.min(norm / root) } else { length };
            let length = length.min(span::<F>());
            (0..self.pull.len()).for_each(|i| self.iterate[i] = F::of(self.force(i) / norm * length));
        }
        self.domain.project(&mut self.iterate);
    }
}

impl<F: Float, D: Project<F>> Learner<F> for Proximal<F, D> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        self.iterate[i]
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        self.magnitude_budget
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        let diameter = self.diameter();
        gradient.each(|i, g| {
            let g = weigh(weight, g).wide();
            self.hint[i] -= g; // now −δ
            self.pull[i] -= diameter * g;
        });
        let mut error = Squares::default();
        self.hint.iter().for_each(|h| error.add(*h));
        let (error, old) = (error.root(), self.errors.root_of(2.0));
        self.errors.add(error);
        let grown = growth(old, self.errors.root_of(2.0), error);
        self.pull.iter_mut().zip(&self.iterate).for_each(|(pull, w)| *pull += grown * w.wide());
        self.hint.fill(0.0);
        self.play();
    }

    fn regret_bound(&self) -> Option<f64> {
        self.domain.bounded().then(|| self.diameter() * self.errors.root_of(2.0))
    }
}

impl<F: Float, D: Project<F>> Hinted<F> for Proximal<F, D> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        hint.each(|i, h| self.hint[i] = weigh(weight, h).wide());
        self.play();
    }
}

/// Returns the [`magnitude_budget`](Learner::magnitude_budget), a limit on sums of absolute gradient entries, of a
/// learner that stores gradient sums multiplied by twice the domain's reach, and weighted sums of its iterates.
pub(super) fn pulled_room<F: Float>(domain: &impl Domain<F>, dim: usize) -> f64 {
    let furthest = (0..dim).map(|i| domain.centre(i).wide().abs()).fold(domain.reach(), f64::max);
    room_within::<F>(furthest) / (4.0 * furthest).max(1.0)
}

/// Computes √(2(V + δ²)) − √(2V) without cancellation, for the sum V of squared errors and the new error δ: `old` is
/// √(2V), `new` is √(2(V + δ²)), and `error` is |δ|.
pub(super) fn growth(old: f64, new: f64, error: f64) -> f64 {
    if error == 0.0 { 0.0 } else { 2.0 * error * (error / (new + old)) }
}
