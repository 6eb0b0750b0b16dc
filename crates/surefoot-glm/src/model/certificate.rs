//! What is known of how good a model is, as it is stored and printed.

use serde::{Deserialize, Serialize};
use surefoot::certificate::{self as core, Kind};

/// A bound on how good a model is, by how it is true; or why there is none.
///
/// ```
/// use surefoot_glm::Certificate;
/// let none = Certificate::none("no domain");
/// assert_eq!(serde_json::to_string(&none).unwrap(), r#"{"kind":"none","reason":"no domain"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Certificate {
    /// For certain.
    Deterministic(Bound),
    /// On average over runs of a length fixed beforehand.
    Expectation(Bound),
    /// In all but a share δ of runs, whenever they are stopped.
    Probability(Bound),
    /// There is none.
    None {
        /// Why, and what would give one.
        reason: String,
    },
}

/// What is bounded, and from above by what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// What is bounded.
    pub subject: Subject,
    /// The bound.
    pub value: f64,
    /// The bound as a share of the objective, where that is known.
    pub relative: Option<f64>,
    /// The probability with which the certificates of probability of a model, taken together, are false.
    pub delta: Option<f64>,
    /// Whether the mean is over rows, of their weight times their loss, because some have another weight than 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
    /// With whom the model is compared, if it is.
    pub comparator: Option<String>,
    /// What is taken for granted, in words.
    pub assumptions: Vec<String>,
}

/// What a [`Bound`] bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// By how much the model's mean loss exceeds the comparator's.
    Excess,
    /// The model's mean loss on new rows.
    Risk,
}

impl Certificate {
    /// None, for this reason.
    #[must_use]
    pub fn none(reason: impl Into<String>) -> Certificate {
        Certificate::None { reason: reason.into() }
    }

    /// What is bounded, if something is.
    #[must_use]
    pub fn bound(&self) -> Option<&Bound> {
        match self {
            Certificate::Deterministic(bound) | Certificate::Expectation(bound) | Certificate::Probability(bound) => {
                Some(bound)
            }
            Certificate::None { .. } => None,
        }
    }

    /// The same for rows with weights of their own.
    pub(crate) fn weighted(mut self) -> Certificate {
        if let Certificate::Expectation(bound) | Certificate::Probability(bound) = &mut self {
            bound.weighted = true;
            bound.assumptions.push("the mean is over rows, of their weight times their loss".to_owned());
        }
        self
    }

    /// One of the library's, with the objective where it is known, and `delta` where this is one of several that hold
    /// together.
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
