//! Certificates of models, as they are stored in model files and reported to the user.

use serde::{Deserialize, Serialize};
use surefoot::certificate::{self as core, Kind};

/// A bound on the quality of a model, by the sense in which the bound holds, or the reason why there is no bound.
///
/// ```
/// use surefoot_glm::Certificate;
/// let none = Certificate::none("no domain");
/// assert_eq!(serde_json::to_string(&none).unwrap(), r#"{"kind":"none","reason":"no domain"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Certificate {
    /// A bound that holds for certain.
    Deterministic(Bound),
    /// A bound that holds in expectation over runs of a length fixed beforehand.
    Expectation(Bound),
    /// A bound that holds with probability 1 − δ over runs, at any stopping time.
    Probability(Bound),
    /// There is no bound.
    None {
        /// Reason why there is no certificate, with the settings that would give one.
        reason: String,
    },
}

/// An upper bound on the quality of a model, with its subject and its assumptions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Quantity that is bounded.
    pub subject: Subject,
    /// Value of the bound, in units of the loss.
    pub value: f64,
    /// Value of the bound divided by the value of the objective; `None` if the objective is unknown.
    pub relative: Option<f64>,
    /// Failure probability δ of all probabilistic certificates of a model taken together; `None` for other
    /// certificates.
    pub delta: Option<f64>,
    /// Whether the bound is on the mean over rows of weight times loss, because some row weights are not 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
    /// Description of the model or set of models that the model is compared with; `None` unless the subject is an
    /// excess loss.
    pub comparator: Option<String>,
    /// Assumptions of the bound, in words.
    pub assumptions: Vec<String>,
}

/// Quantity that a [`Bound`] bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Excess of the model's mean loss over the comparator's mean loss.
    Excess,
    /// Mean loss of the model on new rows.
    Risk,
}

impl Certificate {
    /// Returns the absence of a certificate, for the given reason.
    #[must_use]
    pub fn none(reason: impl Into<String>) -> Certificate {
        Certificate::None { reason: reason.into() }
    }

    /// Returns the bound, if there is one.
    #[must_use]
    pub fn bound(&self) -> Option<&Bound> {
        match self {
            Certificate::Deterministic(bound) | Certificate::Expectation(bound) | Certificate::Probability(bound) => {
                Some(bound)
            }
            Certificate::None { .. } => None,
        }
    }

    /// Marks a probabilistic bound as a bound for rows with weights other than 1.
    pub(crate) fn weighted(mut self) -> Certificate {
        if let Certificate::Expectation(bound) | Certificate::Probability(bound) = &mut self {
            bound.weighted = true;
            bound.assumptions.push("the mean is over rows, of their weight times their loss".to_owned());
        }
        self
    }

    /// Converts a certificate of the `surefoot` crate. `objective` is the value of the objective where it is known;
    /// `delta` is the joint failure probability if the certificate is one of several that hold jointly.
    pub(crate) fn of(found: &core::Certificate, objective: Option<f64>, delta: Option<f64>) -> Certificate {
        let subject = match found.subject {
            core::Subject::Excess(_) => Subject::Excess,
            core::Subject::Risk => Subject::Risk,
        };
        let bound = Bound {
            subject,
            value: found.value,
            relative: objective.map(|objective| found.relative(objective)).filter(|relative| relative.is_finite()),
            delta: delta.or(found.kind.delta()),
            weighted: false,
            comparator: found.comparator().map(|over| over.to_string()),
            assumptions: found.assumptions.iter().map(|assumption| assumption.to_string()).collect(),
        };
        match found.kind {
            Kind::Deterministic => Certificate::Deterministic(bound),
            Kind::Expectation => Certificate::Expectation(bound),
            Kind::Probability { .. } => Certificate::Probability(bound),
        }
    }
}
