//! The regret certificate: a bound on the excess loss from two sums over the rounds of a run.

use super::slopes::Slopes;
use super::sum::Sum;
use super::{
    Assumption, Assumptions, Certificate, Certified, Comparator, Gradients, Inside, Kind, Penalty, Subject, Uncertified,
};
use crate::squares::weigh;
use crate::{Domain, Float, Grow, Memory, Point, Vector};

/// Two sums over a run, S_T = Σ α_t⟨g_t, w_t⟩ and Z_T = Σ α_t g_t, from which an upper bound on the excess loss follows
/// for any bounded domain; α_t are the weights, g_t the gradients and w_t the iterates.
///
/// *Guarantee*: for a convex L with subgradients g_t at the query points, and x_T the weighted average of the w_t,
/// L(x_T) − L(u) ≤ (S_T + h_D(−Z_T))/A_T for every u in D, with A_T = Σ α_t, h_D the support function of the domain D,
/// and queries anywhere between iterate and average. The bound is valid for any learner: a bad learner makes the number
/// larger, not false.
///
/// *Cost*: O(nnz) per step, O(d) per certificate, one `f64` per coordinate; sums are in `f64` whatever `F` is. The
/// value includes an allowance for rounding, to first order: a few units of `F` (2e-16 for `f64`, 1e-7 for `f32`) times
/// the size of the summands, Σ α_t(Σ_j|g_tj·w_tj| + r·‖g_t‖_1)/A_T with r the largest coordinate in the domain, plus
/// the rounding errors of the running sums Z_t. In `f32` queries are rounded too; this error is counted once per round,
/// with the round's weight.
///
/// ```
/// use surefoot::certificate::{Gradients, Ledger};
/// use surefoot::{Ball, View};
/// // |x − 1| from the iterates 0 and 1/2, weights 1: (0 − 1/2 + 1·2)/2 = 3/4, and the truth at 1/4 is 3/4.
/// let mut ledger = Ledger::new(1);
/// ledger.record(1.0, &[-1.0], |_| 0.0);
/// ledger.record(1.0, &[-1.0], |_| 0.5);
/// let output = View::new(1, |_| 0.25);
/// let certificate = ledger.certificate(2.0, &Ball::new(1.0), &output, Gradients::Exact)?;
/// assert!((certificate.value - 0.75).abs() < 1e-14);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, Theorem 1, kept a posteriori; for queries between iterate and average, Defazio et al.
/// (2024).
#[derive(Clone, Debug)]
pub struct Ledger {
    /// S = Σ α_t⟨g_t, w_t⟩, the weighted sum of products of gradients and iterates since the last
    /// [`rebase`](Ledger::rebase).
    linear: Sum,
    /// Z = Σ α_t g_t, the weighted sum of gradients since the last [`rebase`](Ledger::rebase), with a bound on its
    /// rounding error.
    gradients: Slopes,
    /// Sum of |α_t g_tj w_tj| over coordinates j and rounds t, which bounds the rounding error of `linear`.
    size: f64,
    /// Product A_s·U_s of the sum of weights and the bound on the excess at the last [`rebase`](Ledger::rebase); 0 if
    /// there was none.
    credit: f64,
    /// Assumptions of the certificate given to the last [`rebase`](Ledger::rebase); empty if there was none.
    known: Assumptions,
}

impl Ledger {
    /// Creates empty sums for a run in `dim` dimensions. No later call allocates.
    pub fn new(dim: usize) -> Self {
        let (linear, gradients, known) = (Sum::default(), Slopes::new(dim), Assumptions::default());
        Self { linear, gradients, size: 0.0, credit: 0.0, known }
    }

    /// Records a round: its weight α_t, its gradient g_t, and the iterate w_t as a function of the coordinate. O(nnz).
    ///
    /// # Panics
    /// If the weight is negative or not finite, or an index of the gradient is outside of `0..dim`.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(&mut self, weight: f64, gradient: &V, iterate: impl Fn(usize) -> F) {
        self.gradients.open::<F>(weight);
        gradient.each(|i, g| {
            let g = weigh(weight, g).wide();
            self.gradients.add(i, g);
            let term = g * iterate(i).wide();
            self.linear.add(term);
            self.size += term.abs();
        });
    }

    /// Returns S = Σ α_t⟨g_t, w_t⟩, the weighted sum of products of gradients and iterates since the last
    /// [`rebase`](Ledger::rebase).
    pub fn linear(&self) -> f64 {
        self.linear.value()
    }

    /// Returns Z = Σ α_t g_t, the weighted sum of gradients since the last [`rebase`](Ledger::rebase), by coordinate.
    pub fn gradients(&self) -> &[f64] {
        &self.gradients.sum
    }

    /// Returns the largest regret of the run against any point of `domain` = D, S_T + h_D(−Z_T) with h_D the support
    /// function; ∞ if the domain is unbounded. O(d).
    pub fn regret<F: Float, D: Domain<F>>(&self, domain: &D) -> f64 {
        let support = || domain.support(self.gradients().len(), |i| -self.gradients()[i]);
        self.linear() + if domain.bounded() { support() } else { f64::INFINITY }
    }

    /// Returns an upper bound on the excess loss of `output`, the weighted average of the iterates, over the best point
    /// of `domain`; `total` is the sum of weights. O(d).
    ///
    /// With noisy gradients the bound holds in expectation, for weights fixed before the run. There is no certificate
    /// without a bounded domain, for reused rows, for an output outside of the domain (then some iterate was outside
    /// too), or for an output whose dimension differs from that of the sums. After a [`rebase`](Ledger::rebase) the
    /// assumptions of the certificate include those of the bound given there.
    pub fn certificate<F: Float, D: Domain<F>>(
        &self,
        total: f64,
        domain: &D,
        output: &impl Point<F>,
        gradients: Gradients,
    ) -> Certified {
        let value = self.excess(total, 0.0, &Inside::new(domain))?;
        if output.dim() != self.gradients().len() {
            return Err(Uncertified::Dimension);
        }
        if !domain.contains(output.dim(), |i| output.at(i).wide()) {
            return Err(Uncertified::Outside);
        }
        let certificate = vouch(value, Comparator::Domain, gradients)?;
        Ok(Certificate { assumptions: certificate.assumptions.and(self.known), ..certificate })
    }

    /// Restarts the sums from a known bound U_s on the excess of the current output, for instance from a full pass:
    /// later certificates are (A_s·U_s + Σ_{t>s} α_t⟨g_t, w_t⟩ + h_D(−(Z_T − Z_s)))/A_T. O(d).
    ///
    /// `total` is the sum of weights A_s so far. The bound must be against the domain of later certificates or against
    /// the whole space. A bound that is not deterministic or not finite is refused with an error, and nothing changes.
    pub fn rebase(&mut self, total: f64, known: &Certificate) -> Result<(), Uncertified> {
        match (known.kind, known.subject) {
            (Kind::Deterministic, Subject::Excess(_)) => {}
            _ => return Err(Uncertified::Noisy),
        }
        let credit = total * known.value;
        if !credit.is_finite() {
            return Err(Uncertified::NotFinite);
        }
        (self.credit, self.known) = (credit, known.assumptions);
        (self.linear, self.size) = (Sum::default(), 0.0);
        self.gradients.clear();
        Ok(())
    }

    /// Computes the bound on the excess (A_s·U_s + S + `extra` + A·Ω*(−Z/A) + allowance for rounding)/A, with A =
    /// `total`, Ω* the conjugate of `penalty`, and A_s·U_s the `credit` of the last rebase.
    pub(crate) fn excess(&self, total: f64, extra: f64, penalty: &impl Penalty) -> Result<f64, Uncertified> {
        if total.is_nan() || total <= 0.0 {
            return Err(Uncertified::NoRounds);
        }
        let (conjugate, lost) = self.gradients.conjugate(total, penalty)?;
        let allowance = 4.0 * self.gradients.epsilon * (self.size + extra.abs()) + lost;
        Ok((self.credit + self.linear() + extra + conjugate + allowance) / total)
    }
}

impl Grow for Ledger {
    fn grow(&mut self, dim: usize) {
        self.gradients.grow(dim);
    }
}

impl Memory for Ledger {
    fn each_number(&mut self, visit: &mut dyn FnMut(&mut f64)) {
        self.linear.each_number(visit);
        let Slopes { mass, drift, epsilon, .. } = &mut self.gradients;
        let mut known = f64::from(self.known.0);
        [&mut self.size, mass, drift, epsilon, &mut self.credit, &mut known].into_iter().for_each(visit);
        self.known = Assumptions(known as u32);
    }

    fn each_array(&mut self, visit: &mut dyn FnMut(&'static str, &mut Vec<f64>)) {
        visit("gradient_sum", &mut self.gradients.sum);
    }
}

/// Builds the certificate that the excess loss over `over` is at most `value`: deterministic for exact gradients, in
/// expectation for noisy unbiased ones.
pub(crate) fn vouch(value: f64, over: Comparator, gradients: Gradients) -> Certified {
    let assumptions = Assumptions::of(&[Assumption::Convex, gradients.unbiased()?]);
    let exact = gradients == Gradients::Exact;
    let kind = if exact { Kind::Deterministic } else { Kind::Expectation };
    let assumptions = if exact { assumptions } else { assumptions.with(Assumption::FixedWeights) };
    Certificate { value, kind, subject: Subject::Excess(over), assumptions }.finite()
}
