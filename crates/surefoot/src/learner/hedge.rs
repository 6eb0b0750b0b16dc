//! Hedge: exponential weights on the simplex, with hints.

use std::marker::PhantomData;

use super::clip::Clip;
use super::experts::{Sums, gibbs, range};
use super::{Hinted, Learner};
use crate::{Float, Vector};

/// Hedge: exponential weights over the corners of the [`Simplex`](crate::Simplex), one expert each, with one adaptive
/// learning rate and hints.
///
/// *Update*, with weighted gradients G_t = α_t g_t, their sum Z, hints h_t (predictions of G_t), and s_t the range
/// (largest minus smallest coordinate) of the hint error δ_t = G_t − h_t, for K experts: w_t ∝ exp(−η_t(Z_{t−1} +
/// h_t)), η_t = 2√(ln K/(Γ_t² + Σ_{i<t} s_i²)), where Γ_t is a bound on s_t known before round t. If δ_t has a larger
/// range, it is clipped to Γ_t before it is used, and then Γ grows. Without [`with_range`](Hedge::with_range) the
/// initial value of Γ is 0: then the first gradient only sets the scale, and w stays uniform.
///
/// *Guarantee*: the regret R_T(u) is at most √(ln K·(Γ² + Σs²)), plus max s_t if anything was clipped, for every u in
/// the simplex.
///
/// *Cost*: O(K) per step, with K exponentials.
///
/// ```
/// use surefoot::{Hedge, Learner};
/// let mut learner = Hedge::<f64>::new(2).with_range(1.0);
/// learner.tell(1.0, &[1.0, 0.0]);
/// let odds = (-2.0 * (2_f64.ln() / 2.0).sqrt()).exp();
/// assert!((learner.at(0) / learner.at(1) - odds).abs() < 1e-15);
/// ```
///
/// Source: Freund and Schapire (1997); with the adaptive rate and hints as follow-the-regularised-leader with entropy, the
/// stability term by Hoeffding's lemma.
#[derive(Clone, Debug)]
pub struct Hedge<F> {
    /// The sum Z of weighted gradients, the hint (prediction) of the current round's gradient, and the last hint error
    /// (gradient minus hint).
    sums: Sums,
    /// The clipping threshold Γ for ranges (largest minus smallest coordinate) of hint errors (gradient minus its
    /// prediction, the hint), and the sum of their squares.
    clip: Clip,
    /// The current weights w of the experts, which sum to 1.
    iterate: Vec<f64>,
    arrays: PhantomData<F>,
}

impl<F: Float> Hedge<F> {
    /// Creates the learner with uniform initial weights over `dim` experts. Later calls do not allocate.
    ///
    /// # Panics
    /// If `dim` is 0.
    pub fn new(dim: usize) -> Self {
        assert!(dim > 0, "a simplex has corners");
        let iterate = vec![1.0 / dim as f64; dim];
        Self { sums: Sums::new(dim), clip: Clip::default(), iterate, arrays: PhantomData }
    }

    /// Sets the initial clipping threshold Γ to `bound`, an upper bound on the range (largest minus smallest
    /// coordinate) of weighted gradients minus their hints; the default is 0.
    ///
    /// # Panics
    /// If `bound` is negative or not finite.
    #[must_use]
    pub fn with_range(mut self, bound: f64) -> Self {
        self.clip = Clip::with_bound(bound);
        self
    }

    fn entropy(&self) -> f64 {
        (self.iterate.len() as f64).ln().sqrt()
    }

    fn play(&mut self) {
        let rate = 2.0 * self.entropy() / self.clip.spread();
        gibbs(rate, &self.sums, &mut self.iterate);
    }
}

impl<F: Float> Learner<F> for Hedge<F> {
    fn dim(&self) -> usize {
        self.iterate.len()
    }

    fn at(&self, i: usize) -> F {
        F::of(self.iterate[i])
    }

    fn tell<V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V) {
        let keep = self.clip.take(range(self.sums.error(weight, gradient)));
        self.sums.absorb(keep);
        self.play();
    }

    fn regret_bound(&self) -> Option<f64> {
        Some(self.entropy() * self.clip.spread() + self.clip.excess())
    }
}

impl<F: Float> Hinted<F> for Hedge<F> {
    fn hint<V: Vector<F> + ?Sized>(&mut self, weight: f64, hint: &V) {
        self.sums.expect(weight, hint);
        self.play();
    }
}
