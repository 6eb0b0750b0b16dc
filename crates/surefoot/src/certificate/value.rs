//! What a certificate says.

use std::fmt;

use super::{Assumption, Assumptions, Certified, Uncertified};

/// In what sense a certificate is true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// For certain.
    Deterministic,
    /// On average over runs, stopped at a time fixed beforehand.
    Expectation,
    /// In all but a share δ of runs, at all steps at once: one may stop whenever one likes what one sees.
    Probability {
        /// δ.
        delta: f64,
    },
}

impl Kind {
    /// One word: "deterministic", "expectation" or "probability".
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Deterministic => "deterministic",
            Kind::Expectation => "expectation",
            Kind::Probability { .. } => "probability",
        }
    }

    /// δ, if it is one of probability.
    pub fn delta(&self) -> Option<f64> {
        match self {
            Kind::Probability { delta } => Some(*delta),
            _ => None,
        }
    }
}

/// With whose loss a point's is compared. `Display` says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// The best point of the domain.
    Domain,
    /// The best point of the whole space.
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

/// The number that is bounded from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// By how much the loss of the point (penalties included) exceeds that of another.
    Excess(Comparator),
    /// The expected loss of the point.
    Risk,
}

/// What is known of the minimiser over the whole space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimiser {
    /// It lies in the domain; for a μ-strongly convex loss with values ≥ 0 in any ball around 0 of radius √(2L(0)/μ).
    Inside,
    /// Nothing.
    Unknown,
}

/// An upper bound with all that belongs to it.
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
    /// The bound.
    pub value: f64,
    /// In what sense it holds.
    pub kind: Kind,
    /// What it bounds.
    pub subject: Subject,
    /// What it takes for granted.
    pub assumptions: Assumptions,
}

impl Certificate {
    /// The bound as a share of the objective's size.
    pub fn relative(&self, objective: f64) -> f64 {
        self.value / objective.abs().max(f64::MIN_POSITIVE)
    }

    /// With whom the point is compared, if it is.
    pub fn comparator(&self) -> Option<Comparator> {
        match self.subject {
            Subject::Excess(over) => Some(over),
            Subject::Risk => None,
        }
    }

    /// The same bound against the whole space, for a caller who knows that a minimiser lies in the domain.
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

    /// This certificate if its value is a number.
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
