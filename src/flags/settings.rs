//! Settings of a model: built from flags, and compared with the settings of an existing model.

use super::{
    cli::{CertifyArgs, LossName, SettingsArgs, data::YesNo},
    values::PenaltyStrength,
};
use crate::{failure::Failure, words::number::shortest};
use surefoot_glm::{Ball, Bounds, ClassWeights, FeatureGroups, Loss, Penalty, PenaltyTerm, Schema, Settings};

/// Default error probability δ of certificates (bounds on the loss that hold with probability 1 − δ).
const DELTA: f64 = 0.05;

/// Builds the settings of a new model from flags.
pub(crate) fn of_flags(flags: &SettingsArgs, certify: &CertifyArgs) -> Result<Settings, Failure> {
    let loss = loss(flags);
    let (penalty, groups) = (penalty(flags)?, groups(flags));
    if flags.standardize.is_some() && flags.l1.is_none() && flags.l2.is_none() {
        let message = match flags.radius {
            Some(_) => "--standardize is about --l1 and --l2, which --radius excludes: leave it out",
            None => "--standardize says in which units --l1 and --l2 penalise weights: add one of them",
        };
        return Err(Failure::usage(message));
    }
    Ok(Settings {
        loss,
        class_weights: flags.class_weight.clone(),
        penalty,
        groups,
        intercept: !flags.no_intercept,
        reading: Schema::default(),
        ball: flags.radius.map(|radius| Ball {
            radius,
            row_norm: certify.row_norm,
            delta: certify.error_probability.unwrap_or(DELTA),
        }),
    })
}

/// Builds the penalty of the training objective from `--l1`, `--l2`, `--standardize` and the bounds of weights; returns an error if both
/// `--l1` and `--l2` are `auto`.
fn penalty(flags: &SettingsArgs) -> Result<Penalty, Failure> {
    let given = |strength: Option<PenaltyStrength>| match strength {
        Some(PenaltyStrength::Given(x)) => x,
        _ => 0.0,
    };
    let path = match (flags.l1, flags.l2) {
        (Some(PenaltyStrength::Auto), Some(PenaltyStrength::Auto)) => {
            return Err(Failure::usage("one penalty can be chosen: give --l1 or --l2 a number"));
        }
        (Some(PenaltyStrength::Auto), _) => Some(PenaltyTerm::L1),
        (_, Some(PenaltyStrength::Auto)) => Some(PenaltyTerm::L2),
        _ => None,
    };
    let standardize = flags.standardize.map_or(path.is_some(), |given| given == YesNo::Yes);
    Ok(Penalty { l1: given(flags.l1), l2: given(flags.l2), bounds: bounds(flags)?, path, standardize })
}

/// Returns the bounds for all weights that no `--bounds` with a feature name covers: those of `--nonneg` or of the last `--bounds` without
/// a name.
fn bounds(flags: &SettingsArgs) -> Result<Bounds, Failure> {
    let given = flags.bounds.iter().rev().find(|(name, _)| name.is_none()).map(|(_, bounds)| *bounds);
    match (flags.nonneg, given) {
        (true, Some(given)) if given != Bounds::NONNEGATIVE => {
            let given = range(given);
            Err(Failure::usage(format!(
                "--nonneg means the same as '--bounds 0,', and --bounds {given} was given: leave one out"
            )))
        }
        (true, _) => Ok(Bounds::NONNEGATIVE),
        (false, given) => Ok(given.unwrap_or_default()),
    }
}

/// Returns the groups of features with a penalty factor or bounds of their own, from `--penalty-factor` and `--bounds`.
fn groups(flags: &SettingsArgs) -> FeatureGroups {
    let bounds = flags.bounds.iter().filter_map(|(name, bounds)| Some((name.clone()?, *bounds)));
    FeatureGroups { factors: flags.penalty_factor.clone(), bounds: bounds.collect() }
}

/// Formats bounds of weights in the syntax of `--bounds`.
fn range(bounds: Bounds) -> String {
    let text = |bound: f64| if bound.is_finite() { shortest(bound) } else { String::new() };
    format!("{},{}", text(bounds.low()), text(bounds.high()))
}

/// Returns an error if a penalty factor or bound given by a flag differs from that of the model.
fn check_groups(flags: &SettingsArgs, settings: &Settings, model: &str) -> Result<(), Failure> {
    let of_all = |bounds: Bounds| match bounds {
        Bounds::FREE => "weights of any sign".to_owned(),
        Bounds::NONNEGATIVE => "--nonneg".to_owned(),
        _ => format!("--bounds {}", range(bounds)),
    };
    let (given, has) = (bounds(flags)?, settings.penalty.bounds);
    if !given.is_free() {
        compare(model, &of_all(given), &of_all(has))?;
    }
    let list = |flag: &str, list: Vec<String>| match list.is_empty() {
        true => format!("no {flag} of groups"),
        false => list.iter().map(|one| format!("{flag} {one}")).collect::<Vec<_>>().join(" "),
    };
    let factors = |groups: &FeatureGroups| {
        let factors = groups.factors.iter().map(|(name, factor)| format!("{name}={}", shortest(*factor)));
        list("--penalty-factor", factors.collect())
    };
    let bounds = |groups: &FeatureGroups| {
        let bounds = groups.bounds.iter().map(|(name, bounds)| format!("{name}={}", range(*bounds)));
        list("--bounds", bounds.collect())
    };
    let given = groups(flags);
    if !given.factors.is_empty() {
        compare(model, &factors(&given), &factors(&settings.groups))?;
    }
    if !given.bounds.is_empty() {
        compare(model, &bounds(&given), &bounds(&settings.groups))?;
    }
    Ok(())
}

/// Returns the loss chosen by flags, including its parameter.
pub(crate) fn loss(flags: &SettingsArgs) -> Loss {
    let mut loss = flags.loss.map_or(Loss::Logistic, LossName::loss);
    if let Loss::Huber { delta: it } | Loss::Quantile { tau: it } | Loss::Tweedie { power: it } = &mut loss {
        let given =
            parameters(flags).into_iter().find(|(_, _, of)| flags.loss.is_some_and(|name| name.loss().name() == *of));
        *it = given.and_then(|given| given.1).unwrap_or(*it);
    }
    loss
}

/// Returns the three flags that set the parameter of a loss: for each, the name of the flag, its value (`None` if not given), and the name
/// of the loss.
fn parameters(flags: &SettingsArgs) -> [(&'static str, Option<f64>, &'static str); 3] {
    [("delta", flags.delta, "huber"), ("tau", flags.tau, "quantile"), ("power", flags.power, "tweedie")]
}

/// Returns an error if a flag differs from the settings with which the model was trained.
pub(crate) fn check(flags: &SettingsArgs, settings: &Settings, model: &str) -> Result<(), Failure> {
    let loss = |loss: Loss| format!("--loss {}", loss.name());
    let compare = |given: String, has: String| compare(model, &given, &has);
    flags.loss.map_or(Ok(()), |given| compare(loss(given.loss()), loss(settings.loss)))?;
    for (name, given, _) in parameters(flags) {
        let has = settings.loss.parameter().filter(|has| has.0 == name).map(|has| has.1);
        check_number(model, &format!("--{name}"), given, has)?;
    }
    check_number(model, "--radius", flags.radius, settings.ball.map(|ball| ball.radius))?;
    for (flag, given, axis, has) in [
        ("--l1", flags.l1, PenaltyTerm::L1, settings.penalty.l1),
        ("--l2", flags.l2, PenaltyTerm::L2, settings.penalty.l2),
    ] {
        let text = |strength| match strength {
            PenaltyStrength::Auto => format!("{flag} auto"),
            PenaltyStrength::Given(x) => format!("{flag} {}", shortest(x)),
        };
        let chosen = settings.penalty.path == Some(axis);
        // A penalty that was chosen with `auto` may be given as `auto` or as the chosen number.
        let same = |given| given == PenaltyStrength::Given(has) || given == PenaltyStrength::Auto && chosen;
        let has = if chosen { PenaltyStrength::Auto } else { PenaltyStrength::Given(has) };
        given.filter(|given| !same(*given)).map_or(Ok(()), |given| compare(text(given), text(has)))?;
    }
    if let Some(given) = flags.standardize {
        let text = |yes| format!("--standardize {}", if yes { "yes" } else { "no" });
        compare(text(given == YesNo::Yes), text(settings.penalty.standardize))?;
    }
    if let Some(given) = flags.class_weight.as_ref().filter(|given| settings.class_weights.as_ref() != Some(given)) {
        let text = |weights: Option<&ClassWeights>| match weights {
            None => "no --class-weight".to_owned(),
            Some(ClassWeights::Balanced) => "--class-weight balanced".to_owned(),
            Some(ClassWeights::Given(pairs)) => {
                let pairs: Vec<_> =
                    pairs.iter().map(|(label, weight)| format!("{label}={}", shortest(*weight))).collect();
                format!("--class-weight {}", pairs.join(","))
            }
        };
        compare(text(Some(given)), text(settings.class_weights.as_ref()))?;
    }
    check_groups(flags, settings, model)?;
    match flags.no_intercept && settings.intercept {
        true => compare("--no-intercept".to_owned(), "an intercept".to_owned()),
        false => Ok(()),
    }
}

/// Returns an error if `--row-norm` or `--error-probability` differs from the settings of the model.
pub(crate) fn check_certify(flags: &CertifyArgs, settings: &Settings, model: &str) -> Result<(), Failure> {
    check_number(model, "--row-norm", flags.row_norm, settings.ball.and_then(|ball| ball.row_norm))?;
    check_number(model, "--error-probability", flags.error_probability, settings.ball.map(|ball| ball.delta))
}

fn check_number(model: &str, flag: &str, given: Option<f64>, has: Option<f64>) -> Result<(), Failure> {
    let text = |x: Option<f64>| x.map_or_else(|| format!("no {flag}"), |x| format!("{flag} {}", shortest(x)));
    given.map_or(Ok(()), |given| compare(model, &text(Some(given)), &text(has)))
}

pub(crate) fn compare(model: &str, given: &str, has: &str) -> Result<(), Failure> {
    match given == has {
        true => Ok(()),
        false => Err(Failure::usage(format!("{model}: trained with {has}, {given} was given; leave the flag out"))),
    }
}
