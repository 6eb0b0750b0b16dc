//! Contradictory settings of a fit, as an enum rather than text.

use std::fmt;
use surefoot_glm::Loss;

/// Contradiction between settings of a fit, or a setting out of its range.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contradiction {
    /// Number out of its valid range, with a message.
    Range(String),
    /// Ball constraint together with a penalty or with bounds of weights.
    BallAndPenalty,
    /// Penalty factors for groups of features, without an L1 or L2 penalty.
    FactorsWithoutPenalty,
    /// Ball constraint together with class weights.
    BallAndClassWeights,
    /// Ball constraint together with a loss of more than two classes.
    BallAndClasses(Loss),
    /// Ball constraint together with offsets or exposures.
    BallAndOffsets,
    /// Numbers of trials per row together with a ball constraint or with class weights.
    TrialsAndBallOrClassWeights,
    /// Ball constraint together with a search for the optimum, which supports penalties only.
    BallAndOptimum,
    /// Held-out rows together with a search for the optimum over all rows.
    HoldoutAndOptimum,
    /// Choice of a penalty without a search for the optimum, for a loss of more than two classes. Such losses need the search,
    /// because their penalties are compared at their optima.
    ChoiceNeedsOptimum(Loss),
    /// Zero passes, or a hold-out period below 2.
    Passes,
    /// Prediction of means or probabilities for a classification loss that provides no probabilities.
    MeanNeedsProbabilities(Loss),
    /// Prediction of a class for a regression loss.
    ClassNeedsClasses(Loss),
    /// Certified gap to stop at, for a run without a ball constraint and without a search for the optimum.
    GapWithoutBall,
    /// Certified gap to stop at, for a search for the optimum with neither a penalty nor finite bounds of weights.
    GapWithoutPenalty,
    /// Certified gap to stop at, for rows that can be read only once and whose norms have no known bound.
    GapNeedsRowNorm,
    /// Certified gap to stop at, for rows that can be read only once, with a regression loss.
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
