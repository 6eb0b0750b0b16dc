//! Why there is no certificate.

use std::{error, fmt};

use super::Certificate;

/// A certificate, or the reason why there is none.
pub type Certified = Result<Certificate, Uncertified>;

/// The reason why there is no certificate; [`remedy`](Uncertified::remedy) says what would give one.
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
    /// No round has been closed.
    NoRounds,
    /// The sums were not kept.
    NoSums,
    /// No bound on the minimiser: neither a bounded domain nor a penalty that grows.
    Unbounded,
    /// Rows of a second pass or of shuffled epochs.
    ReusedRows,
    /// No bound on the gradients was declared.
    NoGradientBound,
    /// A gradient or a loss was above its declared bound.
    BoundBroken,
    /// A point lies outside of the domain: the learner does not stay in it.
    Outside,
    /// The minimiser over the whole space may lie outside of the domain.
    MinimiserOutside,
    /// The weight of a round was not announced before its examples, or not all examples or rounds were told.
    Unannounced,
    /// Algorithm 4 without values, smoothness or gradients at y_t.
    NoRises,
    /// Algorithm 4 with values from the batch of the gradient.
    SameBatch,
    /// Algorithm 4 with values or slopes of a sample, where a bound in probability was asked for.
    NoisyValues,
    /// Noisy gradients, where only exact ones will do.
    Noisy,
    /// The learner counts a penalty that sums of gradients do not know.
    Penalised,
    /// A gradient was refused, and with it a draw: those that were not are biased by that.
    Refused,
    /// A round with a weight and without examples.
    Empty,
    /// A weight or a distance that is negative or not a number.
    Negative,
    /// A point with more or fewer coordinates than the sums.
    Dimension,
    /// A sum left the range of numbers.
    NotFinite,
}

impl Uncertified {
    /// What stands against it.
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

    /// What would give a certificate.
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
