//! Algorithm 3 of arXiv 1903.00974: the anytime conversion with the last gradient as the hint (prediction) for the next
//! one.

use super::{AskHintTell, AskTell};
use crate::certificate::{Certified, Gradients};
use crate::squares::binade;
use crate::{Anytime, DenseAnytime, Domain, Float, Hinted, LazyHinted, Point, Squares, Status, Vector, Weights};

/// The optimistic conversion: [`Anytime`] with the last gradient as the hint (prediction) for the next one.
///
/// *Update*: as soon as g_t is known, α_{t+1}·g_t is announced to the learner as the hint of round t + 1, that is, with
/// the weight of that round and before its iterate is used. Queries and outputs are those of [`Anytime`]. The first
/// round has no hint.
///
/// *Guarantee*: with α_t = t ([`Linear`](crate::Linear)), a convex and smooth loss L (constant 𝓛 on the whole space),
/// gradients of variance σ² and a learner with R_T ≤ κB·√(Σ‖α_t(g_t − g_{t−1})‖²) on a domain of diameter B, E[L(x_T) −
/// L(u)] ≤ (2/(T(T+1)))·(4κ²𝓛B² + κB·√(E‖g_1‖²)) + κBσ·√(2(2T+1)/(T(T+1))): the accelerated rate without noise, the
/// optimal one with it, although the method knows neither 𝓛 nor σ. Without smoothness, for ‖g_t‖ ≤ G, the bound is
/// 4κBG·√((2T+1)/(6T(T+1))), twice that of [`Anytime`]. The hints are paid for by the exact slack of Theorem 1: L(x_T)
/// − L(u) falls short of the regret by Σ A_{t−1}·D(x_{t−1}, x_t), which is at least Σ t²‖∇L(x_t) − ∇L(x_{t−1})‖²/(8𝓛).
///
/// *Shrunk hints* ([`shrunk`](Optimistic::shrunk)): the hint is θ_t·g_{t−1} instead of g_{t−1}, where θ_t = Σ α_s²⟨g_s,
/// g_{s−1}⟩ / Σ α_s²‖g_{s−1}‖² over earlier rounds, clipped to between 0 and 1. Noise makes θ fall towards 0, which
/// removes the doubled variance of unshrunk hints. The regret part of the guarantee holds; the accelerated rate is then
/// measured, not proved.
///
/// *Cost*: that of the inner conversion: O(nnz) per step for [`new`](Optimistic::new), O(d) for
/// [`dense`](Optimistic::dense). Shrunk hints store the last gradient: one `F` and one index per coordinate.
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
/// Source: arXiv 1903.00974, Algorithm 3 and Theorem 3, whose text differs: there the hint comes after the iterate that
/// it is for, and the rate is T^{−3/2}. The rate here is after Joulani, Raj, György and Szepesvári (2020).
#[derive(Clone, Debug)]
pub struct Optimistic<F, A> {
    /// The inner anytime conversion, to which hints (predictions of gradients) and gradients are passed.
    method: A,
    /// Running sums for the factor θ by which hints are shrunk; `None` if hints are not shrunk.
    shrinkage: Option<Shrinkage<F>>,
}

impl<F: Float, L: LazyHinted<F>, W: Weights> Optimistic<F, Anytime<F, L, W>> {
    /// Creates the conversion in O(nnz) per step, over [`Anytime`], ready for its first gradient. Allocates O(d)
    /// memory; later calls do not allocate.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn new(learner: L, weights: W) -> Self {
        Self::over(Anytime::new(learner, weights))
    }
}

impl<F: Float, L: Hinted<F>, W: Weights> Optimistic<F, DenseAnytime<F, L, W>> {
    /// Creates the conversion in O(d) per step, over [`DenseAnytime`], for learners that may move every coordinate in
    /// each round.
    ///
    /// # Panics
    /// If the first weight is not positive and finite.
    pub fn dense(learner: L, weights: W) -> Self {
        Self::over(DenseAnytime::new(learner, weights))
    }
}

impl<F: Float, A: AskHintTell<F>> Optimistic<F, A> {
    /// Makes `method`, an anytime conversion that the caller has configured, such as `Anytime::new(…).certified()`, use
    /// the last gradient as the hint (prediction) for the next one.
    pub fn over(method: A) -> Self {
        Self { method, shrinkage: None }
    }

    /// Makes the conversion multiply each hint (the last gradient) by a factor θ_t between 0 and 1, which measures how
    /// well earlier gradients predicted their successors.
    #[must_use]
    pub fn shrunk(mut self) -> Self {
        self.shrinkage = Some(Shrinkage::new(self.method.dim()));
        self
    }

    /// Returns the inner anytime conversion, which gives access to the learner and to the ledger, the sums for a
    /// certificate (an upper bound on the excess loss).
    pub fn method(&self) -> &A {
        &self.method
    }

    /// Returns θ, the factor between 0 and 1 by which the hint of the current round was multiplied; 1 without
    /// [`shrunk`](Optimistic::shrunk).
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
        // The hint is dropped if it cannot be used, because the next weight is too large for it.
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

/// Running sums for θ, the least-squares coefficient for predicting each gradient from the one before, by which hints
/// are multiplied.
#[derive(Clone, Debug)]
struct Shrinkage<F> {
    /// The last gradient, one number per coordinate.
    last: Vec<F>,
    /// Indices of the nonzeros of the last gradient.
    support: Vec<usize>,
    /// The power of two by whose square `products` and `squares` are divided, so that they stay in range.
    unit: f64,
    /// Numerator of the factor θ, Σ α_s²⟨g_s, g_{s−1}⟩ for weights α_s and gradients g_s, divided by the square of
    /// `unit`.
    products: f64,
    /// Denominator of the factor θ, Σ α_s²‖g_{s−1}‖² for weights α_s and gradients g_s, divided by the square of
    /// `unit`.
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

    /// Adds the inner products of `gradient` with the last gradient, and of the last gradient with itself, to the sums,
    /// then stores `gradient` as the last one.
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

    /// Raises the scale `unit` to the largest power of two ≤ `size` if it is smaller than that, and rescales the stored
    /// sums; `size` must be positive.
    fn fit(&mut self, size: f64) {
        let unit = binade(size).max(self.unit);
        let ratio = self.unit / unit;
        self.products *= ratio * ratio;
        self.squares *= ratio * ratio;
        self.unit = unit;
    }
}
