//! Dual averaging that minimises an L1 and an L2 penalty exactly.

use std::marker::PhantomData;

use super::{Learner, Penalised, STEEPEST, leader_room, room_within};
use crate::certificate::ElasticNet;
use crate::squares::weigh;
use crate::{Float, Penalty, Squares, Vector};

/// Regularised dual averaging (RDA) with an elastic-net penalty Ω = l1·‖·‖₁ + (l2/2)‖·‖², which is minimised exactly
/// instead of being linearised, so coordinates can be exactly 0.
///
/// *Update*, in the whole space: w_t minimises ⟨Z_{t−1}, ·⟩ + A_t·Ω + (λ_t/2)‖·‖², with Z the sum of weighted gradients
/// α_t g_t and A_t the sum of weights; per coordinate, w_j = −sgn(Z_j)·max(|Z_j| − A_t·l1, 0)/(λ_t + A_t·l2), with λ_t
/// = √(2(Γ_t² + V_{t−1}))/r as in [`DualAveraging`](crate::DualAveraging). V is the sum of ‖α_t g_t‖², r the expected
/// distance of the solution from 0, and Γ_t a bound on weighted gradients: a larger gradient is clipped to Γ_t, and
/// then Γ grows. A penalty with l2 > 0 needs no r: for r = ∞, λ is 0 and nothing is clipped. Multiplying losses and
/// penalty by a constant changes nothing.
///
/// *Guarantee*: if nothing was clipped, the regret including the penalty, see [`Penalised`], is at most λ_T·‖u‖²/2 + Σ
/// ‖α_t g_t‖²/(2(λ_t + A_t·l2)), which for ‖u‖ ≤ r is at most r·√(2(Γ² + V_T)), whatever the penalty. Proof: with Ψ_t =
/// ⟨Z_t, ·⟩ + A_tΩ + (λ_t/2)‖·‖², w_t minimises Ψ_t − ⟨α_t g_t, ·⟩, which is strongly convex, so ⟨α_t g_t, w_t⟩ ≤ min
/// Ψ_t − (Ψ_t − ⟨α_t g_t, ·⟩)(w_t) + ‖α_t g_t‖²/(2(λ_t + A_t·l2)), and the term in the middle is at least min Ψ_{t−1} +
/// α_tΩ(w_t). Sum over t and insert u into Ψ_T. This proof requires that A_t includes the weight of the current round.
/// There is no guarantee while the rate 1/(λ + A·l2) would exceed 1e270, where it is capped.
///
/// *Cost*: O(nnz) per step. Since every coordinate of the iterate may move, a conversion needs O(d) with
/// [`DenseAnytime`](crate::DenseAnytime), but only O(nnz·log d) with [`CompositeAnytime`](crate::CompositeAnytime).
///
/// ```
/// use surefoot::{AskTell, CompositeAveraging, DenseAnytime, ElasticNet, Linear, Point};
///
/// // ½(x − 1)² + ½(y − 0.1)² + 0.25·(|x| + |y|): the solution is (0.75, 0).
/// let learner = CompositeAveraging::<f64>::new(2, ElasticNet::new(0.25, 0.0), 1.0);
/// let mut method = DenseAnytime::new(learner, Linear);
/// for _ in 0..2000 {
///     let slope = [method.at(0) - 1.0, method.at(1) - 0.1]; // without the penalty
///     method.tell(&slope);
/// }
/// let output = method.output();
/// assert!((output.at(0) - 0.75).abs() < 0.01 && output.at(1) == 0.0);
/// ```
///
/// Source: Xiao (2010), with A_{t−1} for A_t and fixed λ; McMahan (2017).
#[derive(Clone, Debug)]
pub struct CompositeAveraging<F> {
    /// The elastic-net penalty Ω = l1·‖·‖₁ + (l2/2)‖·‖².
    penalty: ElasticNet,
    /// r, the expected distance of the solution from 0; ∞ turns the regulariser off.
    reach: f64,
    /// Z, the sum of weighted gradients after clipping, one number per coordinate.
    sum: Vec<f64>,
    /// V, the sum of the squared norms of weighted gradients after clipping.
    gradients: Squares,
    /// Γ, the clipping threshold: the largest norm of a weighted gradient so far or the initial bound, whichever is
    /// larger.
    largest: f64,
    /// Whether the gradient of any round was clipped, so that the regret bound does not hold.
    cut: bool,
    /// λ, the strength of the quadratic regulariser (λ/2)‖·‖².
    strength: f64,
    /// Sum of the weights of the rounds whose gradients the learner has received.
    told: f64,
    /// A_t, the sum of the weights of all rounds including the current one: `told` plus the current weight.
    total: f64,
    /// Part of the regret bound due to gradients: Σ ‖α_t g_t‖²/(2(λ_t + A_t·l2)) for weighted gradients α_t g_t,
    /// regulariser strengths λ_t and sums of weights A_t.
    regret: Squares,
    arrays: PhantomData<F>,
}

impl<F: Float> CompositeAveraging<F> {
    /// Creates the learner in `dim` dimensions, with its initial iterate at 0, for a solution whose expected distance
    /// from 0 is `reach`. Later calls do not allocate.
    ///
    /// # Panics
    /// If `reach` is not positive, or is infinite with a penalty that has l2 = 0.
    pub fn new(dim: usize, penalty: ElasticNet, reach: f64) -> Self {
        assert!(reach > 0.0 && (reach.is_finite() || penalty.l2 > 0.0), "a positive reach, finite if l2 = 0");
        Self {
            penalty,
            reach,
            sum: vec![0.0; dim],
            gradients: Squares::default(),
            largest: 0.0,
            cut: false,
            strength: 0.0,
            told: 0.0,
            total: 0.0,
            regret: Squares::default(),
            arrays: PhantomData,
        }
    }

    /// Sets the initial clipping threshold Γ to `bound`, an upper bound on the norms of weighted gradients.
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

    /// Returns Z_i, the sum of the weighted gradients of coordinate `i` after clipping.
    pub(crate) fn sum(&self, i: usize) -> f64 {
        self.sum[i]
    }

    /// Returns A_t, the sum of the weights of all rounds including the current one.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// Returns the learning rate 1/(λ + A_t·l2), by which the soft-thresholded gradient sum is multiplied; λ is the
    /// regulariser's strength and A_t the sum of weights. 0 before the first nonzero gradient.
    pub(crate) fn rate(&self) -> f64 {
        let strength = self.strength + self.penalty.l2 * self.total;
        if strength > 0.0 { (1.0 / strength).min(STEEPEST) } else { 0.0 }
    }

    /// Returns the soft threshold A_t·l1: coordinates j of the iterate with |Z_j| ≤ A_t·l1 are 0, where Z is the
    /// gradient sum.
    pub(crate) fn threshold(&self) -> f64 {
        self.penalty.l1 * self.total
    }

    /// Returns the elastic-net penalty Ω that the learner minimises.
    pub(crate) fn elastic_net(&self) -> ElasticNet {
        self.penalty
    }

    /// Recomputes the regulariser's strength λ = √(2(Γ² + V))/r after a change of the clipping threshold Γ or the sum V
    /// of squared gradient norms. λ never decreases, even through rounding.
    fn retune(&mut self) {
        let mut squares = self.gradients;
        squares.add(self.largest);
        self.strength = self.strength.max(squares.root_of(2.0) / self.reach);
    }

    /// Learns from the gradient of a round like [`tell`](Learner::tell), and calls `moved(i, old)` just before the
    /// gradient sum Z_i of coordinate i changes from `old`.
    pub(crate) fn learn<V: Vector<F> + ?Sized>(
        &mut self,
        weight: f64,
        gradient: &V,
        mut moved: impl FnMut(usize, f64),
    ) {
        let size = Squares::of(weight, gradient).root();
        let keep = if self.reach.is_finite() && size > self.largest { self.largest / size } else { 1.0 };
        if size * keep > 0.0 {
            self.regret.add(size * keep * (self.rate() / 2.0).sqrt());
        }
        gradient.each(|i, g| {
            let g = keep * weigh(weight, g).wide();
            if g != 0.0 {
                moved(i, self.sum[i]);
                self.sum[i] += g;
            }
        });
        self.cut |= keep < 1.0;
        self.gradients.add(size * keep);
        self.largest = self.largest.max(size);
        if self.reach.is_finite() {
            self.retune();
        }
        self.told += weight;
        self.total = self.told;
    }
}

impl<F: Float> Learner<F> for CompositeAveraging<F> {
    fn dim(&self) -> usize {
        self.sum.len()
    }

    fn at(&self, i: usize) -> F {
        let excess = self.sum[i].abs() - self.threshold();
        if excess > 0.0 { F::of(-self.sum[i].signum() * excess * self.rate()) } else { F::zero() }
    }

    fn open(&mut self, weight: f64) {
        self.total = self.told + weight;
    }

    fn magnitude_budget(&self, weight: f64) -> f64 {
        if self.reach.is_finite() {
            return room_within::<F>(self.reach);
        }
        leader_room::<F>(self.penalty.l2 * (self.told + weight))
    }

    fn is_stationary(&self) -> bool {
        false
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.learn(weight, gradient, |_, _| {});
    }

    /// Returns the bound on the regret including the penalty, against comparators whose distance from 0 is at most
    /// `reach`; `None` if a gradient was clipped, the learning rate was capped or the bound overflows.
    fn regret_bound(&self) -> Option<f64> {
        let distant = if self.strength > 0.0 { self.strength * self.reach * self.reach / 2.0 } else { 0.0 };
        let bound = distant + self.regret.root() * self.regret.root();
        let slow = self.rate() >= STEEPEST;
        (!self.cut && !slow && bound.is_finite()).then_some(bound)
    }
}

impl<F: Float> Penalised<F> for CompositeAveraging<F> {
    fn penalty(&self) -> impl Penalty {
        self.penalty
    }

    /// Computes the penalty Ω at the current iterate, in O(d).
    fn present(&self) -> f64 {
        self.penalty.value(self.dim(), |i| self.at(i).wide())
    }
}
