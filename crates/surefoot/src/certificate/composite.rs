//! The regret certificate for objectives F + Ω with a penalty Ω that is known in closed form.

use super::ledger::vouch;
use super::sum::Sum;
use super::{Certified, Gradients, Ledger, Penalty};
use crate::{Float, Vector};

/// Sums over a run that bound the excess of an objective P = F + Ω whose penalty Ω is known in closed form: the
/// counterpart of [`Ledger`] where Ω is used exactly, not through gradients. No bounded domain is needed.
///
/// *Guarantee*: with subgradients g_t of F at the query points, iterates w_t with weights α_t and average x_T, A_T = Σ
/// α_t and Z_T = Σ α_t g_t, P(x_T) − P(u) ≤ (Σ α_t(⟨g_t, w_t⟩ + Ω(w_t)) + A_T·Ω*(−Z_T/A_T))/A_T for every u. Under
/// strong convexity the bound falls like about 1/T², while good methods converge faster: where a full pass is
/// affordable, [`fenchel`](super::fenchel()) gives a tighter bound.
///
/// *Cost*: O(nnz) per step plus the value Ω(w_t), which ridge learners compute in O(1); O(d) per certificate.
///
/// ```
/// use surefoot::certificate::{Composite, ElasticNet, Gradients};
/// // F(x) = −x, Ω(x) = x²/2, minimum −1/2; one round at w = x = 0, where P = 0.
/// let mut sums = Composite::new(1);
/// sums.record(1.0, &[-1.0], |_| 0.0, 0.0);
/// let certificate = sums.certificate(1.0, &ElasticNet::new(0.0, 1.0), Gradients::Exact)?;
/// assert!((certificate.value - 0.5).abs() < 1e-14);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, Theorem 1 with Jensen's inequality for Ω.
#[derive(Clone, Debug)]
pub struct Composite {
    /// The sums S = Σ α_t⟨g_t, w_t⟩ and Z = Σ α_t g_t over weights α_t, iterates w_t and gradients g_t of F (without
    /// the penalty).
    ledger: Ledger,
    /// Weighted sum of the penalties at the iterates, Σ α_t·Ω(w_t).
    penalties: Sum,
}

impl Composite {
    /// Creates empty sums for a run in `dim` dimensions. No later call allocates.
    pub fn new(dim: usize) -> Self {
        Self { ledger: Ledger::new(dim), penalties: Sum::default() }
    }

    /// Records a round: its weight, the gradient of F at the query point, the iterate as a function of the coordinate,
    /// and the value `penalty` = Ω(w_t) of the penalty at the iterate.
    ///
    /// # Panics
    /// If the weight is negative or not finite, or an index of the gradient is outside of `0..dim`.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(
        &mut self,
        weight: f64,
        gradient: &V,
        iterate: impl Fn(usize) -> F,
        penalty: f64,
    ) {
        self.ledger.record(weight, gradient, iterate);
        self.penalties.add(weight * penalty);
    }

    /// Returns the sums S = Σ α_t⟨g_t, w_t⟩ and Z = Σ α_t g_t over weights α_t, gradients g_t of F and iterates w_t.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns an upper bound on the excess objective of the average x_T of the iterates, where `total` is the sum of
    /// weights A_T. O(d).
    pub fn certificate(&self, total: f64, penalty: &impl Penalty, gradients: Gradients) -> Certified {
        let value = self.ledger.excess(total, self.penalties.value(), penalty)?;
        vouch(value, penalty.comparator(), gradients)
    }
}
