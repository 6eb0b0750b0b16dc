//! What a fit begins with: a new model, a finished one that takes new rows, or an unfinished one whose data are
//! read again.

use crate::number::shortest;
use crate::{
    cli::{FitArgs, SelectName},
    failure::Failure,
    reading,
    resume::Standing,
    settings,
    values::Passes,
};
use std::path::Path;
use surefoot_glm::{Bounds, Labels, Model, Penalty, Plan, Select, Settings};
use surefoot_io::{InputName, Options, load_model};

/// Everything that a run begins with.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) model: Option<Model>,
    pub(crate) standing: Option<Standing>,
    pub(crate) settings: Settings,
    pub(crate) plan: Plan,
    /// The seed, if rows are to be shuffled.
    pub(crate) shuffle: Option<u64>,
    pub(crate) options: Options,
}

impl Start {
    pub(crate) fn new(args: &FitArgs, inputs: &[InputName]) -> Result<Start, Failure> {
        let Some(path) = &args.resume else {
            args.given.check_loss(settings::loss(&args.settings))?;
            let mut settings = settings::of_flags(&args.settings, &args.certify)?;
            let plan = plan(args, &settings)?;
            check_offsets(args, &settings)?;
            check_certify(args, &settings, &plan, inputs)?;
            args.given.check_plan(&settings, &plan)?;
            let mut options = reading::of_flags(&args.reading, &settings);
            args.given.check_data(&mut options, inputs)?;
            options.groups = settings.groups.clone();
            settings.reading = options.reading.clone();
            let shuffle = shuffle(args);
            return Ok(Start { model: None, standing: None, plan, shuffle, settings, options });
        };
        let name = Path::new(path).display().to_string();
        let model = load_model(Path::new(path))?;
        settings::check(&args.settings, &model.settings, &name)?;
        settings::check_certify(&args.certify, &model.settings, &name)?;
        let mut options = reading::of_model(&args.reading, &model, &name)?;
        options.groups = model.settings.groups.clone();
        let standing = model.unfinished.as_ref().map(|value| {
            Standing::from_value(value)
                .ok_or_else(|| Failure::data(format!("{name}: cannot be resumed: where its run stood is not readable")))
        });
        let standing = standing.transpose()?;
        let plan = match &standing {
            Some(standing) => planned(args, standing.plan, &name)?,
            None => plan(args, &model.settings)?,
        };
        check_certify(args, &model.settings, &plan, inputs)?;
        let shuffle = match &standing {
            Some(standing) => shuffled(args, standing.shuffle, &name)?,
            None => shuffle(args),
        };
        args.given.check_loss(model.settings.loss)?;
        args.given.check_plan(&model.settings, &plan)?;
        args.given.check_data(&mut options, inputs)?;
        Ok(Start { settings: model.settings.clone(), model: Some(model), standing, plan, shuffle, options })
    }

    pub(crate) fn labels(&self) -> Labels {
        self.model.as_ref().map_or_else(Labels::default, |model| model.labels.clone())
    }
}

/// The relative gap that is certified unless something else is asked for.
const TOLERANCE: f64 = 1e-6;

fn plan(args: &FitArgs, settings: &Settings) -> Result<Plan, Failure> {
    let usage = |says: &str| Err(Failure::usage(says));
    let passes = match args.passes {
        Some(Passes::Auto) if settings.ball.is_some() => {
            return usage(
                "--passes auto seeks an optimum that a penalty holds, not a ball: --l2 X in place of --radius",
            );
        }
        Some(Passes::Auto) if args.holdout.is_some_and(|holdout| holdout.0.is_some()) => {
            return usage("--passes auto holds no rows out: leave --holdout out");
        }
        Some(Passes::Auto) => {
            let optimum = Some(args.tol.unwrap_or(TOLERANCE));
            let select = args.select.map_or(Select::Min, SelectName::select);
            return Ok(Plan { holdout: None, optimum, select, ..Plan::ONE_PASS });
        }
        _ if settings.penalty.path.is_some() && settings.loss.has_margins() => {
            let name = settings.loss.name();
            let says =
                format!("--loss {name} has a margin a class: its penalty is chosen with --passes auto, or given");
            return usage(&says);
        }
        Some(Passes::Times(passes)) => passes,
        None => Plan::ONE_PASS.passes,
    };
    // A gap over all rows is not to be waited for while some are never learnt.
    let usual = if args.certify.until_gap.is_some() { None } else { Plan::ONE_PASS.holdout };
    Ok(Plan { passes, holdout: args.holdout.map_or(usual, |holdout| holdout.0), ..Plan::ONE_PASS })
}

/// Whether models of this kind have offsets.
fn check_offsets(args: &FitArgs, settings: &Settings) -> Result<(), Failure> {
    if args.reading.trials.is_some() && (settings.ball.is_some() || settings.class_weights.is_some()) {
        return Err(Failure::usage(
            "--trials excludes --radius and --class-weight: leave one out; --weight gives rows weights",
        ));
    }
    match settings.ball.is_some() && (args.reading.offset.is_some() || args.reading.exposure.is_some()) {
        true => Err(Failure::usage("--offset and --exposure and --radius exclude each other")),
        false => Ok(()),
    }
}

/// Whether there will be the certificates that the flags are about.
fn check_certify(args: &FitArgs, settings: &Settings, plan: &Plan, inputs: &[InputName]) -> Result<(), Failure> {
    let flags = &args.certify;
    if plan.optimum.is_some() && flags.row_norm.is_none() && flags.error_probability.is_none() {
        let Penalty { l1, l2, path, bounds, .. } = settings.penalty;
        let is_box = |bounds: Bounds| bounds.low().is_finite() && bounds.high().is_finite();
        let boxed = is_box(bounds) || settings.groups.bounds.iter().any(|(_, bounds)| is_box(*bounds));
        let says = "--until-gap with --passes auto is about the gap that a penalty lets be certified: add --l2 X";
        let penalised = l1 > 0.0 || l2 > 0.0 || path.is_some() || boxed;
        return if penalised || flags.until_gap.is_none() { Ok(()) } else { Err(Failure::usage(says)) };
    }
    let given = [
        ("--until-gap", flags.until_gap.is_some()),
        ("--row-norm", flags.row_norm.is_some()),
        ("--error-probability", flags.error_probability.is_some()),
    ];
    let Some(ball) = settings.ball else {
        let Some((flag, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        return Err(Failure::usage(format!(
            "{flag} is about how much better a model could be, which needs bounds on the models: add --radius R, or for \
             --until-gap --passes auto and --l2 X"
        )));
    };
    let twice = plan.passes > 1 || args.shuffle || inputs.iter().all(InputName::can_reread);
    if flags.until_gap.is_none() || twice {
        return Ok(());
    }
    let says = match (ball.row_norm, settings.loss.classifies()) {
        (Some(_), true) => return Ok(()),
        (None, true) => "rows that come once have a certificate only if a bound on them is known: add --row-norm B",
        (_, false) => {
            "rows that come once have a certificate with losses of classes only: give files, or --passes 2 or more"
        }
    };
    Err(Failure::usage(format!("--until-gap: {says}")))
}

/// The seed of the order of rows, if they are to be shuffled.
fn shuffle(args: &FitArgs) -> Option<u64> {
    args.shuffle.then(|| args.seed.unwrap_or(0))
}

/// The same of an interrupted run, which the flags may repeat but not change.
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

/// The plan of an interrupted run, which the flags may repeat but not change.
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
