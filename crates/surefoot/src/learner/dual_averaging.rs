//! Dual averaging with one adaptive learning rate for all coordinates, with or without hints.

use super::{Hinted, Lazy, LazyHinted, Learner, STEEPEST, nearby, place, room_within, span};
use crate::memory::lengthen;
use crate::squares::weigh;
use crate::{Float, Grow, Memory, Radial, Squares, Vector};

/// Optimistic dual averaging, regularised by the distance from the centre of the domain.
///
/// *Update*, with weighted gradients G_t = α_t g_t, their sum Z, hints h_t (predictions of G_t) and hint errors δ_t =
/// G_t − h_t: the iterate is w_t = Π_D(centre − r·(Z_{t−1} + h_t)/√(2(Γ_t² + V_{t−1}))), where r is the reach of the
/// domain, V the sum of ‖δ‖², and Γ_t a bound on ‖δ_t‖ known beforehand. If δ_t is larger, it is clipped to Γ_t before
/// it is used, and then Γ grows. Without [`with_bound`](DualAveraging::with_bound) the initial value of Γ is 0, so that
/// the first gradient only sets the scale. Before the first nonzero error, a hint sends the iterate to the boundary of
/// a bounded domain.
///
/// *Guarantee* (theory: optimistic dual averaging, half the constant of [`OgdNorm`](crate::OgdNorm)): over a bounded
/// domain, the regret R_T(u) is at most r·√(2(Γ² + V_T)), plus 2r·max‖δ_t‖ if anything was clipped. If Γ starts at 0,
/// then Γ² ≤ V_T, and this is at most κB·√V_T with B = 2r and κ = 2; κ = 1 for a bound given beforehand that some error
/// attains. There is no guarantee in the whole space, nor while the rate r/√(2(Γ² + V)) exceeds 1e270, where it is
/// capped. Once the rate is below the cap, the bound holds for all rounds, since the proof only requires earlier rates
/// to be at least later ones and at most those of the rule.
///
/// *Cost*: O(nnz) per step, counting the nonzeros of gradient and hint.
///
/// ```
/// use surefoot::{Ball, DualAveraging, Learner};
/// let mut learner = DualAveraging::<f64, _>::new(2, Ball::new(1.0)).with_bound(4.0);
/// learner.tell(1.0, &[0.0, 4.0]);
/// assert_eq!([learner.at(0), learner.at(1)], [0.0, -0.5]); // −1·4/√(2(4² + 4²))
/// ```
///
/// Source: arXiv 1903.00974, the learner of Algorithm 3; Mohri and Yang (2016) for the optimistic form.
#[derive(Clone, Debug)]
pub struct DualAveraging<F, D> {
    /// The domain that contains all iterates: a ball or the whole space.
    domain: D,
    /// Sum Z of weighted gradients after clipping, one number per coordinate.
    sum: Vec<f64>,
    /// The weighted hint h of the current round, a prediction of its gradient.
    hint: Hint<F>,
    /// V, the sum of squared norms of hint errors (weighted gradient minus its prediction, the hint) after clipping.
    errors: Squares,
    /// Squared norm of Z + h, the sum of weighted gradients plus the current hint.
    norm: Squares,
    /// Γ, the clipping threshold: the largest norm of a hint error so far or the initial bound, whichever is larger.
    largest: f64,
    /// Whether the hint error (gradient minus its prediction, the hint) of any round was clipped.
    cut: bool,
    /// The learning rate r/√(2(Γ² + V)) for the domain's reach r (the largest distance from its centre), the clipping
    /// threshold Γ and the sum V of squared hint errors; 0 before the first nonzero gradient.
    rate: f64,
}

/// The hint (predicted gradient) of the current round: dense values, mostly 0, and the list of its nonzero coordinates.
#[derive(Clone, Debug)]
struct Hint<F> {
    /// The hint times the weight of its round, one number per coordinate.
    value: Vec<F>,
    /// Indices of the coordinates with a nonzero hint.
    support: Vec<usize>,
    /// Scratch space: one mark per coordinate, true if the gradient being processed contains it; all false between
    /// calls.
    told: Vec<bool>,
}

impl<F: Float> Hint<F> {
    fn new(dim: usize) -> Self {
        Self { value: vec![F::default(); dim], support: Vec::with_capacity(dim), told: vec![false; dim] }
    }

    fn grow(&mut self, dim: usize) {
        lengthen(&mut self.value, dim);
        lengthen(&mut self.told, dim);
        // The list may become as long as the dimension.
        self.support.reserve(self.value.len() - self.support.len());
    }

    /// Returns ‖G − h‖, the norm of the error of the current hint h for the weighted gradient G = `weight`·`gradient`,
    /// computed over the nonzeros of both vectors.
    fn error<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) -> f64 {
        let mut squares = Squares::default();
        gradient.each(|i, g| {
            squares.add(weigh(weight, g).wide() - self.value[i].wide());
            self.told[i] = true;
        });
        let missed = self.support.iter().filter(|&&i| !self.told[i]);
        missed.for_each(|&i| squares.add(self.value[i].wide()));
        gradient.each(|i, _| self.told[i] = false);
        squares.root()
    }
}

impl<F: Float, D: Radial<F>> DualAveraging<F, D> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at the centre of `domain`. Later calls do not
    /// allocate.
    pub fn new(dim: usize, domain: D) -> Self {
        Self {
            domain,
            sum: vec![0.0; dim],
            hint: Hint::new(dim),
            errors: Squares::default(),
            norm: Squares::default(),
            largest: 0.0,
            cut: false,
            rate: 0.0,
        }
    }

    /// Sets the initial clipping threshold Γ to `bound`, an upper bound on the norms of weighted gradients minus their
    /// hints.
    ///
    /// # Panics
    /// If `bound` is negative or not finite.
    #[must_use]
    pub fn with_bound(mut self, bound: f64) -> Self {
        assert!(bound >= 0.0 && bound.is_finite(), "a finite bound");
        self.largest = bound;
        self.retune();
        self
    }

    /// Returns the Euclidean distance between the current iterate and the centre of the domain. O(1).
    pub fn distance(&self) -> f64 {
        self.scale() * self.norm.root()
    }

    /// Returns √(2(Γ² + V)), the denominator of the learning rate, from the clipping threshold Γ and the sum V of
    /// squared hint errors.
    fn spread(&self) -> f64 {
        let mut squares = self.errors;
        squares.add(self.largest);
        squares.root_of(2.0)
    }

    /// Recomputes the learning rate r/√(2(Γ² + V)) after a change of the clipping threshold Γ or the sum V of squared
    /// hint errors; r is the domain's reach. The rate never increases, even through rounding; it is 0 before the first
    /// nonzero gradient.
    fn retune(&mut self) {
        let spread = self.spread();
        if spread > 0.0 {
            let rate = (self.domain.reach() / spread).min(STEEPEST);
            self.rate = if self.rate > 0.0 { self.rate.min(rate) } else { rate };
        }
    }

    /// Applies `change` to coordinate `i` of the gradient sum Z and of the hint h, updates the norm of Z + h, and calls
    /// `moved` with `i` and the old value of the iterate's direction there.
    fn shift(&mut self, i: usize, moved: &mut impl FnMut(usize, f64), change: impl FnOnce(&mut f64, &mut F)) {
        let old = self.direction(i);
        moved(i, old);
        change(&mut self.sum[i], &mut self.hint.value[i]);
        self.norm.change(old, self.direction(i));
    }

    /// Adds the hint h and `keep` times the hint error G − h to the gradient sum Z, where `keep` ≤ 1 clips the error,
    /// and discards the hint.
    fn absorb<V: Vector<F> + ?Sized>(
        &mut self,
        weight: f64,
        gradient: &V,
        keep: f64,
        mut moved: impl FnMut(usize, f64),
    ) {
        gradient.each(|i, g| self.shift(i, &mut moved, |sum, _| *sum += keep * weigh(weight, g).wide()));
        let rest = 1.0 - keep;
        while let Some(i) = self.hint.support.pop() {
            self.shift(i, &mut moved, |sum, hint| {
                *sum += rest * hint.wide();
                *hint = F::zero();
            });
        }
    }
}

impl<F: Float, D: Radial<F>> Learner<F> for DualAveraging<F, D> {
    fn dim(&self) -> usize {
        self.sum.len()
    }

    fn at(&self, i: usize) -> F {
        place(self, i)
    }

    fn magnitude_budget(&self, _: f64) -> f64 {
        room_within::<F>(self.domain.reach())
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.tell_moved(weight, gradient, |_, _| {});
    }

    fn regret_bound(&self) -> Option<f64> {
        let excess = if self.cut { 2.0 * self.largest } else { 0.0 };
        let slow = self.rate >= STEEPEST;
        (self.domain.bounded() && !slow).then(|| self.domain.reach() * (self.spread() + excess))
    }

    fn regret_bound_at(&self, distance: f64) -> Option<f64> {
        nearby(self.regret_bound(), self.domain.reach(), distance)
    }
}

impl<F: Float, D: Radial<F>> Lazy<F> for DualAveraging<F, D> {
    fn centre(&self, i: usize) -> F {
        self.domain.centre(i)
    }

    fn scale(&self) -> f64 {
        let norm = self.norm.root();
        let far = self.rate * norm;
        if norm > 0.0 && self.domain.bounded() && (self.rate == 0.0 || far.is_infinite()) {
            // All hints have been exact so far, or nearly: without a regulariser, the minimiser lies on the boundary.
            return (self.domain.reach() / norm).min(STEEPEST);
        }
        let free = !self.domain.bounded() && far > span::<F>();
        let rate = if free { span::<F>() / norm } else { self.rate };
        rate * self.domain.shrink(far)
    }

    #[inline]
    fn direction(&self, i: usize) -> f64 {
        -(self.sum[i] + self.hint.value[i].wide())
    }

    fn tell_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, moved: impl FnMut(usize, f64)) {
        let error = self.hint.error(weight, gradient);
        let keep = if error > self.largest { self.largest / error } else { 1.0 };
        self.absorb(weight, gradient, keep, moved);
        self.cut |= keep < 1.0;
        self.errors.add(error.min(self.largest));
        self.largest = self.largest.max(error);
        self.retune();
    }
}

impl<F: Float, D: Radial<F>> Hinted<F> for DualAveraging<F, D> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.hint_moved(weight, hint, |_, _| {});
    }
}

impl<F: Float, D: Radial<F>> LazyHinted<F> for DualAveraging<F, D> {
    fn hint_moved<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V, mut moved: impl FnMut(usize, f64)) {
        hint.each(|i, h| {
            self.shift(i, &mut moved, |_, value| *value = weigh(weight, h));
            self.hint.support.push(i);
        });
    }
}

impl<F: Float, D> Grow for DualAveraging<F, D> {
    fn grow(&mut self, dim: usize) {
        lengthen(&mut self.sum, dim);
        self.hint.grow(dim);
    }
}

impl<F: Float, D> Memory for DualAveraging<F, D> {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.errors.each_number(visit);
        self.norm.each_number(visit);
        let mut cut = f64::from(u8::from(self.cut));
        [&mut self.largest, &mut cut, &mut self.rate].into_iter().for_each(visit);
        self.cut = cut != 0.0;
    }

    fn each_array(&mut self, visit: &mut dyn FnMut(&'static str, &mut Vec<f64>)) {
        visit("dual", &mut self.sum);
        self.hint.grow(self.sum.len());
    }
}
