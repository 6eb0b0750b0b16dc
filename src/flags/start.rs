//! Preparation of a fit in one of three ways: with a new model, with a finished model that learns new rows, or with an unfinished model
//! that continues on the same data.

use super::{
    cli::{FitArgs, SelectName},
    given::Given,
    reading, settings,
    values::Passes,
};
use crate::{
    failure::Failure,
    words::{contradictions, number::shortest},
};
use std::path::Path;
use surefoot_fit::{Contradiction, Data, Fit, FitError, TOLERANCE};
use surefoot_glm::{Labels, Model, Plan, Select, Settings, Summary};
use surefoot_io::{Options, load_model};

/// Starting state of a run: the prepared fit, the options for reading rows, and a summary of the model that is continued.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) fit: Fit<'static>,
    /// Options for reading rows, shared with the fit; they also receive the properties of the data that readers infer, such as the format.
    pub(crate) options: Options,
    /// Summary and labels of the model that `--resume` continues; `None` for a new model.
    pub(crate) before: Option<(Summary, Labels)>,
}

impl Start {
    pub(crate) fn new(args: &FitArgs, data: &Data) -> Result<Start, Failure> {
        match &args.resume {
            None => Start::anew(args, data),
            Some(path) => Start::resumed(args, Path::new(path), data),
        }
    }

    fn anew(args: &FitArgs, data: &Data) -> Result<Start, Failure> {
        args.given.check_loss(settings::loss(&args.settings))?;
        let settings = settings::of_flags(&args.settings, &args.certify)?;
        let plan = plan(args)?;
        let mut options = reading::of_flags(&args.reading, &settings);
        check_certify(args, &settings)?;
        let fit = Fit::with_settings(settings.clone()).with_plan(plan).shuffle(shuffle(args));
        Start::finish(args, fit, &mut options, data, |given| given.check_plan(&settings, &plan), None)
    }

    fn resumed(args: &FitArgs, path: &Path, data: &Data) -> Result<Start, Failure> {
        Start::from_model(args, load_model(path)?, &path.display().to_string(), data)
    }

    /// Prepares a fit that goes on from a model, called `name` in messages.
    pub(crate) fn from_model(args: &FitArgs, model: Model, name: &str, data: &Data) -> Result<Start, Failure> {
        settings::check(&args.settings, &model.settings, name)?;
        settings::check_certify(&args.certify, &model.settings, name)?;
        let mut options = reading::of_model(&args.reading, &model, name)?;
        let (settings, before) = (model.settings.clone(), (model.summary.clone(), model.labels.clone()));
        let fit = Fit::resume(model)
            .map_err(|_| Failure::data(format!("{name}: cannot be resumed: where its run stood is not readable")))?;
        let interrupted = fit.interrupted_in().is_some();
        let plan = if interrupted { planned(args, fit.plan(), name)? } else { plan(args)? };
        check_certify(args, &settings)?;
        let seed = if interrupted { shuffled(args, fit.seed(), name)? } else { shuffle(args) };
        args.given.check_loss(settings.loss)?;
        let fit = fit.with_plan(plan).shuffle(seed);
        Start::finish(args, fit, &mut options, data, |given| given.check_plan(&settings, &plan), Some(before))
    }

    fn finish(
        args: &FitArgs,
        fit: Fit<'static>,
        options: &mut Options,
        data: &Data,
        check_plan: impl FnOnce(&Given) -> Result<(), Failure>,
        before: Option<(Summary, Labels)>,
    ) -> Result<Start, Failure> {
        let fit = fit.until_gap(args.certify.until_gap).reading(options.clone());
        fit.check(data).map_err(FitError::Setting)?;
        check_plan(&args.given)?;
        args.given.check_data(options, data.inputs())?;
        options.groups = fit.settings().groups.clone();
        let fit = fit.reading(options.clone());
        Ok(Start { fit, options: options.clone(), before })
    }
}

/// Builds the plan of a fit from flags: the number of passes, the held-out rows, and whether to search for the optimum.
fn plan(args: &FitArgs) -> Result<Plan, Failure> {
    let passes = match args.passes {
        Some(Passes::Auto) => {
            let optimum = Some(args.tol.unwrap_or(TOLERANCE));
            let select = args.select.map_or(Select::Min, SelectName::select);
            let holdout = args.holdout.and_then(|holdout| holdout.0);
            return Ok(Plan { holdout, optimum, select, ..Plan::ONE_PASS });
        }
        Some(Passes::Times(passes)) => passes,
        None => Plan::ONE_PASS.passes,
    };
    // With `--until-gap` no rows are held out, because the gap is measured over all rows, and held-out ones are learnt only at the end.
    let usual = if args.certify.until_gap.is_some() { None } else { Plan::ONE_PASS.holdout };
    Ok(Plan { passes, holdout: args.holdout.map_or(usual, |holdout| holdout.0), ..Plan::ONE_PASS })
}

/// Returns an error if `--row-norm` or `--error-probability`, which only affect certificates of a ball constraint, is given without
/// `--radius`.
fn check_certify(args: &FitArgs, settings: &Settings) -> Result<(), Failure> {
    let flags = &args.certify;
    let given = [("--row-norm", flags.row_norm.is_some()), ("--error-probability", flags.error_probability.is_some())];
    let given = given.into_iter().find(|(_, given)| *given && settings.ball.is_none());
    match (given, flags.until_gap) {
        (None, _) => Ok(()),
        (Some(_), Some(_)) => Err(Failure::usage(contradictions::words(&Contradiction::GapWithoutBall))),
        (Some((flag, _)), None) => {
            let text = contradictions::words(&Contradiction::GapWithoutBall);
            Err(Failure::usage(text.replacen("--until-gap", flag, 1)))
        }
    }
}

/// Returns the seed for shuffling rows; `None` without `--shuffle`.
fn shuffle(args: &FitArgs) -> Option<u64> {
    args.shuffle.then(|| args.seed.unwrap_or(0))
}

/// Returns the shuffle seed of an interrupted run, or an error if the flags give another seed.
fn shuffled(args: &FitArgs, shuffled: Option<u64>, model: &str) -> Result<Option<u64>, Failure> {
    let given = args.shuffle.then(|| args.seed.or(shuffled).unwrap_or(0));
    if given.is_none() || given == shuffled {
        return Ok(shuffled);
    }
    let text =
        |seed: Option<u64>| seed.map_or_else(|| "no --shuffle".to_owned(), |seed| format!("--shuffle --seed {seed}"));
    let (has, given) = (text(shuffled), text(given));
    Err(Failure::usage(format!("{model}: interrupted in a run with {has}, but {given} was given; leave the flags out")))
}

/// Returns the stored plan (number of passes, held-out rows, search for the optimum) of an interrupted run, or an error if the flags give
/// another plan.
fn planned(args: &FitArgs, plan: Plan, model: &str) -> Result<Plan, Failure> {
    let differs = |flag, given: String, has: String| {
        Err(Failure::usage(format!(
            "{model}: interrupted in a run with {flag} {has}, but {flag} {given} was given; leave the flag out"
        )))
    };
    let holdout = |period: Option<u32>| period.map_or_else(|| "none".to_owned(), |period| period.to_string());
    let passes = if plan.optimum.is_some() { Passes::Auto } else { Passes::Times(plan.passes) };
    match (args.passes, args.holdout, args.tol) {
        (Some(given), _, _) if given != passes => differs("--passes", given.to_string(), passes.to_string()),
        (_, Some(given), _) if given.0 != plan.holdout => differs("--holdout", holdout(given.0), holdout(plan.holdout)),
        (_, _, Some(given)) if Some(given) != plan.optimum => {
            let has = plan.optimum.map_or_else(|| "none".to_owned(), shortest);
            differs("--tol", shortest(given), has)
        }
        _ => match args.select.map(SelectName::select) {
            Some(given) if given != plan.select => {
                let name = |select| if select == Select::Min { "min" } else { "1se" };
                differs("--select", name(given).to_owned(), name(plan.select).to_owned())
            }
            _ => Ok(plan),
        },
    }
}
