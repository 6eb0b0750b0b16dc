//! `surefoot eval`: how good a model is on labelled rows.

use crate::{
    cli::EvalArgs,
    confusion,
    console::Console,
    failure::Failure,
    measure::{Findings, Sample},
    metrics, number,
    page::{self, Page, Quality},
    reading, report, rows,
    session::Halt,
    settings,
    signals::Signals,
    skips::Skips,
    warnings::Warning,
    watch::{Stop, Watch},
};
use std::{cell::RefCell, ffi::OsStr, path::Path};
use surefoot_io::{InputName, Output, load_model};

pub(crate) fn run(args: &EvalArgs) -> Result<(), Failure> {
    let path = Path::new(&args.model);
    let name = path.display().to_string();
    let model = load_model(path)?;
    settings::check(&args.settings, &model.settings, &name)?;
    args.given.check_loss(model.settings.loss)?;
    let mut options = reading::of_model(&args.reading, &model, &name)?;
    let inputs = rows::inputs(&args.data)?;
    args.given.check_data(&mut options, &inputs)?;
    options.wanted.without = reading::without(args.rates, args.unweighted, &model, &name)?;
    let mut report = args.report.as_deref().map(|name| open_report(name, args, &inputs)).transpose()?;
    let watch = Watch { signals: Signals::catch(args.report.as_slice()), deadline: None };
    let skips = RefCell::new(Skips::new(args.skip_bad_rows, 0));
    let sample = Sample { inputs: &inputs, options, watch: &watch, skips };
    let Findings { measured, picture, unseen } = match sample.measure(&model) {
        Ok(found) => found,
        Err(Halt::Failure(failure)) => return Err(failure),
        Err(Halt::Stop(Stop::Signal(signal))) => return Err(Failure::signalled(signal, signal.name())),
        Err(Halt::Stop(Stop::Budget | Stop::Gap)) => return Ok(()),
    };
    let console = Console::new(args.talk.quiet, args.talk.json);
    sample.skips.borrow().tell(&console);
    if measured.weight == 0.0 {
        let names = rows::names(&inputs);
        return Err(Failure::data(format!("{names}: the total weight is zero: there is nothing to measure")));
    }
    let labels = confusion::labels(&model);
    sample.options.found.notes().iter().chain(&unseen.notes()).for_each(|note| console.note(note));
    let warning = unseen.warning();
    warning.iter().for_each(|warning| console.warn(&warning.says));
    let json = || {
        let mut object = metrics::object(&measured, &labels);
        object["unseen_values"] = unseen.values_object();
        object["unseen_gaps"] = unseen.gaps_object();
        object["warnings"] = warning.iter().map(Warning::object).collect();
        format!("{object}\n")
    };
    let text = if args.talk.json { json() } else { metrics::table(&measured, &labels) };
    if let Some(output) = &mut report {
        let about = format!("{} of {}, predicted by {name}.", number::rows(measured.rows), rows::names(&inputs));
        let quality = Some(Quality { rows: "these rows", about, measured, picture });
        Page { title: format!("{name} on {}", rows::names(&inputs)), model: &model, quality, run: None }
            .write(output)?;
        if args.report.as_deref().is_some_and(|name| name == "-") {
            return Ok(());
        }
    }
    report::print(text.as_bytes())
}

/// Tries where the page will go, which must be none of the files that are read.
fn open_report(name: &OsStr, args: &EvalArgs, inputs: &[InputName]) -> Result<Output, Failure> {
    if name == "-" && args.talk.json {
        return Err(Failure::usage("standard output cannot hold both the report and --json: give --report a file"));
    }
    let output = page::open(name, &[])?;
    output.check_distinct(inputs)?;
    output.check_distinct(&[InputName::Path(args.model.clone().into())])?;
    Ok(output)
}
