//! The anytime conversion (Algorithm 1 of arXiv 1903.00974) for a loss plus an L1 and an L2 penalty, in O(nnz·log d)
//! per step.

use super::sums::Sums;
use super::{AskTell, output_share, unbiased};
use crate::certificate::{Certified, Comparator, ElasticNet, Gradients, Inside, Penalty, Uncertified, vouch};
use crate::{CompositeAveraging, Domain, Float, Learner, Ledger, Point, Rounds, Status, Vector, View, Weights, kernel};

/// The anytime conversion of [`CompositeAveraging`], an online learner that minimises an L1 and an L2 penalty exactly.
/// Up to rounding it computes what [`DenseAnytime`](crate::DenseAnytime) does, but without visiting coordinates that
/// have no gradient.
///
/// *Update and guarantee*: those of [`DenseAnytime`](crate::DenseAnytime). For gradients of F at the queries, E[P(x_T)
/// − P(u)] ≤ E[R_T(u)]/A_T where F is the loss, Ω the penalty, P = F + Ω, and R_T the regret including Ω: a convex Ω at
/// an average is at most the average of Ω.
///
/// *Cost*: amortised O(nnz·log d) per step. A coordinate j without a gradient moves too, as w_t = −sgn(Z)(|Z| −
/// A_t·l1)·ρ_t with a rate ρ_t common to all coordinates, until A_t·l1 reaches |Z|, and is 0 from then on. So between
/// two nonzero gradients it adds −sgn(Z)(|Z|·ΔP − l1·ΔQ) to Σ α_t w_t, with P = Σ α_t ρ_t and Q = Σ α_t A_t ρ_t. A
/// priority queue holds the nonzero coordinates by the time at which they become 0; each nonzero inserts at most one
/// coordinate, so there is at most one removal per nonzero. Seven `f64` per coordinate. Whenever the rate has fallen to
/// 1/32 of its average, all coordinates are brought up to date in O(d): at most about √T times in T rounds, and usually
/// never.
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
    /// The online learner whose iterates are averaged; it minimises the penalty exactly.
    learner: CompositeAveraging<F>,
    /// The round counter, with the weights of the rounds and their sum.
    rounds: Rounds<W>,
    /// Weighted sums of iterates, of which each coordinate is updated only when it has a gradient or becomes 0.
    sums: Sums,
    /// The sums for a certificate (an upper bound on the excess objective); `None` unless `certified` was called.
    ledger: Option<Ledger>,
}

impl<F: Float, W: Weights> CompositeAnytime<F, W> {
    /// Creates the method that optimises with the iterates of the online learner `learner`, averaged with weights
    /// `weights`, ready for its first gradient. Allocates O(d) memory; later calls do not allocate.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(mut learner: CompositeAveraging<F>, weights: W) -> Self {
        let (rounds, sums) = (Rounds::over(weights, learner.dim()), Sums::new(learner.dim(), learner.elastic_net().l1));
        learner.open(rounds.next());
        Self { learner, rounds, sums, ledger: None }
    }

    /// Makes the method keep the sums for a certificate (an upper bound on the excess objective), at four more `f64`
    /// per coordinate.
    #[must_use]
    pub fn certified(mut self) -> Self {
        self.ledger = Some(Ledger::new(self.learner.dim()));
        self.sums.square_marks = vec![[0.0; 3]; self.learner.dim()];
        self
    }

    /// Returns the online learner whose iterates are averaged. It does not sum its penalties over rounds;
    /// [`penalties`](CompositeAnytime::penalties) does.
    pub fn learner(&self) -> &CompositeAveraging<F> {
        &self.learner
    }

    /// Returns the sum of weights A_t of the completed rounds.
    pub fn total_weight(&self) -> f64 {
        self.rounds.total()
    }

    /// Returns the sums for a certificate (an upper bound on the excess objective); `None` without
    /// [`certified`](CompositeAnytime::certified).
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_ref()
    }

    /// Computes Σ α_t Ω(w_t), the weighted sum of the penalty Ω at the iterates w_t of completed rounds, in O(d);
    /// `None` without [`certified`](CompositeAnytime::certified).
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

    /// Returns the point `share`·average + (1 − `share`)·iterate, where the average is that of the iterates of
    /// completed rounds and the iterate that of the current round.
    fn point(&self, share: f64) -> impl Point<F> {
        let total = self.rounds.total();
        View::new(self.learner.dim(), move |i| {
            let sum = self.sums.sum[i] + self.sums.since(i, self.learner.sum(i));
            let average = if total > 0.0 { sum / total } else { 0.0 };
            F::of(kernel::blend(average, self.learner.at(i).wide(), share, 1.0 - share))
        })
    }

    /// Removes from the queue of nonzero coordinates each j whose gradient sum satisfies |Z_j| ≤ A_t·l1: the L1 penalty
    /// now makes it 0 in the iterate.
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
        let magnitude_budget = self.learner.magnitude_budget(self.rounds.next());
        let Some(weight) = self.rounds.admit(self.learner.dim(), gradient, magnitude_budget) else { return };
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

    /// Returns an upper bound on the objective F + Ω (loss plus penalty) at the output minus its minimum over `domain`.
    /// The domain may be unbounded if the penalty has l2 > 0.
    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        let (Some(ledger), Some(penalties)) = (&self.ledger, self.penalties()) else { return Err(Uncertified::NoSums) };
        unbiased(&self.rounds, gradients)?;
        let both = Both { net: self.learner.elastic_net(), domain: Inside::new(domain) };
        vouch(ledger.excess(self.rounds.total(), penalties, &both)?, both.comparator(), gradients)
    }
}

/// The sum of a penalty and the indicator function of a domain. `conjugate` returns only an upper bound on its convex
/// conjugate, which suffices for a certificate (an upper bound on the excess objective).
struct Both<'a, F, D> {
    /// The elastic-net penalty Ω, with an L1 and an L2 part.
    net: ElasticNet,
    /// The indicator function of the domain: 0 inside, ∞ outside.
    domain: Inside<'a, F, D>,
}

impl<F: Float, D: Domain<F>> Penalty for Both<'_, F, D> {
    fn value(&self, dim: usize, x: impl Fn(usize) -> f64) -> f64 {
        self.net.value(dim, &x) + self.domain.value(dim, &x)
    }

    /// Returns an upper bound on the convex conjugate at z, the smaller of two bounds: the first ignores the L2 penalty
    /// (⟨z, u⟩ − l1·‖u‖₁ ≤ ⟨soft(z, l1), u⟩ for u in the domain), the second ignores the domain.
    fn conjugate(&self, dim: usize, z: impl Fn(usize) -> f64) -> f64 {
        let soft = |i: usize| z(i).signum() * (z(i).abs() - self.net.l1).max(0.0);
        self.domain.conjugate(dim, soft).min(self.net.conjugate(dim, &z))
    }

    /// Returns an upper bound on |u_j| for the points u that attain the supremum in the convex conjugate at z: that of
    /// the domain if finite, otherwise that of the penalty Ω, whichever of the two gave the smaller `conjugate`.
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

    /// Checks that the queue contains exactly the nonzero coordinates of the iterate, that no more coordinates are
    /// removed from it than rounds are played, and that coordinates that neither have a gradient nor become 0 are not
    /// visited.
    #[test]
    fn each_touch_is_paid_for_once() {
        let learner = CompositeAveraging::<f64>::new(1 << 16, ElasticNet::new(0.05, 0.0), 1.0);
        let mut method = CompositeAnytime::new(learner, Linear);
        let (mut alive, mut retired) = (0, 0);
        for t in 1..=3000_u32 {
            let index = if t % 2 == 0 { t % 10 } else { t };
            // A NaN would spread to the sums if its coordinate were visited.
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
