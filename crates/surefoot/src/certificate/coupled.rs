//! Certificates for Algorithm 4 of arXiv 1903.00974, the accelerated method.

use super::ledger::vouch;
use super::sum::Sum;
use super::{Assumption, Certified, Comparator, Gradients, Inside, Ledger, Uncertified};
use crate::{Domain, Float, Vector};

/// An upper bound e_t on L(y_t) − L(x_t), the change in loss from the query point x_t to the output y_t of Algorithm 4;
/// the variants are the ways to obtain it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rise {
    /// The change in loss L(y_t) − L(x_t) computed from values; with noisy gradients it must be measured on a sample
    /// independent of the gradient g_t.
    Measured(f64),
    /// The bound −η‖g_t‖²(1 − Lη/2) on the change in loss, for a step y_t = x_t − η·g_t with an exact gradient of a
    /// loss with smoothness constant L.
    Smooth {
        /// Learning rate η of the step y_t = x_t − η·g_t.
        rate: f64,
        /// Norm ‖g_t‖ of the gradient, not squared, since the square of a small norm would underflow.
        norm: f64,
        /// Smoothness constant L of the loss in the whole space, since iterates may leave the domain.
        smoothness: f64,
    },
    /// The bound ⟨q, y_t − x_t⟩ on the change in loss, where q is a subgradient of the loss at y_t.
    Slope(f64),
    /// A change in loss measured on the batch that gave the gradient: it is too low on average, since y_t was fitted to
    /// that batch, so no certificate follows.
    SameBatch,
    /// Nothing is known about the change in loss L(y_t) − L(x_t), so no certificate follows.
    Unknown,
}

impl Rise {
    /// Returns the upper bound e_t on the change in loss, or the reason why it gives no certificate.
    fn bound(self) -> Result<f64, Uncertified> {
        match self {
            Rise::Measured(rise) | Rise::Slope(rise) => Ok(rise),
            Rise::Smooth { rate, norm, smoothness } => Ok(-(rate * norm) * norm * (1.0 - smoothness * rate / 2.0)),
            Rise::SameBatch => Err(Uncertified::SameBatch),
            Rise::Unknown => Err(Uncertified::NoRises),
        }
    }
}

/// Sums over a run of Algorithm 4 that bound its excess loss: those of [`Ledger`], and the changes in loss from the
/// query points x_t to the outputs y_t.
///
/// *Guarantee*: with S and Z the sums of [`Ledger`], A_i the sum of weights after round i, e_i the bound of [`Rise`] in
/// round i, h_D the support function of D, and E_t = Σ_{i≤t} A_i·e_i: L(y_T) − L(u) ≤ (S + h_D(−Z) + E_T)/A_T and
/// L(x_T) − L(u) ≤ (S + h_D(−Z) + E_{T−1})/A_T for every u in the learner's domain D. The iterates of Algorithm 4 may
/// leave D and have a lower loss than all of D, so the excess may be negative.
///
/// *Cost*: that of [`Ledger`] plus one number per step.
///
/// ```
/// use surefoot::Ball;
/// use surefoot::certificate::{Coupled, Gradients, Rise};
/// // L(x) = x²/2 from x_1 = w_1 = 1 with η = 1: y_1 = 0, and L fell by 1/2.
/// let ball = Ball::<f64>::new(1.0);
/// let mut sums = Coupled::new(1);
/// sums.record(1.0, &[1.0], |_| 1.0, Rise::Smooth { rate: 1.0, norm: 1.0, smoothness: 1.0 });
/// assert!((sums.certificate(&ball, Gradients::Exact)?.value - 1.5).abs() < 1e-14); // 1·1 + |−1|·1 − 1/2
/// assert!((sums.certificate_of_query(&ball, Gradients::Exact)?.value - 2.0).abs() < 1e-14);
/// # Ok::<(), surefoot::certificate::Uncertified>(())
/// ```
///
/// Source: arXiv 1903.00974, the proof of Theorem 4 (its text returns x_T and bounds y_T).
#[derive(Clone, Debug)]
pub struct Coupled {
    /// The sums S = Σ α_t⟨g_t, w_t⟩ and Z = Σ α_t g_t over weights α_t, iterates w_t and gradients g_t at the query
    /// points x_t.
    ledger: Ledger,
    /// Sum of the weights of the rounds so far, A_T.
    total: f64,
    /// Weighted sum E_T = Σ A_i·e_i of the bounds e_i on the changes in loss L(y_i) − L(x_i), over all rounds.
    steps: Steps,
    /// Weighted sum E_{T−1} of the bounds on the changes in loss L(y_i) − L(x_i), over all rounds but the last.
    before: Steps,
}

/// Weighted sum Σ A_i·e_i of bounds e_i on the changes in loss L(y_i) − L(x_i), with flags for the kinds of bounds in
/// it.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    /// The sum Σ A_i·e_i over the rounds i with a known bound e_i on the change in loss; A_i is the sum of weights
    /// after round i.
    rises: Sum,
    /// Whether any bound was derived from smoothness ([`Rise::Smooth`]).
    smooth: bool,
    /// Whether any bound was derived from loss values or subgradients, or is missing (any [`Rise`] but
    /// [`Rise::Smooth`]).
    valued: bool,
    /// Reason why the first round without a bound has none; `None` if every round has a bound.
    fault: Option<Uncertified>,
}

impl Steps {
    fn add(&mut self, total: f64, rise: Rise) {
        match rise.bound() {
            Ok(bound) => self.rises.add(total * bound),
            Err(fault) => self.fault = self.fault.or(Some(fault)),
        }
        let smooth = matches!(rise, Rise::Smooth { .. });
        self.smooth |= smooth;
        self.valued |= !smooth;
    }
}

impl Coupled {
    /// Creates empty sums for a run in `dim` dimensions. No later call allocates.
    pub fn new(dim: usize) -> Self {
        Self { ledger: Ledger::new(dim), total: 0.0, steps: Steps::default(), before: Steps::default() }
    }

    /// Records a round: its weight, the gradient at the query point x_t, the learner's iterate as a function of the
    /// coordinate, and the bound on the change in loss from x_t to y_t. O(nnz).
    ///
    /// # Panics
    /// If the weight is negative or not finite, or an index of the gradient is outside of `0..dim`.
    pub fn record<F: Float, V: Vector<F> + ?Sized>(
        &mut self,
        weight: f64,
        gradient: &V,
        iterate: impl Fn(usize) -> F,
        rise: Rise,
    ) {
        self.ledger.record(weight, gradient, iterate);
        self.total += weight;
        self.before = self.steps;
        self.steps.add(self.total, rise);
    }

    /// Returns an upper bound on the excess loss of the output y_T over the best point of `domain`. O(d).
    pub fn certificate<F: Float, D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        self.vouch(domain, gradients, &self.steps)
    }

    /// Returns an upper bound on the excess loss of the last query point x_T over the best point of `domain`; the bound
    /// does not depend on the last step, from x_T to y_T. O(d).
    pub fn certificate_of_query<F: Float, D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        self.vouch(domain, gradients, &self.before)
    }

    fn vouch<F: Float, D: Domain<F>>(&self, domain: &D, gradients: Gradients, steps: &Steps) -> Certified {
        let exact = gradients == Gradients::Exact;
        if let Some(fault) = steps.fault {
            return Err(fault);
        }
        if steps.smooth && !exact {
            return Err(Uncertified::Noisy);
        }
        let value = self.ledger.excess(self.total, steps.rises.value(), &Inside::new(domain))?;
        let mut certificate = vouch(value, Comparator::Domain, gradients)?;
        let values = if exact { Assumption::ExactValues } else { Assumption::FreshValues };
        for (needed, assumption) in [(steps.smooth, Assumption::Smooth), (steps.valued, values)] {
            let more = certificate.assumptions.with(assumption);
            certificate.assumptions = if needed { more } else { certificate.assumptions };
        }
        Ok(certificate)
    }
}
