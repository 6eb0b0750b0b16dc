//! Certificates: bounds on the quality of a model, stored in model files and reported to the user.

use serde::{Deserialize, Serialize};
use surefoot::certificate::{self as core, Kind};

/// Certificate of a model: an upper bound on its excess loss or risk, by the sense in which the bound holds, or the
/// reason why there is no bound.
///
/// ```
/// use surefoot_glm::Certificate;
/// let none = Certificate::none("no domain");
/// assert_eq!(serde_json::to_string(&none).unwrap(), r#"{"kind":"none","reason":"no domain"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Certificate {
    /// A bound that always holds, without assumptions about randomness.
    Deterministic(Bound),
    /// A bound that holds in expectation over runs whose length is fixed beforehand.
    Expectation(Bound),
    /// A bound that holds with probability 1 − δ over runs, whenever a run is stopped.
    Probability(Bound),
    /// No bound is known.
    None {
        /// Reason why no bound is known, with the settings that would give one.
        reason: String,
    },
}

/// Upper bound on the quantity `subject`, with its assumptions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// Quantity that is bounded: excess loss or risk.
    pub subject: Subject,
    /// Value of the bound, in the unit of the loss.
    pub value: f64,
    /// Value of the bound divided by the model's objective (penalised mean loss); `None` if the objective is unknown.
    pub relative: Option<f64>,
    /// Joint failure probability δ of all probabilistic certificates of the model; `None` if the bound is not
    /// probabilistic.
    pub delta: Option<f64>,
    /// Whether the bounded quantity is a mean of weight times loss over the rows, because some row weights are not 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
    /// Description of the models with which the model is compared, such as all models in a ball; `None` unless
    /// `subject` is [`Excess`](Subject::Excess).
    pub comparator: Option<String>,
    /// Assumptions under which the bound holds, in words.
    pub assumptions: Vec<String>,
}

/// Quantity that a [`Bound`] bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Excess loss: the mean loss of the model minus that of the comparator, the best model of a given set.
    Excess,
    /// Risk: the expected loss of the model on new rows.
    Risk,
}

impl Certificate {
    /// Returns a [`Certificate::None`] with the given reason.
    #[must_use]
    pub fn none(reason: impl Into<String>) -> Certificate {
        Certificate::None { reason: reason.into() }
    }

    /// Returns the bound; `None` if the certificate has none.
    #[must_use]
    pub fn bound(&self) -> Option<&Bound> {
        match self {
            Certificate::Deterministic(bound) | Certificate::Expectation(bound) | Certificate::Probability(bound) => {
                Some(bound)
            }
            Certificate::None { .. } => None,
        }
    }

    /// Marks a probabilistic bound as one on the mean of weight times loss; other certificates stay unchanged.
    pub(crate) fn weighted(mut self) -> Certificate {
        if let Certificate::Expectation(bound) | Certificate::Probability(bound) = &mut self {
            bound.weighted = true;
            bound.assumptions.push("the mean is over rows, of their weight times their loss".to_owned());
        }
        self
    }

    /// Converts a certificate of the `surefoot` crate. `objective` is the value of the model's objective, if known;
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
