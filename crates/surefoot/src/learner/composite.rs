//! Dual averaging with an L1 and an L2 penalty counted in full.

use std::marker::PhantomData;

use super::{Learner, Penalised, STEEPEST, leader_room, room_within};
use crate::certificate::ElasticNet;
use crate::squares::weigh;
use crate::{Float, Penalty, Squares, Vector};

/// Regularised dual averaging: the penalty is minimised, never linearised, and coordinates are 0 exactly.
///
/// *Update*, in the whole space: w_t is where ⟨Z_{t−1}, ·⟩ + A_t·Ω + (λ_t/2)‖·‖² is least; so, per coordinate,
/// w_j = −sgn(Z_j)·max(|Z_j| − A_t·l1, 0)/(λ_t + A_t·l2), with λ_t = √(2(Γ_t² + V_{t−1}))/r as in
/// [`DualAveraging`](crate::DualAveraging): V sums ‖α_t g_t‖², r is how far the solution is expected to be, Γ_t bounds the
/// weighted gradients; a larger one is cut to Γ_t, and Γ grows. A penalty with l2 > 0 needs no r: for r = ∞ λ is 0 and
/// nothing is cut. Losses times a constant, penalty included, change nothing.
///
/// *Guarantee*: if nothing was cut, the regret with the penalty counted in full, see [`Penalised`], is at most
/// λ_T·‖u‖²/2 + Σ ‖α_t g_t‖²/(2(λ_t + A_t·l2)), which for ‖u‖ ≤ r is at most r·√(2(Γ² + V_T)), whatever the penalty. Proof:
/// with Ψ_t = ⟨Z_t, ·⟩ + A_tΩ + (λ_t/2)‖·‖², w_t minimises Ψ_t − ⟨α_t g_t, ·⟩, which is strongly convex, so
/// ⟨α_t g_t, w_t⟩ ≤ min Ψ_t − (Ψ_t − ⟨α_t g_t, ·⟩)(w_t) + ‖α_t g_t‖²/(2(λ_t + A_t·l2)), and the term in the middle is at
/// least min Ψ_{t−1} + α_tΩ(w_t). Sum, and put u into Ψ_T. It is for this proof that A_t has the weight of the open round. None while the rate 1/(λ + A·l2) is
/// above 1e270, where it is cut.
///
/// *Cost*: O(nnz) a step, but the iterate moves everywhere: O(d) with [`DenseAnytime`](crate::DenseAnytime), O(nnz·log d)
/// with [`CompositeAnytime`](crate::CompositeAnytime), which knows how.
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
    penalty: ElasticNet,
    reach: f64,
    sum: Vec<f64>,
    gradients: Squares,
    largest: f64,
    cut: bool,
    /// λ.
    strength: f64,
    /// The sum of weights told, and that with the open round's.
    told: f64,
    total: f64,
    regret: Squares,
    arrays: PhantomData<F>,
}

impl<F: Float> CompositeAveraging<F> {
    /// At 0, in `dim` dimensions, with the solution expected within `reach` of 0. The only allocation.
    ///
    /// # Panics
    /// If `reach` is not positive, or infinite with a penalty that has no squares.
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

    /// Starts Γ at `bound`, which no weighted gradient should exceed.
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

    /// Z_j, of the gradients as they were used.
    pub(crate) fn sum(&self, i: usize) -> f64 {
        self.sum[i]
    }

    /// A_t with the open round.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// 1/(λ + A·l2); 0 while nothing has been seen.
    pub(crate) fn rate(&self) -> f64 {
        let strength = self.strength + self.penalty.l2 * self.total;
        if strength > 0.0 { (1.0 / strength).min(STEEPEST) } else { 0.0 }
    }

    /// A_t·l1: sums of gradients up to here make no step.
    pub(crate) fn threshold(&self) -> f64 {
        self.penalty.l1 * self.total
    }

    /// Ω, with its strengths.
    pub(crate) fn elastic_net(&self) -> ElasticNet {
        self.penalty
    }

    /// λ never falls, whatever rounding says.
    fn retune(&mut self) {
        let mut squares = self.gradients;
        squares.add(self.largest);
        self.strength = self.strength.max(squares.root_of(2.0) / self.reach);
    }

    /// [`tell`](Learner::tell), calling `moved(i, old)` before Z_i leaves `old`.
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

    fn room(&self, weight: f64) -> f64 {
        if self.reach.is_finite() {
            return room_within::<F>(self.reach);
        }
        leader_room::<F>(self.penalty.l2 * (self.told + weight))
    }

    fn rests(&self) -> bool {
        false
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        self.learn(weight, gradient, |_, _| {});
    }

    /// Of the regret with the penalty counted in full, against points within the reach.
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

    /// O(d).
    fn present(&self) -> f64 {
        self.penalty.value(self.dim(), |i| self.at(i).wide())
    }
}
