//! Reasons why a run has no certificate.

use std::{error, fmt};

use super::Certificate;

/// Result of a request for a certificate: the certificate, or the reason why there is none.
pub type Certified = Result<Certificate, Uncertified>;

/// A reason why a run has no certificate; [`remedy`](Uncertified::remedy) says how to obtain one.
///
/// ```
/// use surefoot::certificate::Uncertified;
/// assert_eq!(
///     Uncertified::ReusedRows.to_string(),
///     "rows were used more than once, so gradients are biased given the past; take one pass over fresh rows, draw \
///      with replacement, or make a full pass for a Fenchel gap"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Uncertified {
    /// No round of the run has been completed.
    NoRounds,
    /// The run did not keep the sums that the certificate needs.
    NoSums,
    /// Nothing bounds the minimiser: neither a bounded domain nor a penalty that grows fast enough.
    Unbounded,
    /// The gradients come from rows used before: a second pass or shuffled epochs.
    ReusedRows,
    /// No bound on the norm of the gradients was declared.
    NoGradientBound,
    /// A gradient or a loss exceeded its declared bound.
    BoundBroken,
    /// A point of the run lies outside of the domain, so the learner does not stay in the domain.
    Outside,
    /// The minimiser over the whole space may lie outside of the domain.
    MinimiserOutside,
    /// The weight of a round was not announced before its examples, or the number of examples or rounds does not match
    /// the announcement.
    Unannounced,
    /// The changes in loss from queries x_t to outputs y_t of Algorithm 4 are unknown: neither loss values, a
    /// smoothness constant, nor gradients at y_t were given.
    NoRises,
    /// The changes in loss in the steps of Algorithm 4 were measured on the batch that gave the gradient, so they are
    /// biased.
    SameBatch,
    /// A bound in probability was requested, but the changes in loss in the steps of Algorithm 4 were measured on
    /// samples, whose noise is not bounded.
    NoisyValues,
    /// The gradients are noisy, but the certificate needs exact gradients.
    Noisy,
    /// The learner handles a penalty that the sums of gradients do not include.
    Penalised,
    /// A noisy gradient was refused, for instance because it is not finite, so the remaining gradients are a biased
    /// sample.
    Refused,
    /// A round has a positive weight but no examples.
    Empty,
    /// A weight or a distance is negative, infinite or NaN.
    Negative,
    /// The number of coordinates of the given point differs from that of the sums.
    Dimension,
    /// The certificate, or a sum that it needs, is infinite or NaN.
    NotFinite,
}

impl Uncertified {
    /// Returns the reason why there is no certificate, as an English phrase.
    pub fn reason(&self) -> &'static str {
        match self {
            Uncertified::NoRounds => "no round has been closed",
            Uncertified::NoSums => "the sums for a certificate were not kept",
            Uncertified::Unbounded => "neither domain nor penalty bounds the minimiser",
            Uncertified::ReusedRows => "rows were used more than once, so gradients are biased given the past",
            Uncertified::NoGradientBound => "no bound on the gradients is known",
            Uncertified::BoundBroken => "a gradient or a loss was above its declared bound",
            Uncertified::Outside => "a point lies outside of the domain",
            Uncertified::MinimiserOutside => "the minimiser may lie outside of the domain",
            Uncertified::Unannounced => "a round's weight and size were not announced before its examples",
            Uncertified::NoRises => "nothing is known about the steps from x_t to y_t",
            Uncertified::SameBatch => "the steps from x_t to y_t were measured on the batch of the gradient",
            Uncertified::NoisyValues => {
                "the steps from x_t to y_t were measured on samples, whose noise is not bounded"
            }
            Uncertified::Noisy => "gradients are noisy",
            Uncertified::Penalised => "the learner counts a penalty that the sums of gradients do not know",
            Uncertified::Refused => "a noisy gradient was refused, which biases those that were not",
            Uncertified::Empty => "a round has a weight and no examples",
            Uncertified::Negative => "a weight or a distance is negative or not a number",
            Uncertified::Dimension => "the point has another dimension than the sums",
            Uncertified::NotFinite => "a sum is not finite",
        }
    }

    /// Returns advice on how to obtain a certificate, as an English phrase.
    pub fn remedy(&self) -> &'static str {
        match self {
            Uncertified::NoRounds => "tell a gradient first",
            Uncertified::NoSums => "ask for them before the first round",
            Uncertified::Unbounded => "give a radius, or a squared penalty",
            Uncertified::ReusedRows => {
                "take one pass over fresh rows, draw with replacement, or make a full pass for a Fenchel gap"
            }
            Uncertified::NoGradientBound => "declare one: for a linear model, the longest row times the steepest slope",
            Uncertified::BoundBroken => "declare a larger one and run again",
            Uncertified::Outside => "use a learner that projects onto the domain",
            Uncertified::MinimiserOutside => "give a larger radius, or compare with the best point of the domain only",
            Uncertified::Unannounced => "open each round with its weight and size, and tell all of its examples",
            Uncertified::NoRises => "tell values, a smoothness constant, or gradients at y_t",
            Uncertified::SameBatch => "measure on a fresh sample",
            Uncertified::NoisyValues => "use the bound in expectation, or Algorithm 3",
            Uncertified::Noisy => "use exact gradients, or a certificate in probability",
            Uncertified::Penalised => {
                "keep the sums of a Composite certificate, which is told the penalty at each iterate"
            }
            Uncertified::Refused => "scale the data, so that no gradient is refused",
            Uncertified::Empty => "give it the weight 0, or examples",
            Uncertified::Negative => "tell weights and distances that are finite and not negative",
            Uncertified::Dimension => "give the output of the run",
            Uncertified::NotFinite => "scale the data",
        }
    }
}

impl fmt::Display for Uncertified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason(), self.remedy())
    }
}

impl error::Error for Uncertified {}
