//! Settings from flags, and flags held against the settings of a model.

use crate::{cli::SettingsArgs, failure::Failure, number};
use surefoot_glm::{Loss, Settings};
use surefoot_io::{Format, InputName, Options};

/// The settings of a fit from scratch.
pub(crate) fn of_flags(flags: &SettingsArgs, inputs: &[InputName]) -> Settings {
    let format = flags.format.map_or_else(|| Format::of(inputs).name, |format| format.name());
    Settings {
        loss: flags.loss.map_or(Loss::Logistic, Loss::from),
        intercept: !flags.no_intercept,
        format: format.to_owned(),
        index_base: flags.index_base.unwrap_or(0),
        bits: flags.bits,
    }
}

/// Checks that no flag differs from what the model was trained with.
pub(crate) fn check(flags: &SettingsArgs, settings: &Settings, model: &str) -> Result<(), Failure> {
    let differs = |flag: &str, given: &str, has: &str| {
        let says = format!("{model}: trained with {has}, but {flag} {given} was given; leave the flag out");
        Err(Failure::usage(says.replace(" ,", ",").replace("  ", " ")))
    };
    if let Some(loss) = flags.loss.map(Loss::from)
        && loss != settings.loss
    {
        return differs("--loss", loss.name(), &format!("--loss {}", settings.loss.name()));
    }
    if flags.no_intercept && settings.intercept {
        return differs("--no-intercept", "", "an intercept");
    }
    if let Some(base) = flags.index_base
        && base != settings.index_base
    {
        return differs("--index-base", &base.to_string(), &format!("--index-base {}", settings.index_base));
    }
    if let Some(bits) = flags.bits
        && settings.bits != Some(bits)
    {
        let has = settings.bits.map_or_else(|| "no --bits".to_owned(), |bits| format!("--bits {bits}"));
        return differs("--bits", &bits.to_string(), &has);
    }
    Ok(())
}

/// How rows are read for a model; `--format` may say that these data come in another one.
pub(crate) fn reading(flags: &SettingsArgs, settings: &Settings, model: &str) -> Result<Options, Failure> {
    let name = flags.format.map_or(settings.format.as_str(), |format| format.name());
    let Some(format) = Format::named(name) else {
        return Err(Failure::data(format!("{model}: its data format '{name}' is not known here; update surefoot")));
    };
    Ok(Options { format: Some(format), bits: settings.bits, index_base: settings.index_base, unlabelled: false })
}

/// What the labels stand for, for people; `None` without classes.
pub(crate) fn coding(labels: &surefoot_glm::Labels) -> Option<String> {
    let text = |label: f64| number::shortest(label);
    match (labels.positive, labels.negative) {
        (Some(positive), Some(negative)) => {
            Some(format!("{} is positive, {} negative", text(positive), text(negative)))
        }
        (Some(only), None) | (None, Some(only)) => Some(format!("{} is the only one seen", text(only))),
        (None, None) => None,
    }
}
