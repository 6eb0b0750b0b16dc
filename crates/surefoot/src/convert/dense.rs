//! The anytime conversion (Algorithm 1 of arXiv 1903.00974) in O(d) per step, for online learners that may move every
//! coordinate in each round.

use std::marker::PhantomData;

use super::{AskHintTell, AskTell, Interpolation, output_share, vouched};
use crate::certificate::{Certified, Gradients};
use crate::{Domain, Float, Hinted, Learner, Ledger, Point, Quadratic, Rounds, Status, Vector, View, Weights, kernel};

/// The anytime conversion for any [`Learner`] in O(d) per step: [`Anytime`](crate::Anytime) with the average of
/// iterates stored explicitly in `f64`.
///
/// For learners on domains that couple all coordinates, and for custom learners for which O(d) is acceptable.
///
/// Source: arXiv 1903.00974, Algorithm 1 and Theorem 1.
#[derive(Clone, Debug)]
pub struct DenseAnytime<F, L, W> {
    /// The online learner whose iterates are averaged.
    learner: L,
    /// The round counter, with the weights of the rounds and their sum.
    rounds: Rounds<W>,
    /// Rule for the weight β of the average in the query point β·average + (1 − β)·iterate, where gradients are taken.
    interpolation: Interpolation,
    /// Weighted average of the iterates of completed rounds, one number per coordinate.
    average: Vec<f64>,
    /// Whether a hint (a prediction of the gradient) has already been announced for the current round.
    hinted: bool,
    /// The sums for a certificate (an upper bound on the excess loss); `None` unless `certified` was called.
    ledger: Option<Ledger>,
    arrays: PhantomData<F>,
}

impl<F: Float, L: Learner<F>, W: Weights> DenseAnytime<F, L, W> {
    /// Creates the method that optimises with the iterates of the online learner `learner`, averaged with weights
    /// `weights`, ready for its first gradient. Allocates O(d) memory; later calls do not allocate.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(mut learner: L, weights: W) -> Self {
        let rounds = Rounds::over(weights, learner.dim());
        learner.open(rounds.next());
        let average = vec![0.0; learner.dim()];
        Self {
            learner,
            rounds,
            interpolation: Interpolation::Fixed(1.0),
            average,
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

    /// Makes the method keep the sums for a certificate (an upper bound on the excess loss), at one `f64` per
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
    /// [`certified`](DenseAnytime::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Announces the weight of the current round to the learner, if that weight is valid.
    fn open(&mut self) {
        if let Some(weight) = self.rounds.open() {
            self.learner.open(weight);
        }
    }

    /// Does everything that completes the current round, except passing the gradient to the learner; returns the
    /// round's weight. If `gradient` is refused, returns `None` and changes only the status.
    fn close<V: Vector<F> + ?Sized>(&mut self, gradient: &V) -> Option<f64> {
        let magnitude_budget = self.learner.magnitude_budget(self.rounds.next());
        let weight = self.rounds.admit(self.learner.dim(), gradient, magnitude_budget)?;
        if let Some(ledger) = &mut self.ledger {
            ledger.record(weight, gradient, |i| self.learner.at(i));
        }
        let share = self.rounds.share();
        for (i, x) in self.average.iter_mut().enumerate() {
            *x = kernel::blend(*x, self.learner.at(i).wide(), 1.0 - share, share);
        }
        self.rounds.close();
        self.hinted = false;
        Some(weight)
    }

    /// Completes the current round like [`tell`](AskTell::tell), for learners of quadratic losses, which also need the
    /// point where the gradient was taken (the average).
    pub(super) fn tell_around<V: Vector<F> + ?Sized>(&mut self, gradient: &V)
    where
        L: Quadratic<F>,
    {
        let Some(weight) = self.close(gradient) else { return };
        let average = &self.average;
        let query = View::new(average.len(), |i| F::of(average[i]));
        self.learner.tell_quadratic(weight, gradient, &query);
        self.open();
    }

    /// Returns the point `share`·average + (1 − `share`)·iterate, where the average is that of the iterates of
    /// completed rounds and the iterate that of the current round.
    fn point(&self, share: f64) -> impl Point<F> {
        View::new(self.learner.dim(), move |i| {
            F::of(kernel::blend(self.average[i], self.learner.at(i).wide(), share, 1.0 - share))
        })
    }
}

impl<F: Float, L: Learner<F>, W: Weights> AskTell<F> for DenseAnytime<F, L, W> {
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
        if let Some(weight) = self.close(gradient) {
            self.learner.tell(weight, gradient);
            self.open();
        }
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

impl<F: Float, L: Hinted<F>, W: Weights> AskHintTell<F> for DenseAnytime<F, L, W> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, hint: &V) -> bool {
        let magnitude_budget = self.learner.magnitude_budget(self.rounds.next());
        if self.hinted || !self.rounds.accepts(self.learner.dim(), hint, magnitude_budget) {
            return false;
        }
        self.learner.hint(self.rounds.next(), hint);
        self.hinted = true;
        true
    }

    fn next_weight(&self) -> f64 {
        self.rounds.next()
    }
}
