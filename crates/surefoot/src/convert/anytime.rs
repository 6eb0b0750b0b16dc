//! Algorithm 1 of arXiv 1903.00974: the anytime conversion, which takes gradients at the running average of an online
//! learner's iterates, in O(nnz) per step.

use std::marker::PhantomData;
use std::{error, fmt};

use super::{AskHintTell, AskTell, Interpolation, output_share, vouched};
use crate::certificate::{Certificate, Certified, Gradients, Uncertified};
use crate::{
    Average, Domain, Float, Grow, Lazy, LazyHinted, Ledger, Memory, Point, Rounds, Sparse, Status, Vector, View,
    Weights, kernel,
};

/// The anytime conversion: gradients are taken at the running average of the learner's iterates.
///
/// *Update*: with weights α_t and A_t = α_1 + … + α_t, the query point of round t is x_t = (Σ_{i≤t} α_i w_i)/A_t, the
/// learner receives α_t g_t, and the output after round t is x_t. w_i is the learner's iterate in round i. With an
/// interpolation β below 1 the query point is β·x_t + (1−β)·w_t instead.
///
/// *Guarantee*: for a convex loss L, g_t a subgradient of L at the query point (in expectation, given the past), any
/// learner with regret R_T, any comparator u and any β: E[L(x_T) − L(u)] ≤ E[R_T(u)]/A_T, for every T simultaneously:
/// the last point has the guarantee whenever the run stops. Gradients from the first epoch over a data set, or from
/// rows drawn with replacement, satisfy the condition on g_t; strictly speaking, those from later epochs do not.
///
/// *Cost*: exactly O(nnz) per step for any [`Lazy`] learner, and two `f64` per coordinate. Whenever the learner's scale
/// has fallen to 1/32 of its weighted average, all coordinates are brought up to date in O(d): with the learners of
/// this crate at most about √T times in T rounds, and usually never.
///
/// ```
/// use surefoot::{Anytime, AskTell, DualAdaGrad, Point, Sparse, Uniform, Vector};
///
/// // Logistic regression, two rows over and over, sparse.
/// let rows = [(Sparse::new(&[0_u32, 7], &[1.0_f32, 2.0]), 1.0), (Sparse::new(&[0_u32, 3], &[1.0, 1.0]), -1.0)];
/// let mut method = Anytime::new(DualAdaGrad::new(8, 0.5), Uniform);
/// for t in 0..100 {
///     let (row, label) = &rows[t % 2];
///     let margin = method.dot(row);
///     let slope = -label / (1.0 + (label * margin).exp());
///     method.tell(&row.times(slope));
/// }
/// assert!(method.output().dot(&rows[0].0) > 1.0 && method.output().dot(&rows[1].0) < -1.0);
/// ```
///
/// Source: arXiv 1903.00974, Algorithm 1 and Theorem 1 (the text of Algorithm 1 has w_t for w_i in the sum);
/// interpolation: Defazio et al. (2024).
#[derive(Clone, Debug)]
pub struct Anytime<F, L, W> {
    /// The online learner whose iterates are averaged.
    learner: L,
    /// The round counter, with the weights of the rounds and their sum.
    rounds: Rounds<W>,
    /// Rule for the weight β of the average in the query point β·average + (1 − β)·iterate, where gradients are taken.
    interpolation: Interpolation,
    /// Average of the directions of the learner's iterates (centre + scale · direction), with weights α_t·scale.
    directions: Average,
    /// Whether a hint (a prediction of the gradient) has already been announced for the current round.
    hinted: bool,
    /// The sums for a certificate (an upper bound on the excess loss); `None` unless `certified` was called.
    ledger: Option<Ledger>,
    arrays: PhantomData<F>,
}

impl<F: Float, L: Lazy<F>, W: Weights> Anytime<F, L, W> {
    /// Creates the method that optimises with the iterates of the online learner `learner`, averaged with weights
    /// `weights`, ready for its first gradient. Allocates O(d) memory; later calls do not allocate.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(mut learner: L, weights: W) -> Self {
        let rounds = Rounds::over(weights, learner.dim());
        learner.open(rounds.next());
        let directions = Average::new(learner.dim());
        Self {
            learner,
            rounds,
            interpolation: Interpolation::Fixed(1.0),
            directions,
            hinted: false,
            ledger: None,
            arrays: PhantomData,
        }
    }

    /// Sets the query point to β·average + (1 − β)·iterate, with a fixed β = `beta`.
    ///
    /// # Panics
    /// If `beta` is not between 0 and 1.
    #[must_use]
    pub fn interpolate(mut self, beta: f64) -> Self {
        self.interpolation = Interpolation::fixed(beta);
        self
    }

    /// Makes the weight β of the average in the query point increase as β_t = A_t/A_T over T = `rounds` rounds, where A
    /// is the sum of weights; afterwards β is 1; see [`linear_decay`](crate::linear_decay). Costs O(rounds) once.
    ///
    /// # Panics
    /// If the sum of the weights of these rounds is not positive and finite.
    #[must_use]
    pub fn rise(mut self, rounds: u64) -> Self {
        self.interpolation = Interpolation::rising(&self.rounds, rounds);
        self
    }

    /// Makes the method keep the sums for a certificate (an upper bound on the excess loss), at one more `f64` per
    /// coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.ledger = Some(Ledger::new(self.learner.dim()));
        self
    }

    /// Returns the online learner whose iterates are averaged.
    pub fn learner(&self) -> &L {
        &self.learner
    }

    /// Returns the sum of weights A_t of the completed rounds.
    pub fn total_weight(&self) -> f64 {
        self.rounds.total()
    }

    /// Returns the sums for a certificate (an upper bound on the excess loss); `None` without
    /// [`certified`](Anytime::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Restarts the sums for the certificate from `known`, a certificate (an upper bound on the excess loss) that holds
    /// for the current output; see [`Ledger::rebase`]. O(d).
    pub fn rebase(&mut self, known: &Certificate) -> Result<(), Uncertified> {
        self.ledger.as_mut().ok_or(Uncertified::NoSums)?.rebase(self.rounds.total(), known)
    }

    /// Completes `steps` rounds of total weight `weight` in one call, all with zero gradients.
    ///
    /// Has the effect of `steps` calls of `tell` with zero gradients, but in O(1). `weight` must be the sum of the
    /// weights of these rounds. If the rounds cannot be skipped, returns the reason and changes nothing.
    pub fn skip(&mut self, steps: u64, weight: f64) -> Result<(), SkipError> {
        if !self.learner.is_stationary() {
            return Err(SkipError::Penalised);
        }
        if !self.rounds.fits(steps, weight) {
            return Err(SkipError::Range);
        }
        if self.hinted && steps > 0 {
            // The hint belongs to the first of the skipped rounds.
            let first = self.rounds.next();
            self.tell(&Sparse::<F>::new(&[], &[]));
            return self.skip(steps - 1, (weight - first).max(0.0));
        }
        self.rest(weight);
        self.rounds.skip(steps, weight);
        self.open();
        Ok(())
    }

    /// Announces the weight of the current round to the learner, if that weight is valid.
    fn open(&mut self) {
        if let Some(weight) = self.rounds.open() {
            self.learner.open(weight);
        }
    }

    /// Adds the current iterate to the average with weight `weight`; must be called before that weight is added to the
    /// round counter.
    fn rest(&mut self, weight: f64) {
        let scale = self.learner.scale();
        let fresh = self.rounds.total() * scale;
        // Rebases before the addition: next to a sum of much larger scales the new term would be rounded away.
        if self.directions.is_stale(fresh) {
            let learner = &self.learner;
            self.directions.rebase(fresh, |i| learner.direction(i));
        }
        self.directions.advance(weight * scale);
    }

    /// Returns the point `share`·average + (1 − `share`)·iterate, where the average is that of the iterates of
    /// completed rounds and the iterate that of the current round.
    fn point(&self, share: f64) -> impl Point<F> {
        let total = self.rounds.total();
        let (scale, mass) = (self.learner.scale(), if total > 0.0 { self.directions.mass() / total } else { 0.0 });
        View::new(self.learner.dim(), move |i| {
            let direction = self.learner.direction(i);
            let average = mass * self.directions.at(i, direction);
            let away = kernel::blend(average, scale * direction, share, 1.0 - share);
            F::of(self.learner.centre(i).wide() + away)
        })
    }
}

/// The reason why [`Anytime::skip`] could not skip rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipError {
    /// The learner minimises a penalty, so its iterate moves in every round depending on that round's weight, and the
    /// sum of weights does not determine the result.
    Penalised,
    /// The given weight is negative or NaN, or the sum of weights or the number of rounds would overflow.
    Range,
}

impl fmt::Display for SkipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipError::Penalised => {
                "a penalty moves the learner in every round; tell rounds without gradients one by one"
            }
            SkipError::Range => {
                "not a number of rounds and a weight that can be counted; tell fewer, or scale the weights"
            }
        })
    }
}

impl error::Error for SkipError {}

impl<F: Float, L: Lazy<F>, W: Weights> AskTell<F> for Anytime<F, L, W> {
    fn dim(&self) -> usize {
        self.learner.dim()
    }

    fn query(&self) -> impl Point<F> {
        self.point(self.interpolation.share(&self.rounds))
    }

    fn output(&self) -> impl Point<F> {
        self.point(output_share(&self.rounds))
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        let magnitude_budget = self.learner.magnitude_budget(self.rounds.next());
        let Some(weight) = self.rounds.admit(self.learner.dim(), gradient, magnitude_budget) else { return };
        if let Some(ledger) = &mut self.ledger {
            ledger.record(weight, gradient, |i| self.learner.at(i));
        }
        self.rest(weight);
        self.rounds.close();
        self.hinted = false;
        let directions = &mut self.directions;
        self.learner.tell_moved(weight, gradient, |i, old| directions.touch(i, old));
        self.open();
    }

    fn steps(&self) -> u64 {
        self.rounds.steps()
    }

    fn status(&self) -> Status {
        self.rounds.status()
    }

    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        let ledger = vouched(self.ledger.as_ref(), &self.learner, &self.rounds, gradients)?;
        ledger.certificate(self.rounds.total(), domain, &self.output(), gradients)
    }
}

impl<F: Float, L: LazyHinted<F>, W: Weights> AskHintTell<F> for Anytime<F, L, W> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, hint: &V) -> bool {
        let magnitude_budget = self.learner.magnitude_budget(self.rounds.next());
        if self.hinted || !self.rounds.accepts(self.learner.dim(), hint, magnitude_budget) {
            return false;
        }
        let directions = &mut self.directions;
        self.learner.hint_moved(self.rounds.next(), hint, |i, old| directions.touch(i, old));
        self.hinted = true;
        true
    }

    fn next_weight(&self) -> f64 {
        self.rounds.next()
    }
}

impl<F: Float, L: Lazy<F> + Grow, W> Grow for Anytime<F, L, W> {
    fn grow(&mut self, dim: usize) {
        self.rounds.grow(dim);
        self.learner.grow(dim);
        self.directions.grow(dim);
        self.ledger.iter_mut().for_each(|ledger| ledger.grow(dim));
    }
}

impl<F, L: Memory, W: Weights> Memory for Anytime<F, L, W> {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.rounds.each_number(visit);
        self.learner.each_number(visit);
        self.directions.each_number(visit);
        self.ledger.iter_mut().for_each(|ledger| ledger.each_number(visit));
    }

    fn each_array(&mut self, visit: &mut dyn FnMut(&'static str, &mut Vec<f64>)) {
        self.learner.each_array(visit);
        self.directions.each_array(visit);
        self.ledger.iter_mut().for_each(|ledger| ledger.each_array(visit));
    }
}
