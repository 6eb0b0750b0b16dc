//! Contradictory settings of a fit, as data.

use std::fmt;
use surefoot_glm::Loss;

/// Contradictory settings, or a setting out of its range.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Contradiction {
    /// Number out of its range, with the message.
    Range(String),
    /// Ball together with a penalty or with bounds of weights.
    BallAndPenalty,
    /// Factors of a penalty, by groups of features, without an L1 or L2 penalty.
    FactorsWithoutPenalty,
    /// Ball together with class weights.
    BallAndClassWeights,
    /// Ball together with a loss of more than two classes.
    BallAndClasses(Loss),
    /// Ball together with offsets or exposures.
    BallAndOffsets,
    /// Numbers of trials together with a ball or with class weights.
    TrialsAndBallOrClassWeights,
    /// Ball together with a search for the optimum, which supports penalties only.
    BallAndOptimum,
    /// Held-out rows together with a search for the optimum over all rows.
    HoldoutAndOptimum,
    /// Penalty to be chosen during the passes, for a loss of more than two classes, which only supports the choice by optima.
    ChoiceNeedsOptimum(Loss),
    /// Zero passes, or a hold-out period below 2.
    Passes,
    /// Prediction of means or probabilities with a loss of classes that has no probabilities.
    MeanNeedsProbabilities(Loss),
    /// Prediction of a class with a loss of numbers.
    ClassNeedsClasses(Loss),
    /// Gap to stop at, for a run with neither a ball nor an optimum.
    GapWithoutBall,
    /// Gap to stop at, for an optimum with neither a penalty nor finite bounds of weights.
    GapWithoutPenalty,
    /// Gap to stop at, for rows that can be read only once and whose norms have no known bound.
    GapNeedsRowNorm,
    /// Gap to stop at, for rows that can be read only once, with a loss of numbers.
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
