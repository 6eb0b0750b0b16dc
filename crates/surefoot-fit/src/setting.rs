//! Contradictory settings, as data.

use std::fmt;
use surefoot_glm::Loss;

/// Contradictory settings, or a setting out of its range.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contradiction {
    /// A number is out of its range.
    Range(String),
    /// A ball, and a penalty or bounds of weights.
    BallAndPenalty,
    /// Factors of a penalty that is none.
    FactorsWithoutPenalty,
    /// A ball and weights of classes.
    BallAndClassWeights,
    /// A ball and a loss of more than two classes.
    BallAndClasses(Loss),
    /// A ball and offsets or exposures.
    BallAndOffsets,
    /// Numbers of trials, and a ball or weights of classes.
    TrialsAndBallOrClassWeights,
    /// A ball and a search for the optimum, which a penalty holds.
    BallAndOptimum,
    /// Held-out rows and a search for the optimum over all rows.
    HoldoutAndOptimum,
    /// A penalty that is to be chosen in passes, of a loss of more than two classes: its optimum is needed.
    ChoiceNeedsOptimum(Loss),
    /// No passes, or a period of held-out rows of less than 2.
    Passes,
    /// Means or probabilities, of a loss of classes that has none.
    MeanNeedsProbabilities(Loss),
    /// A class, of a loss of numbers.
    ClassNeedsClasses(Loss),
    /// A gap to stop at, of a problem without ball and without optimum.
    GapWithoutBall,
    /// A gap to stop at, of an optimum that no penalty holds.
    GapWithoutPenalty,
    /// A gap to stop at, of rows that come once and whose norms have no known bound.
    GapNeedsRowNorm,
    /// A gap to stop at, of rows that come once, with a loss of numbers.
    GapNeedsClasses,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Contradiction::Range(what) => return f.write_str(what),
            Contradiction::BallAndClasses(loss) => {
                return write!(f, "a ball takes a loss with one margin per row, and {} has one per class", loss.name());
            }
            Contradiction::ChoiceNeedsOptimum(loss) => {
                return write!(
                    f,
                    "with the {} loss a penalty is chosen by optima: seek the optimum, or give it",
                    loss.name()
                );
            }
            Contradiction::MeanNeedsProbabilities(loss) => {
                return write!(f, "the {} loss has no probabilities: predict margins or classes", loss.name());
            }
            Contradiction::ClassNeedsClasses(loss) => {
                return write!(f, "the {} loss has no classes: predict means or margins", loss.name());
            }
            Contradiction::BallAndPenalty => "a ball and a penalty or bounds of weights exclude each other",
            Contradiction::FactorsWithoutPenalty => "factors multiply an L1 or L2 penalty: add one",
            Contradiction::BallAndClassWeights => "a ball and weights of classes exclude each other: weight the rows",
            Contradiction::BallAndOffsets => "a ball and offsets or exposures exclude each other",
            Contradiction::TrialsAndBallOrClassWeights => {
                "trials exclude a ball and weights of classes: weight the rows"
            }
            Contradiction::BallAndOptimum => {
                "the optimum is that of a penalty, not of a ball: give an L2 penalty instead"
            }
            Contradiction::HoldoutAndOptimum => "the optimum is that of all rows: hold none out",
            Contradiction::Passes => "at least one pass is needed, and rows held out are at most every second one",
            Contradiction::GapWithoutBall => {
                "a gap bounds how much better a model could be, which needs a ball, or the optimum with a penalty"
            }
            Contradiction::GapWithoutPenalty => {
                "the gap of an optimum is certified if a penalty holds it: add an L2 penalty"
            }
            Contradiction::GapNeedsRowNorm => {
                "rows that come once have a certificate if a bound on their norms is known"
            }
            Contradiction::GapNeedsClasses => {
                "rows that come once have a certificate with losses of classes only: give rows that can be read again"
            }
        };
        f.write_str(text)
    }
}

impl std::error::Error for Contradiction {}
