//! Certificates of models, as stored and printed.

use serde::{Deserialize, Serialize};
use surefoot::certificate::{self as core, Kind};

/// A bound on the quality of a model, by the sense in which it holds; or the reason why there is none.
///
/// ```
/// use surefoot_glm::Certificate;
/// let none = Certificate::none("no domain");
/// assert_eq!(serde_json::to_string(&none).unwrap(), r#"{"kind":"none","reason":"no domain"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Certificate {
    /// Holds for certain.
    Deterministic(Bound),
    /// Holds in expectation over runs of a length fixed beforehand.
    Expectation(Bound),
    /// Holds with probability 1 − δ over runs, at any stopping time.
    Probability(Bound),
    /// There is none.
    None {
        /// The reason, and what would give a certificate.
        reason: String,
    },
}

/// An upper bound, and what it bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The bounded quantity.
    pub subject: Subject,
    /// The bound, in units of the loss.
    pub value: f64,
    /// The bound divided by the objective, where that is known.
    pub relative: Option<f64>,
    /// Failure probability δ of all probabilistic certificates of a model taken together.
    pub delta: Option<f64>,
    /// Whether the bound is on the mean over rows of weight times loss, because some weights are not 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
    /// The model or set of models compared with, for excess losses.
    pub comparator: Option<String>,
    /// Assumptions of the bound, in words.
    pub assumptions: Vec<String>,
}

/// The quantity that a [`Bound`] bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Excess of the model's mean loss over the comparator's.
    Excess,
    /// The model's mean loss on new rows.
    Risk,
}

impl Certificate {
    /// No certificate, for this reason.
    #[must_use]
    pub fn none(reason: impl Into<String>) -> Certificate {
        Certificate::None { reason: reason.into() }
    }

    /// The bound, if there is one.
    #[must_use]
    pub fn bound(&self) -> Option<&Bound> {
        match self {
            Certificate::Deterministic(bound) | Certificate::Expectation(bound) | Certificate::Probability(bound) => {
                Some(bound)
            }
            Certificate::None { .. } => None,
        }
    }

    /// Marks the bound as one for rows with weights other than 1.
    pub(crate) fn weighted(mut self) -> Certificate {
        if let Certificate::Expectation(bound) | Certificate::Probability(bound) = &mut self {
            bound.weighted = true;
            bound.assumptions.push("the mean is over rows, of their weight times their loss".to_owned());
        }
        self
    }

    /// Converts a certificate of the library; `objective` where it is known, `delta` if it is one of several that hold
    /// jointly.
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
