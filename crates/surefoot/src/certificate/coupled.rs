//! The certificates of Algorithm 4.

use super::ledger::vouch;
use super::sum::Sum;
use super::{Assumption, Certified, Comparator, Gradients, Inside, Ledger, Uncertified};
use crate::{Domain, Float, Vector};

/// An upper bound e_t on L(y_t) − L(x_t), as it was come by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rise {
    /// L(y_t) − L(x_t) itself; with noisy gradients, measured on a sample that is independent of g_t.
    Measured(f64),
    /// From smoothness, for y_t = x_t − η·g_t with an exact gradient: −η‖g_t‖²(1 − Lη/2).
    Smooth {
        /// η.
        rate: f64,
        /// ‖g_t‖. Not its square, which a small one does not have.
        norm: f64,
        /// L, in the whole space: iterates may leave the domain.
        smoothness: f64,
    },
    /// ⟨q, y_t − x_t⟩ with a subgradient q at y_t.
    Slope(f64),
    /// Measured on the batch that gave g_t: too low on average, as y_t was made to suit it.
    SameBatch,
    /// Nothing is known.
    Unknown,
}

impl Rise {
    /// The bound, if it is one.
    fn bound(self) -> Result<f64, Uncertified> {
        match self {
            Rise::Measured(rise) | Rise::Slope(rise) => Ok(rise),
            Rise::Smooth { rate, norm, smoothness } => Ok(-(rate * norm) * norm * (1.0 - smoothness * rate / 2.0)),
            Rise::SameBatch => Err(Uncertified::SameBatch),
            Rise::Unknown => Err(Uncertified::NoRises),
        }
    }
}

/// [`Ledger`] for Algorithm 4, whose steps from x_t to y_t leave the average.
///
/// *Guarantee*: with E_t = Σ_{i≤t} A_i·e_i, L(y_T) − L(u) ≤ (S + h_D(−Z) + E_T)/A_T and L(x_T) − L(u) ≤ (S + h_D(−Z) +
/// E_{T−1})/A_T for every u in the learner's domain D. The iterates of Algorithm 4 may leave D and be better than all
/// of it, so the excess may be negative.
///
/// *Cost*: that of [`Ledger`], and one number a step.
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
/// Source: arXiv 1903.00974, the proof of Theorem 4 (its print returns x_T and bounds y_T).
#[derive(Clone, Debug)]
pub struct Coupled {
    ledger: Ledger,
    total: f64,
    steps: Steps,
    /// Without the last step.
    before: Steps,
}

/// The sum Σ A_i·e_i, and what is known of how its terms were come by.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    rises: Sum,
    smooth: bool,
    valued: bool,
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
    /// Empty sums. The only allocation.
    pub fn new(dim: usize) -> Self {
        Self { ledger: Ledger::new(dim), total: 0.0, steps: Steps::default(), before: Steps::default() }
    }

    /// Records a round: weight, gradient at x_t, the learner's iterate, and what is known of the step to y_t. O(nnz).
    ///
    /// # Panics
    /// As [`Ledger::record`].
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

    /// The certificate of the output y_T. O(d).
    pub fn certificate<F: Float, D: Domain<F>>(&self, domain: &D, gradients: Gradients) -> Certified {
        self.vouch(domain, gradients, &self.steps)
    }

    /// The certificate of the query x_T, for which the last step need not be known. O(d).
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
