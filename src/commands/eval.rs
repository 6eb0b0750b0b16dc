//! `surefoot eval`: evaluates a model on labelled rows.

use crate::{
    failure::Failure,
    flags::{cli::EvalArgs, inputs, reading, settings},
    html_report::page::{self, Page, Quality},
    process::{
        signals::Signals,
        stop::{self, Stop},
    },
    terminal::{
        bad_rows, confusion,
        console::Console,
        evaluation::{self, Findings},
        lines, metrics,
        warnings::Warning,
    },
    words::number,
};
use std::{ffi::OsStr, path::Path};
use surefoot_fit::{BadRows, Data, Interrupt};
use surefoot_io::{InputName, Output, load_model};

pub(crate) fn run(args: &EvalArgs) -> Result<(), Failure> {
    let path = Path::new(&args.model);
    let name = path.display().to_string();
    let model = load_model(path)?;
    settings::check(&args.settings, &model.settings, &name)?;
    args.given.check_loss(model.settings.loss)?;
    let mut options = reading::of_model(&args.reading, &model, &name)?;
    let data = inputs::data(&args.data)?;
    args.given.check_data(&mut options, data.inputs())?;
    options.wanted.without = reading::without(args.rates, args.unweighted, &model, &name)?;
    let mut report = args.report.as_deref().map(|name| open_report(name, args, &data)).transpose()?;
    let signals = Signals::catch(args.report.as_slice());
    let mut rows = evaluation::labelled(&data, options);
    (rows.stop, rows.bad_rows) = (stop::conditions(&signals), BadRows::new(args.skip_bad_rows));
    let Findings { measured, plot_data, unseen } = match evaluation::measure(&mut rows, &model) {
        Ok(found) => found,
        Err(Interrupt::Error(error)) => return Err(error.into()),
        Err(Interrupt::Stop(reason)) => match Stop::of(reason, &signals) {
            Stop::Signal(signal) => return Err(Failure::signalled(signal, signal.name())),
            Stop::Budget | Stop::Gap => return Ok(()),
        },
    };
    let console = Console::new(args.talk.quiet, args.talk.json);
    bad_rows::tell(&rows.bad_rows, &console);
    if measured.weight == 0.0 {
        return Err(Failure::data(format!("{data}: the total weight is zero: there is nothing to measure")));
    }
    let labels = confusion::labels(&model);
    rows.options.found.notes().iter().chain(&unseen.notes()).for_each(|note| console.note(note));
    let warning = unseen.warning();
    warning.iter().for_each(|warning| console.warn(&warning.message));
    let json = || {
        let mut object = metrics::object(&measured, &labels);
        object["unseen_values"] = unseen.values_object();
        object["unseen_gaps"] = unseen.gaps_object();
        object["warnings"] = warning.iter().map(Warning::object).collect();
        format!("{object}\n")
    };
    let text = if args.talk.json { json() } else { metrics::table(&measured, &labels) };
    if let Some(output) = &mut report {
        let about = format!("{} of {data}, predicted by {name}.", number::rows(measured.rows));
        let quality = Some(Quality { rows: "these rows", about, measured, plot_data });
        Page { title: format!("{name} on {data}"), model: &model, quality, run: None }.write(output)?;
        if args.report.as_deref().is_some_and(|name| name == "-") {
            return Ok(());
        }
    }
    lines::print(text.as_bytes())
}

/// Opens the file of the HTML report, and checks that it is not also one of the input files.
fn open_report(name: &OsStr, args: &EvalArgs, data: &Data) -> Result<Output, Failure> {
    if name == "-" && args.talk.json {
        return Err(Failure::usage("standard output cannot hold both the report and --json: give --report a file"));
    }
    let output = page::open(name, &[])?;
    output.check_distinct(data.inputs())?;
    output.check_distinct(&[InputName::Path(args.model.clone().into())])?;
    Ok(output)
}
