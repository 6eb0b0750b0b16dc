//! Algorithm 1 for learners that move everywhere.

use std::marker::PhantomData;

use super::{AskTell, checked, output_share, query_share};
use crate::certificate::{Certified, Gradients, Uncertified};
use crate::{Domain, Float, Learner, Ledger, Point, Rounds, Status, Vector, View, Weights, kernel};

/// [`Anytime`](crate::Anytime) for any [`Learner`], with the average written out, in `f64`: O(d) a step.
///
/// For learners on domains that couple all coordinates, and for a caller's own that need no more than O(d).
///
/// Source: arXiv 1903.00974, Algorithm 1 and Theorem 1.
#[derive(Clone, Debug)]
pub struct DenseAnytime<F, L, W> {
    learner: L,
    rounds: Rounds<W>,
    interpolation: f64,
    average: Vec<f64>,
    ledger: Option<Ledger>,
    arrays: PhantomData<F>,
}

impl<F: Float, L: Learner<F>, W: Weights> DenseAnytime<F, L, W> {
    /// A conversion of `learner` before its first round. Allocates O(d), here and nowhere else.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(learner: L, weights: W) -> Self {
        let average = vec![0.0; learner.dim()];
        Self { learner, rounds: Rounds::new(weights), interpolation: 1.0, average, ledger: None, arrays: PhantomData }
    }

    /// Sets the interpolation β: 1 queries the average, 0 the iterate.
    ///
    /// # Panics
    /// If `beta` is not between 0 and 1.
    #[must_use]
    pub fn interpolate(mut self, beta: f64) -> Self {
        self.interpolation = checked(beta);
        self
    }

    /// Keeps the sums that a certificate needs: one `f64` a coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.ledger = Some(Ledger::new(self.learner.dim()));
        self
    }

    /// The learner.
    pub fn learner(&self) -> &L {
        &self.learner
    }

    /// The sums of the certificate, if [`certified`](DenseAnytime::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// The point with a given share of the average of closed rounds.
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
        self.point(query_share(self.interpolation, &self.rounds))
    }

    fn output(&self) -> impl Point<F> {
        self.point(output_share(&self.rounds))
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        let Some(weight) = self.rounds.admit(self.learner.dim(), gradient) else { return };
        if let Some(ledger) = &mut self.ledger {
            ledger.record(weight, gradient, |i| self.learner.at(i));
        }
        let share = self.rounds.share();
        for (i, x) in self.average.iter_mut().enumerate() {
            *x = kernel::blend(*x, self.learner.at(i).wide(), 1.0 - share, share);
        }
        self.rounds.close();
        self.learner.tell(weight, gradient);
    }

    fn steps(&self) -> u64 {
        self.rounds.steps()
    }

    fn status(&self) -> Status {
        self.rounds.status()
    }

    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        let ledger = self.ledger.as_ref().ok_or(Uncertified::NoSums)?;
        ledger.certificate(self.rounds.total(), domain, &self.output(), gradients)
    }
}
