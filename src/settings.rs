//! Settings from flags, and flags held against the settings of a model.

use crate::{
    cli::{CertifyArgs, SettingsArgs},
    failure::Failure,
    number::shortest,
};
use surefoot_glm::{Ball, Loss, Reading, Settings};
use surefoot_io::{Format, InputName, Options};

/// How likely a certificate may be false unless something else is asked for.
const DELTA: f64 = 0.05;

/// The settings of a fit from scratch.
pub(crate) fn of_flags(flags: &SettingsArgs, certify: &CertifyArgs, inputs: &[InputName]) -> Settings {
    let format = flags.format.map(|format| format.name()).or_else(|| Some(Format::of(inputs)?.name));
    Settings {
        loss: flags.loss.map_or(Loss::Logistic, Loss::from),
        intercept: !flags.no_intercept,
        reading: Reading {
            format: format.unwrap_or_default().to_owned(),
            index_base: flags.index_base.unwrap_or(0),
            bits: flags.bits,
            ..Reading::default()
        },
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
    let base = |base: u8| format!("--index-base {base}");
    let bits = |bits: Option<u8>| bits.map_or_else(|| "no --bits".to_owned(), |bits| format!("--bits {bits}"));
    let compare = |given: String, has: String| compare(model, &given, &has);
    flags.loss.map_or(Ok(()), |given| compare(loss(given.into()), loss(settings.loss)))?;
    flags.index_base.map_or(Ok(()), |given| compare(base(given), base(settings.reading.index_base)))?;
    flags.bits.map_or(Ok(()), |given| compare(bits(Some(given)), bits(settings.reading.bits)))?;
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

fn compare(model: &str, given: &str, has: &str) -> Result<(), Failure> {
    match given == has {
        true => Ok(()),
        false => Err(Failure::usage(format!("{model}: trained with {has}, {given} was given; leave the flag out"))),
    }
}

/// How rows are read for a model; `--format` may say that these data come in another one.
pub(crate) fn reading(flags: &SettingsArgs, settings: &Settings, model: &str) -> Result<Options, Failure> {
    let name = flags.format.map_or(settings.reading.format.as_str(), |format| format.name());
    let format = match name {
        // Pipes tell once they are read.
        "" => None,
        name => Some(Format::named(name).ok_or_else(|| {
            Failure::data(format!("{model}: its data format '{name}' is not known here; update surefoot"))
        })?),
    };
    let (reading, classes) = (settings.reading.clone(), settings.loss.classifies());
    Ok(Options { format, reading, classes, ..Options::default() })
}

/// What the labels stand for, for people; `None` without classes.
pub(crate) fn coding(labels: &surefoot_glm::Labels) -> Option<String> {
    let text = |label: f64| shortest(label);
    match (labels.positive, labels.negative) {
        (Some(positive), Some(negative)) => {
            Some(format!("{} is positive, {} negative", text(positive), text(negative)))
        }
        (Some(only), None) | (None, Some(only)) => Some(format!("{} is the only one seen", text(only))),
        (None, None) => None,
    }
}
