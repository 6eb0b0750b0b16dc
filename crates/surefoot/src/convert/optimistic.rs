//! Algorithm 3: the last gradient is the hint for the next one.

use super::{AskHintTell, AskTell};
use crate::certificate::{Certified, Gradients};
use crate::squares::binade;
use crate::{Anytime, DenseAnytime, Domain, Float, Hinted, LazyHinted, Point, Squares, Status, Vector, Weights};

/// The optimistic conversion: the anytime one, with the last gradient as a hint for the next.
///
/// *Update*: as soon as g_t is known, α_{t+1}·g_t is announced to the learner as the hint of round t + 1, with the weight
/// of that round and before its iterate is used. Queries and outputs are those of [`Anytime`]. The first round has no
/// hint.
///
/// *Guarantee*: with α_t = t ([`Linear`](crate::Linear)), a convex and smooth L (constant 𝓛 on the whole space), gradients
/// of variance σ² and a learner with R_T ≤ κB·√(Σ‖α_t(g_t − g_{t−1})‖²) on a domain of diameter B,
/// E[L(x_T) − L(u)] ≤ (2/(T(T+1)))·(4κ²𝓛B² + κB·√(E‖g_1‖²)) + κBσ·√(2(2T+1)/(T(T+1))): the accelerated rate without
/// noise, the optimal one with it, and neither 𝓛 nor σ is known to the method. Without smoothness, for ‖g_t‖ ≤ G, it is
/// 4κBG·√((2T+1)/(6T(T+1))), twice what [`Anytime`] has. It is the exact slack of Theorem 1 that pays for the hints:
/// L(x_T) − L(u) falls short of the regret by Σ A_{t−1}·D(x_{t−1}, x_t), which is at least Σ t²‖∇L(x_t) − ∇L(x_{t−1})‖²/(8𝓛).
///
/// *Shrunk hints* ([`shrunk`](Optimistic::shrunk)): θ_t·g_{t−1} for g_{t−1}, where
/// θ_t = Σ α_s²⟨g_s, g_{s−1}⟩ / Σ α_s²‖g_{s−1}‖² over the rounds before, between 0 and 1. Noise makes θ fall towards 0 and
/// with it the doubled variance that last gradients bring. The regret part of the guarantee holds; that the accelerated
/// rate stays is measured, not proved.
///
/// *Cost*: that of the conversion within: O(nnz) a step for [`new`](Optimistic::new), O(d) for
/// [`dense`](Optimistic::dense). Shrunk hints keep the last gradient: one `F` and one index a coordinate.
///
/// ```
/// use surefoot::{AskTell, Ball, DualAveraging, Linear, Optimistic, Point};
///
/// // A badly conditioned bowl, without a learning rate.
/// let gradient = |x: f64, y: f64| [x - 0.6, 0.01 * (y + 0.8)];
/// let mut method = Optimistic::new(DualAveraging::<f64, _>::new(2, Ball::new(1.0)), Linear);
/// for _ in 0..500 {
///     let slope = gradient(method.at(0), method.at(1));
///     method.tell(&slope);
/// }
/// let output = method.output();
/// assert!((output.at(0) - 0.6).abs() < 1e-3 && (output.at(1) + 0.8).abs() < 1e-2);
/// ```
///
/// Source: arXiv 1903.00974, Algorithm 3 and Theorem 3, where the print differs: there the hint comes after the iterate
/// that it is for, and the rate is T^{−3/2}. The rate here is after Joulani, Raj, György and Szepesvári (2020).
#[derive(Clone, Debug)]
pub struct Optimistic<F, A> {
    method: A,
    shrinkage: Option<Shrinkage<F>>,
}

impl<F: Float, L: LazyHinted<F>, W: Weights> Optimistic<F, Anytime<F, L, W>> {
    /// Over [`Anytime`], before the first round. Allocates O(d), here and nowhere else.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(learner: L, weights: W) -> Self {
        Self::over(Anytime::new(learner, weights))
    }
}

impl<F: Float, L: Hinted<F>, W: Weights> Optimistic<F, DenseAnytime<F, L, W>> {
    /// Over [`DenseAnytime`], for learners that move everywhere.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn dense(learner: L, weights: W) -> Self {
        Self::over(DenseAnytime::new(learner, weights))
    }
}

impl<F: Float, A: AskHintTell<F>> Optimistic<F, A> {
    /// Over a conversion with settings of its own, such as `Anytime::new(…).certified()`.
    pub fn over(method: A) -> Self {
        Self { method, shrinkage: None }
    }

    /// Shrinks hints by what they have been worth so far.
    #[must_use]
    pub fn shrunk(mut self) -> Self {
        self.shrinkage = Some(Shrinkage::new(self.method.dim()));
        self
    }

    /// The conversion within, with learner and ledger.
    pub fn method(&self) -> &A {
        &self.method
    }

    /// θ, the factor of the hint of the open round.
    pub fn shrinkage(&self) -> f64 {
        self.shrinkage.as_ref().map_or(1.0, Shrinkage::factor)
    }
}

impl<F: Float, A: AskHintTell<F>> AskTell<F> for Optimistic<F, A> {
    fn dim(&self) -> usize {
        self.method.dim()
    }

    fn query(&self) -> impl Point<F> {
        self.method.query()
    }

    fn output(&self) -> impl Point<F> {
        self.method.output()
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, gradient: &V) {
        let (steps, weight) = (self.method.steps(), self.method.next_weight());
        self.method.tell(gradient);
        if self.method.steps() == steps {
            return; // refused
        }
        if let Some(shrinkage) = &mut self.shrinkage {
            shrinkage.learn(weight, gradient);
        }
        // A hint that cannot be used, since the next weight is too large for it, is none.
        self.method.hint(&gradient.times(self.shrinkage()));
    }

    fn steps(&self) -> u64 {
        self.method.steps()
    }

    fn status(&self) -> Status {
        self.method.status()
    }

    fn certificate<D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        self.method.certificate(domain, gradients)
    }
}

/// How much of one gradient is found in the next.
#[derive(Clone, Debug)]
struct Shrinkage<F> {
    last: Vec<F>,
    support: Vec<usize>,
    /// Both sums are in units of this, squared; a power of two.
    unit: f64,
    products: f64,
    squares: f64,
}

impl<F: Float> Shrinkage<F> {
    fn new(dim: usize) -> Self {
        let (last, support) = (vec![F::zero(); dim], Vec::with_capacity(dim));
        Self { last, support, unit: 0.0, products: 0.0, squares: 0.0 }
    }

    fn factor(&self) -> f64 {
        if self.squares > 0.0 { (self.products / self.squares).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Compares a gradient with the last one, then keeps it.
    fn learn<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        let mut size = Squares::default();
        self.support.iter().for_each(|&i| size.add(weight * self.last[i].wide()));
        let last = size.root();
        gradient.each(|_, g| size.add(weight * g.wide()));
        if last > 0.0 && size.root().is_finite() {
            self.fit(size.root());
            let share = |x: F| weight * x.wide() / self.unit;
            let mut product = 0.0;
            gradient.each(|i, g| product += share(g) * share(self.last[i]));
            self.products += product;
            self.squares += (last / self.unit) * (last / self.unit);
        }
        while let Some(i) = self.support.pop() {
            self.last[i] = F::zero();
        }
        gradient.each(|i, g| {
            self.last[i] = g;
            self.support.push(i);
        });
    }

    /// Makes the unit as large as `size` > 0.
    fn fit(&mut self, size: f64) {
        let unit = binade(size).max(self.unit);
        let ratio = self.unit / unit;
        self.products *= ratio * ratio;
        self.squares *= ratio * ratio;
        self.unit = unit;
    }
}
