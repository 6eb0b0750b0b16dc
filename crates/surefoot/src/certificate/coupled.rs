//! Certificates of Algorithm 4.

use super::ledger::vouch;
use super::sum::Sum;
use super::{Assumption, Certified, Comparator, Gradients, Inside, Ledger, Uncertified};
use crate::{Domain, Float, Vector};

/// An upper bound e_t on L(y_t) − L(x_t), by the way it was obtained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rise {
    /// L(y_t) − L(x_t) itself; with noisy gradients it must be measured on a sample independent of g_t.
    Measured(f64),
    /// The bound −η‖g_t‖²(1 − Lη/2) from smoothness, for a step y_t = x_t − η·g_t with an exact gradient.
    Smooth {
        /// Learning rate η of the step.
        rate: f64,
        /// ‖g_t‖; the norm rather than its square, which underflows for small gradients.
        norm: f64,
        /// Smoothness constant L in the whole space, since iterates may leave the domain.
        smoothness: f64,
    },
    /// The bound ⟨q, y_t − x_t⟩, where q is a subgradient at y_t.
    Slope(f64),
    /// A change measured on the batch that gave g_t: it is too low on average, since y_t was fitted to that batch.
    SameBatch,
    /// Nothing is known about L(y_t) − L(x_t).
    Unknown,
}

impl Rise {
    /// Returns the bound e_t, or the reason why there is none.
    fn bound(self) -> Result<f64, Uncertified> {
        match self {
            Rise::Measured(rise) | Rise::Slope(rise) => Ok(rise),
            Rise::Smooth { rate, norm, smoothness } => Ok(-(rate * norm) * norm * (1.0 - smoothness * rate / 2.0)),
            Rise::SameBatch => Err(Uncertified::SameBatch),
            Rise::Unknown => Err(Uncertified::NoRises),
        }
    }
}

/// The sums of [`Ledger`] for Algorithm 4, extended by its steps from x_t to y_t.
///
/// *Guarantee*: with E_t = Σ_{i≤t} A_i·e_i, L(y_T) − L(u) ≤ (S + h_D(−Z) + E_T)/A_T and L(x_T) − L(u) ≤ (S + h_D(−Z) +
/// E_{T−1})/A_T for every u in the learner's domain D. The iterates of Algorithm 4 may leave D and have a lower loss
/// than all of D, so the excess may be negative.
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
    /// The sums S = Σ α_t⟨g_t, w_t⟩ and Z = Σ α_t g_t with gradients at the query points x_t.
    ledger: Ledger,
    /// Sum of the weights of the rounds so far, A_T.
    total: f64,
    /// The sum E_T of the bounds on the steps of all rounds.
    steps: Steps,
    /// The sum E_{T−1} of the bounds on the steps of all rounds but the last.
    before: Steps,
}

/// The sum Σ A_i·e_i, with the kinds of bounds among its terms.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    /// The sum Σ A_i·e_i over the rounds whose step has a bound e_i.
    rises: Sum,
    /// Whether the bound of any step came from smoothness.
    smooth: bool,
    /// Whether the bound of any step came from values or slopes, or is missing.
    valued: bool,
    /// The reason why the first step without a bound has none; `None` if all steps have a bound.
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
    /// Creates empty sums for `dim` coordinates. No later call allocates.
    pub fn new(dim: usize) -> Self {
        Self { ledger: Ledger::new(dim), total: 0.0, steps: Steps::default(), before: Steps::default() }
    }

    /// Records a round: its weight, the gradient at x_t, the learner's iterate, and the bound on the step to y_t.
    /// O(nnz).
    ///
    /// # Panics
    /// If the weight is negative or not finite, or the gradient has a coordinate outside of the dimension.
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

    /// Returns the certificate of the output y_T. O(d).
    pub fn certificate<F: Float, D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        self.vouch(domain, gradients, &self.steps)
    }

    /// Returns the certificate of the query x_T, which does not depend on the last step. O(d).
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
