//! Messages about contradictory settings, in terms of command-line flags.

use surefoot_fit::Contradiction;

/// Returns a message that names the contradictory flags and a remedy.
pub(crate) fn words(contradiction: &Contradiction) -> String {
    let text = match contradiction {
        Contradiction::BallAndPenalty => {
            "--radius and a penalty (--l1, --l2, --penalty-factor, --nonneg, --bounds) exclude each other: leave one out"
        }
        Contradiction::FactorsWithoutPenalty => "--penalty-factor multiplies --l1 and --l2: add one of them",
        Contradiction::BallAndClassWeights => {
            "--class-weight and --radius exclude each other: give rows their weights by --weight"
        }
        Contradiction::BallAndClasses(loss) => {
            return format!("--radius is for losses of one margin, --loss {} has one per class", loss.name());
        }
        Contradiction::BallAndOffsets => "--offset and --exposure and --radius exclude each other",
        Contradiction::TrialsAndBallOrClassWeights => {
            "--trials excludes --radius and --class-weight: leave one out; --weight gives rows weights"
        }
        Contradiction::BallAndOptimum => {
            "--passes auto seeks an optimum that a penalty holds, not a ball: --l2 X in place of --radius"
        }
        Contradiction::HoldoutAndOptimum => "--passes auto holds no rows out: leave --holdout out",
        Contradiction::ChoiceNeedsOptimum(loss) => {
            let name = loss.name();
            return format!(
                "--loss {name} has one margin per class: its penalty is chosen with --passes auto, or given"
            );
        }
        Contradiction::MeanNeedsProbabilities(loss) => {
            let name = loss.name();
            return format!(
                "--type probability and mean need probabilities, which --loss {name} does not provide: use margin or class"
            );
        }
        Contradiction::ClassNeedsClasses(loss) => {
            return format!(
                "--type probability and class need classes, the model has --loss {}: use mean",
                loss.name()
            );
        }
        Contradiction::GapWithoutBall => {
            "--until-gap is about how much better a model could be, which needs bounds on the models: add --radius R, or for \
             --until-gap --passes auto and --l2 X"
        }
        Contradiction::GapWithoutPenalty => {
            "--until-gap with --passes auto is about the gap that a penalty lets be certified: add --l2 X"
        }
        Contradiction::GapNeedsRowNorm => {
            "--until-gap: rows that come once have a certificate only if a bound on them is known: add --row-norm B"
        }
        Contradiction::GapNeedsClasses => {
            "--until-gap: rows that come once have a certificate with losses of classes only: give files, or --passes 2 or more"
        }
        other => return other.to_string(),
    };
    text.to_owned()
}
