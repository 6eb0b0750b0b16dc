//! Lower bounds on the minimum of a convex objective from its values and gradients at query points.

use super::slopes::Slopes;
use super::sum::Sum;
use super::{Assumption, Assumptions, Certificate, Certified, Kind, Penalty, Subject, Uncertified};
use crate::squares::weigh;
use crate::{Float, Vector};

/// A lower bound on the minimum of an objective F + Ω from values and subgradients of the convex function F at
/// arbitrary points; it bounds the excess of *any* point whose objective value is known. Ω is a penalty in closed form
/// or a domain.
///
/// *Guarantee*: a query point q_t with subgradient g_t gives a cut, the linear lower bound F(u) ≥ F(q_t) + ⟨g_t, u −
/// q_t⟩, and the weighted average of all cuts is a lower bound too. Hence the minimum is at least (Σ α_t(F(q_t) − ⟨g_t,
/// q_t⟩))/A_T − Ω*(−Z_T/A_T), for any weights α_t ≥ 0, with A_T = Σ α_t, Z_T = Σ α_t g_t and the conjugate Ω* of Ω. The
/// best lower bound is kept, so it never falls. For the output of an anytime run the resulting excess is at most the
/// value of [`Ledger`](super::Ledger)'s certificate.
///
/// *Cost*: O(nnz) per step, one `f64` per coordinate, O(d) per call of `tighten`. Deterministic: exact values and
/// gradients only.
///
/// ```
/// use surefoot::Ball;
/// use surefoot::certificate::{Cuts, Inside};
/// // x²/2 on the interval from −1 to 1, cut at 1/2: its minimum 0 is at least 1/8 − 1/4 − 1/2.
/// let ball = Ball::<f64>::new(1.0);
/// let mut cuts = Cuts::new(1, Inside::new(&ball));
/// cuts.record(1.0, 0.125, &[0.5], |_| 0.5);
/// assert!((cuts.tighten() + 0.625).abs() < 1e-14);
/// assert!((cuts.certificate(0.125)?.value - 0.75).abs() < 1e-14);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, the proof of Theorem 1, with values.
#[derive(Clone, Debug)]
pub struct Cuts<P> {
    /// The part Ω of the objective that is known in closed form, a penalty or a domain.
    penalty: P,
    /// Weighted sum of the values at 0 of the cuts (linear lower bounds on F), Σ α_t(F(q_t) − ⟨g_t, q_t⟩).
    level: Sum,
    /// Weighted sum of the gradients, Z = Σ α_t g_t.
    gradients: Slopes,
    /// Sum of the weights of the rounds so far, A_T.
    total: f64,
    /// Sum of the absolute values of the terms of `level`, which bounds its rounding error.
    size: f64,
    /// Best lower bound on the minimum so far; −∞ if none has been computed.
    best: f64,
}

impl<P: Penalty> Cuts<P> {
    /// Creates an empty set of cuts (linear lower bounds on F) in `dim` dimensions. No later call allocates.
    pub fn new(dim: usize, penalty: P) -> Self {
        let (level, gradients) = (Sum::default(), Slopes::new(dim));
        Self { penalty, level, gradients, total: 0.0, size: 0.0, best: f64::NEG_INFINITY }
    }

    /// Records a cut (a linear lower bound on F): its weight, and the value and gradient of F at the query point.
    /// O(nnz).
    ///
    /// # Panics
    /// If the weight is negative or not finite, or an index of the gradient is outside of `0..dim`.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(
        &mut self,
        weight: f64,
        value: f64,
        gradient: &V,
        query: impl Fn(usize) -> F,
    ) {
        self.gradients.open::<F>(weight);
        self.total += weight;
        self.level.add(weight * value);
        self.size += (weight * value).abs();
        gradient.each(|i, g| {
            let g = weigh(weight, g).wide();
            self.gradients.add(i, g);
            let term = g * query(i).wide();
            self.level.add(-term);
            self.size += term.abs();
        });
    }

    /// Computes the lower bound on the minimum from the weighted average of all cuts, minus an allowance for rounding,
    /// and keeps it if it is the best so far. Returns −∞ if the cuts give no bound or a sum has overflowed. O(d).
    pub fn tighten(&mut self) -> f64 {
        let Ok((conjugate, lost)) = self.gradients.conjugate(self.total, &self.penalty) else {
            return f64::NEG_INFINITY;
        };
        let allowance = 4.0 * self.gradients.epsilon * self.size + lost;
        let floor = (self.level.value() - conjugate - allowance) / self.total;
        let floor = if floor.is_finite() { floor } else { f64::NEG_INFINITY };
        self.best = self.best.max(floor);
        floor
    }

    /// Returns the best lower bound on the minimum that [`tighten`](Cuts::tighten) has computed so far; −∞ if there is
    /// none.
    pub fn floor(&self) -> f64 {
        self.best
    }

    /// Returns the certificate for any point whose objective F + Ω equals `value`: its excess is at most `value` minus
    /// the best lower bound. O(1).
    pub fn certificate(&self, value: f64) -> Certified {
        if self.best == f64::NEG_INFINITY {
            return Err(if self.total > 0.0 { Uncertified::Unbounded } else { Uncertified::NoRounds });
        }
        let kind = Kind::Deterministic;
        let subject = Subject::Excess(self.penalty.comparator());
        let assumptions = Assumptions::of(&[Assumption::Convex, Assumption::ExactGradients, Assumption::ExactValues]);
        Certificate { value: value - self.best, kind, subject, assumptions }.finite()
    }
}
