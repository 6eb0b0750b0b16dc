//! Preparation of `predict` and `eval`: the flags are compared with the model, and give the options for reading rows.

use crate::{
    failure::Failure,
    flags::{
        cli::{EvalArgs, Kind, PredictArgs, SettingsArgs, data::DataArgs},
        given::Given,
        reading, settings,
    },
    words::contradictions,
};
use surefoot_fit::{Contradiction, Response};
use surefoot_glm::{Loss, Model};
use surefoot_io::{InputName, Options};

/// Returns the options for reading rows as the model's own were read, once flags and model are found to agree.
fn options(
    (settings, reading, given): (&SettingsArgs, &DataArgs, &Given),
    model: &Model,
    name: &str,
    inputs: &[InputName],
) -> Result<Options, Failure> {
    settings::check(settings, &model.settings, name)?;
    given.check_loss(model.settings.loss)?;
    let mut options = reading::of_model(reading, model, name)?;
    given.check_data(&mut options, inputs)?;
    Ok(options)
}

/// Returns the options for reading labelled rows to measure a model on, called `name` in messages.
pub(crate) fn eval(args: &EvalArgs, model: &Model, name: &str, inputs: &[InputName]) -> Result<Options, Failure> {
    let mut options = options((&args.settings, &args.reading, &args.given), model, name, inputs)?;
    options.wanted.without = reading::without(args.rates, args.unweighted, model, name)?;
    Ok(options)
}

/// Returns the options for reading rows to be predicted by a model, called `name` in messages.
pub(crate) fn predict(args: &PredictArgs, model: &Model, name: &str, inputs: &[InputName]) -> Result<Options, Failure> {
    let mut options = options((&args.settings, &args.reading, &args.given), model, name, inputs)?;
    options.wanted.without = reading::without(args.rates, false, model, name)?;
    options.wanted.id.clone_from(&args.id);
    options.wanted.tags = true;
    options.unlabelled = args.unlabelled;
    Ok(options)
}

/// Returns the response that `--type` names, or the default of the loss.
pub(crate) fn response(kind: Option<Kind>, loss: Loss) -> Result<Response, Contradiction> {
    match kind {
        None => Ok(Response::of(loss)),
        Some(Kind::Margin) => Ok(Response::Margin),
        Some(Kind::Probability) if !loss.classifies() => Err(Contradiction::ClassNeedsClasses(loss)),
        Some(Kind::Probability | Kind::Mean) => Ok(Response::Mean),
        Some(Kind::Class) => Ok(Response::Class),
    }
}

/// Words the reason why a model, called `name`, does not give what is asked for.
pub(crate) fn unsupported(found: &Contradiction, name: &str) -> Failure {
    Failure::usage(format!("{name}: {}", contradictions::words(found)))
}
