//! The value of a certificate: the bound, the quantity it bounds, and the sense and assumptions under which it holds.

use std::fmt;

use super::{Assumption, Assumptions, Certified, Uncertified};

/// The sense in which a certificate holds: always, in expectation, or with high probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// The bound always holds, provided its assumptions do.
    Deterministic,
    /// The bound holds in expectation over runs, for a stopping time fixed in advance.
    Expectation,
    /// The bound holds at all steps simultaneously with probability 1 − δ, so it stays valid for any data-dependent
    /// stopping time.
    Probability {
        /// δ, the probability with which the bound may fail.
        delta: f64,
    },
}

impl Kind {
    /// Returns the kind as one word: "deterministic", "expectation" or "probability".
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Deterministic => "deterministic",
            Kind::Expectation => "expectation",
            Kind::Probability { .. } => "probability",
        }
    }

    /// Returns δ for [`Kind::Probability`], and `None` for the other kinds.
    pub fn delta(&self) -> Option<f64> {
        match self {
            Kind::Probability { delta } => Some(*delta),
            _ => None,
        }
    }
}

/// The reference point whose loss is subtracted from that of the certified point. `Display` formats it as an English
/// phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// The point of the domain with the smallest loss.
    Domain,
    /// The point of the whole space with the smallest loss.
    Space,
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Comparator::Domain => "the best point of the domain",
            Comparator::Space => "the best point of the whole space",
        })
    }
}

/// The quantity that a certificate bounds from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The loss of the certified point (penalties included) minus that of the comparator.
    Excess(Comparator),
    /// The expected loss of the certified point.
    Risk,
}

/// The caller's knowledge of whether the loss has a minimiser over the whole space inside the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimiser {
    /// A minimiser of the loss over the whole space lies in the domain. A μ-strongly convex loss L with values ≥ 0 has
    /// its minimiser in every ball around 0 of radius at least √(2L(0)/μ).
    Inside,
    /// Nothing is known about the position of the minimiser, which may lie outside of the domain.
    Unknown,
}

/// An upper bound on the expected loss or the excess loss of a point, with the sense in which it holds, the quantity
/// bounded, and its assumptions.
///
/// ```
/// use surefoot::certificate::{Assumption, Assumptions, Certificate, Comparator, Kind, Subject};
/// let certificate = Certificate {
///     value: 0.02,
///     kind: Kind::Probability { delta: 0.05 },
///     subject: Subject::Excess(Comparator::Domain),
///     assumptions: Assumptions::of(&[Assumption::Convex, Assumption::FreshRows]),
/// };
/// assert_eq!(
///     certificate.to_string(),
///     "the excess over the best point of the domain is at most 2e-2, at all steps at once with probability 0.95, if \
///      the loss is convex; rows are independent draws, each used once; the loss is their expected loss"
/// );
/// assert_eq!(certificate.relative(0.5), 0.04);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// The upper bound on the excess or expected loss named by `subject`, in units of the loss.
    pub value: f64,
    /// The sense in which the bound holds: always, in expectation or with high probability.
    pub kind: Kind,
    /// The quantity that `value` bounds from above: an excess loss or the expected loss.
    pub subject: Subject,
    /// The assumptions that the bound relies on and that were not checked.
    pub assumptions: Assumptions,
}

impl Certificate {
    /// Returns the bound as a fraction of the objective, `value`/|`objective`|.
    pub fn relative(&self, objective: f64) -> f64 {
        self.value / objective.abs().max(f64::MIN_POSITIVE)
    }

    /// Returns the comparator of an excess loss, and `None` for a bound on the expected loss itself.
    pub fn comparator(&self) -> Option<Comparator> {
        match self.subject {
            Subject::Excess(over) => Some(over),
            Subject::Risk => None,
        }
    }

    /// Returns this bound restated against the minimiser over the whole space, if the caller knows that a minimiser
    /// lies in the domain; otherwise [`Uncertified::MinimiserOutside`].
    ///
    /// ```
    /// use surefoot::certificate::{Comparator, Gradients, Ledger, Minimiser, Uncertified};
    /// use surefoot::{Ball, View};
    /// let mut ledger = Ledger::new(1);
    /// ledger.record(1.0, &[0.5], |_| 0.0);
    /// let output = View::new(1, |_| 0.0);
    /// let within = ledger.certificate(1.0, &Ball::new(2.0), &output, Gradients::Exact)?;
    /// assert_eq!(within.everywhere(Minimiser::Inside)?.comparator(), Some(Comparator::Space));
    /// assert_eq!(within.everywhere(Minimiser::Unknown), Err(Uncertified::MinimiserOutside));
    /// # Ok::<(), Uncertified>(())
    /// ```
    pub fn everywhere(self, minimiser: Minimiser) -> Certified {
        match (self.subject, minimiser) {
            (Subject::Excess(Comparator::Domain), Minimiser::Unknown) => Err(Uncertified::MinimiserOutside),
            (Subject::Excess(Comparator::Domain), Minimiser::Inside) => Ok(Self {
                subject: Subject::Excess(Comparator::Space),
                assumptions: self.assumptions.with(Assumption::MinimiserInside),
                ..self
            }),
            _ => Ok(self),
        }
    }

    /// Returns this certificate, or [`Uncertified::NotFinite`] if its value is NaN or infinite.
    pub(super) fn finite(self) -> Certified {
        if self.value.is_finite() { Ok(self) } else { Err(Uncertified::NotFinite) }
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.subject {
            Subject::Excess(over) => write!(f, "the excess over {over}")?,
            Subject::Risk => f.write_str("the expected loss")?,
        }
        write!(f, " is at most {:e}, ", self.value)?;
        match self.kind {
            Kind::Deterministic => f.write_str("for certain")?,
            Kind::Expectation => f.write_str("in expectation")?,
            Kind::Probability { delta } => write!(f, "at all steps at once with probability {}", 1.0 - delta)?,
        }
        for (i, assumption) in self.assumptions.iter().enumerate() {
            write!(f, "{}{assumption}", if i == 0 { ", if " } else { "; " })?;
        }
        Ok(())
    }
}
