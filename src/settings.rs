//! Settings from flags, and flags held against the settings of a model.

use crate::{
    cli::{CertifyArgs, SettingsArgs},
    failure::Failure,
    number::shortest,
};
use surefoot_glm::{Ball, Loss, Reading, Settings};

/// How likely a certificate may be false unless something else is asked for.
const DELTA: f64 = 0.05;

/// The settings of a fit from scratch.
pub(crate) fn of_flags(flags: &SettingsArgs, certify: &CertifyArgs) -> Settings {
    Settings {
        loss: flags.loss.map_or(Loss::Logistic, Loss::from),
        intercept: !flags.no_intercept,
        reading: Reading::default(),
        ball: flags.radius.map(|radius| Ball {
            radius,
            row_norm: certify.row_norm,
            delta: certify.delta.unwrap_or(DELTA),
        }),
    }
}

/// Checks that no flag differs from what the model was trained with.
pub(crate) fn check(flags: &SettingsArgs, settings: &Settings, model: &str) -> Result<(), Failure> {
    let loss = |loss: Loss| format!("--loss {}", loss.name());
    let compare = |given: String, has: String| compare(model, &given, &has);
    flags.loss.map_or(Ok(()), |given| compare(loss(given.into()), loss(settings.loss)))?;
    check_number(model, "--radius", flags.radius, settings.ball.map(|ball| ball.radius))?;
    match flags.no_intercept && settings.intercept {
        true => compare("--no-intercept".to_owned(), "an intercept".to_owned()),
        false => Ok(()),
    }
}

/// The same for what a certificate is made of.
pub(crate) fn check_certify(flags: &CertifyArgs, settings: &Settings, model: &str) -> Result<(), Failure> {
    check_number(model, "--row-norm", flags.row_norm, settings.ball.and_then(|ball| ball.row_norm))?;
    check_number(model, "--delta", flags.delta, settings.ball.map(|ball| ball.delta))
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
