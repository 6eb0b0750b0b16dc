//! Algorithm 1 with an L1 and an L2 penalty, in O(nnz·log d).

use super::sums::Sums;
use super::{AskTell, output_share, unbiased};
use crate::certificate::{Certified, Comparator, ElasticNet, Gradients, Inside, Penalty, Uncertified, vouch};
use crate::{CompositeAveraging, Domain, Float, Learner, Ledger, Point, Rounds, Status, Vector, View, Weights, kernel};

/// [`DenseAnytime`](crate::DenseAnytime) over [`CompositeAveraging`], exactly, without a look at coordinates that rest.
///
/// *Update and guarantee*: as there. For gradients of F at the queries, E[P(x_T) − P(u)] ≤ E[R_T(u)]/A_T with
/// P = F + Ω and the regret that counts Ω in full: a convex Ω at an average is at most the average of Ω.
///
/// *Cost*: O(nnz·log d) a step, on average over a run. A coordinate without a gradient moves all the same, as
/// w_t = −sgn(Z)(|Z| − A_t·l1)·ρ_t with one rate ρ_t for all, until A_t·l1 reaches |Z|, and is 0 from then on. So what
/// it adds to Σ α_t w_t between two touches is −sgn(Z)(|Z|·ΔP − l1·ΔQ), with P = Σ α_t ρ_t and Q = Σ α_t A_t ρ_t. Coordinates
/// wait in a queue for the round in which they become 0; each touch puts at most one there, so there is at most one
/// to be taken out for every one touched. Seven `f64` a coordinate. If the rate has fallen to 1/32 of its average, all
/// coordinates are brought up to date in O(d): at most about √T times in T rounds, and usually never.
///
/// ```
/// use surefoot::{AskTell, CompositeAnytime, CompositeAveraging, ElasticNet, Linear, Point, Sparse, Vector};
///
/// // One useful feature of two, with a penalty 0.1·‖x‖₁: ½(x_0 − 1)² on average, x_1 is noise.
/// let learner = CompositeAveraging::<f64>::new(2, ElasticNet::new(0.1, 0.0), 1.0);
/// let mut method = CompositeAnytime::new(learner, Linear);
/// for t in 0..4000_u32 {
///     let values = [1.0, if t % 2 == 0 { 1.0 } else { -1.0 }];
///     let row = Sparse::new(&[0_u32, 1], &values);
///     let slope = method.dot(&row) - 1.0; // without the penalty
///     method.tell(&row.times(slope));
/// }
/// let output = method.output();
/// assert!((output.at(0) - 0.9).abs() < 1e-2 && output.at(1).abs() < 1e-3);
/// ```
///
/// Source: arXiv 1903.00974, Algorithm 1, for composite losses; Xiao (2010).
#[derive(Clone, Debug)]
pub struct CompositeAnytime<F, W> {
    learner: CompositeAveraging<F>,
    rounds: Rounds<W>,
    sums: Sums,
    ledger: Option<Ledger>,
}

impl<F: Float, W: Weights> CompositeAnytime<F, W> {
    /// A conversion of `learner` before its first round. Allocates O(d), here and nowhere else.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(mut learner: CompositeAveraging<F>, weights: W) -> Self {
        let (rounds, sums) = (Rounds::over(weights, learner.dim()), Sums::new(learner.dim(), learner.elastic_net().l1));
        learner.open(rounds.next());
        Self { learner, rounds, sums, ledger: None }
    }

    /// Keeps the sums that a certificate needs: four more `f64` a coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.ledger = Some(Ledger::new(self.learner.dim()));
        self.sums.square_marks = vec![[0.0; 3]; self.learner.dim()];
        self
    }

    /// The learner. Its own sum of penalties is not kept; see [`penalties`](CompositeAnytime::penalties).
    pub fn learner(&self) -> &CompositeAveraging<F> {
        &self.learner
    }

    /// The sum of weights A_t of the closed rounds.
    pub fn total_weight(&self) -> f64 {
        self.rounds.total()
    }

    /// The sums of the certificate, if [`certified`](CompositeAnytime::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Σ α_t Ω(w_t) over the closed rounds, if [`certified`](CompositeAnytime::certified). O(d).
    pub fn penalties(&self) -> Option<f64> {
        self.ledger.as_ref()?;
        let (mut sizes, mut squares) = (self.sums.sizes, self.sums.squares);
        for i in 0..self.learner.dim() {
            sizes += self.sums.since(i, self.learner.sum(i)).abs();
            squares += self.sums.squares_since(i, self.learner.sum(i));
        }
        let penalty = self.learner.elastic_net();
        Some(penalty.l1 * sizes + penalty.l2 / 2.0 * squares)
    }

    /// The point with a given share of the average of closed rounds, against the iterate.
    fn point(&self, share: f64) -> impl Point<F> {
        let total = self.rounds.total();
        View::new(self.learner.dim(), move |i| {
            let sum = self.sums.sum[i] + self.sums.since(i, self.learner.sum(i));
            let average = if total > 0.0 { sum / total } else { 0.0 };
            F::of(kernel::blend(average, self.learner.at(i).wide(), share, 1.0 - share))
        })
    }

    /// Those whose sum of gradients the threshold has reached are 0 from now on.
    fn retire(&mut self) {
        let threshold = self.learner.threshold();
        while let Some(i) = self.sums.queue.first(threshold) {
            self.sums.settle(i, self.learner.sum(i));
            self.sums.queue.remove(i);
        }
    }
}

impl<F: Float, W: Weights> AskTell<F> for CompositeAnytime<F, W> {
    fn dim(&self) -> usize {
        self.learner.dim()
    }

    fn query(&self) -> impl Point<F> {
        self.point(1.0 - self.rounds.share())
    }

    fn output(&self) -> impl Point<F> {
        self.point(output_share(&self.rounds))
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        let room = self.learner.room(self.rounds.next());
        let Some(weight) = self.rounds.admit(self.learner.dim(), gradient, room) else { return };
        if let Some(ledger) = &mut self.ledger {
            ledger.record(weight, gradient, |i| self.learner.at(i));
        }
        self.sums.advance(weight, self.learner.total(), self.learner.rate());
        let sums = &mut self.sums;
        self.learner.learn(weight, gradient, |i, old| sums.settle(i, old));
        self.rounds.close();
        if let Some(weight) = self.rounds.open() {
            self.learner.open(weight);
        }
        let threshold = self.learner.threshold();
        gradient.each(|i, _| {
            let size = self.learner.sum(i).abs();
            if size > threshold || self.sums.queue.contains(i) {
                self.sums.queue.put(i, size);
            }
        });
        self.retire();
        if self.sums.are_stale(self.rounds.total(), self.learner.rate()) {
            self.sums.rebase(|i| self.learner.sum(i));
        }
    }

    fn steps(&self) -> u64 {
        self.rounds.steps()
    }

    fn status(&self) -> Status {
        self.rounds.status()
    }

    /// Of the excess of F + Ω over its least value in `domain`. Where the penalty has squares, no bounded domain is needed.
    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        let (Some(ledger), Some(penalties)) = (&self.ledger, self.penalties()) else { return Err(Uncertified::NoSums) };
        unbiased(&self.rounds, gradients)?;
        let both = Both { net: self.learner.elastic_net(), domain: Inside::new(domain) };
        vouch(ledger.excess(self.rounds.total(), penalties, &both)?, both.comparator(), gradients)
    }
}

/// A penalty, in a domain. The conjugate is a bound from above, which is all that a certificate needs.
struct Both<'a, F, D> {
    net: ElasticNet,
    domain: Inside<'a, F, D>,
}

impl<F: Float, D: Domain<F>> Penalty for Both<'_, F, D> {
    fn value(&self, dim: usize, x: impl Fn(usize) -> f64) -> f64 {
        self.net.value(dim, &x) + self.domain.value(dim, &x)
    }

    /// Without the squares, ⟨z, u⟩ − l1·‖u‖₁ ≤ ⟨soft(z, l1), u⟩; or without the domain.
    fn conjugate(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        let soft = |i: usize| z(i).signum() * (z(i).abs() - self.net.l1).max(0.0);
        self.domain.conjugate(dim, soft).min(self.net.conjugate(dim, &z))
    }

    /// Within a bounded domain no point is further off, whichever of the two bounds was the smaller.
    fn farthest(&self, dim: usize, z: impl Fn(usize) -> f64, slack: f64) -> f64 {
        let inside = self.domain.farthest(dim, &z, slack);
        if inside.is_finite() { inside } else { self.net.farthest(dim, &z, slack) }
    }

    fn comparator(&self) -> Comparator {
        Comparator::Domain
    }
}

#[cfg(test)]
mod tests {
    use super::{AskTell, CompositeAnytime, CompositeAveraging};
    use crate::{ElasticNet, Learner, Linear, Sparse};

    /// Coordinates are taken from the queue when they become 0, at most one for every touch, and no other is looked at.
    #[test]
    fn each_touch_is_paid_for_once() {
        let learner = CompositeAveraging::<f64>::new(1 << 16, ElasticNet::new(0.05, 0.0), 1.0);
        let mut method = CompositeAnytime::new(learner, Linear);
        let (mut alive, mut retired) = (0, 0);
        for t in 1..=3000_u32 {
            let index = if t % 2 == 0 { t % 10 } else { t };
            // As NaN it would spoil the sums, were it looked at.
            let spoilt = 40_000 + (t % 1000) as usize;
            method.sums.sum[spoilt] = f64::NAN;
            method.tell(&Sparse::new(&[index], &[if t % 4 < 2 { 1.0 } else { -0.4 }]));
            assert!(method.sums.sum[spoilt].is_nan());
            method.sums.sum[spoilt] = 0.0;
            let now = (0..5000).filter(|&i| method.sums.queue.contains(i)).count();
            retired += (alive + 1_usize).saturating_sub(now);
            alive = now;
            assert!((0..5000).all(|i| method.sums.queue.contains(i) == (method.learner.at(i) != 0.0)), "round {t}");
        }
        assert!(retired > 1000 && retired <= 3000 && method.sums.sizes.is_finite(), "{retired}");
    }
}
