//! `surefoot eval`: evaluates a model on labelled rows.

use crate::{
    apply::{start, told::Told},
    distributed::{
        self,
        engines::{Carried, Engines, carry_out, passed_on},
    },
    failure::Failure,
    flags::{cli::EvalArgs, inputs},
    html_report::page::{self, Page, Quality},
    process::{signals::Signals, stop, typed},
    terminal::{
        bad_rows, confusion,
        console::Console,
        evaluation::{self, Findings},
        lines, metrics,
        reporter::Reporter,
    },
    words::number,
};
use std::{ffi::OsStr, path::Path};
use surefoot_fit::{BadRows, Data, Interrupt, StopConditions};
use surefoot_glm::Model;
use surefoot_io::{InputName, Options, Output, load_model};

pub(crate) fn run(args: &EvalArgs, engines: Engines<'_>) -> Result<(), Failure> {
    if let Some(passed) = passed_on(&args.engine, &engines) {
        return passed;
    }
    let path = Path::new(&args.model);
    let name = path.display().to_string();
    let (model, data) = (load_model(path)?, inputs::data(&args.data)?);
    let options = start::eval(args, &model, &name, data.inputs())?;
    let mut report = args.report.as_deref().map(|name| open_report(name, args, &data)).transpose()?;
    let signals = Signals::catch(args.report.as_slice());
    let stop = stop::conditions(&signals);
    let console = Console::new(args.talk.quiet, args.talk.json);
    let measured = match args.engine.engine {
        None => here(args, &model, &data, options, stop),
        Some(_) => by_workers(args, &model, &data, &options, &stop, engines),
    };
    let Some((findings, told)) = measured? else {
        return Err(signals
            .caught()
            .map_or_else(|| Failure::data("stopped"), |signal| Failure::signalled(signal, signal.name())));
    };
    bad_rows::tell(told.passed, &told.first, &console);
    findings.check(&data.to_string())?;
    findings.tell(&told.notes, &console);
    let labels = confusion::labels(&model);
    let text = match args.talk.json {
        true => format!("{}\n", findings.object(&labels)),
        false => metrics::table(&findings.measured, &labels),
    };
    if let Some(output) = &mut report {
        let Findings { measured, plot_data, .. } = findings;
        let about = format!("{} of {data}, predicted by {name}.", number::rows(measured.rows));
        let quality = Some(Quality { rows: "these rows", about, measured, plot_data });
        Page { title: format!("{name} on {data}"), model: &model, quality, run: None }.write(output)?;
        if args.report.as_deref().is_some_and(|name| name == "-") {
            return Ok(());
        }
    }
    lines::print(text.as_bytes())
}

/// Evaluates the model in this process; `None` if that was stopped.
fn here(
    args: &EvalArgs,
    model: &Model,
    data: &Data,
    options: Options,
    stop: StopConditions,
) -> Result<Option<(Findings, Told)>, Failure> {
    let mut rows = evaluation::labelled(data, options);
    (rows.stop, rows.bad_rows) = (stop, BadRows::new(args.skip_bad_rows));
    match evaluation::measure(&mut rows, model) {
        Ok(findings) => Ok(Some((findings, Told::of(&rows.bad_rows, rows.options.found.notes())))),
        Err(Interrupt::Error(error)) => Err(error.into()),
        Err(Interrupt::Stop(_)) => Ok(None),
    }
}

/// Evaluates the model with workers of an engine; `None` if that was stopped.
fn by_workers(
    args: &EvalArgs,
    model: &Model,
    data: &Data,
    options: &Options,
    stop: &StopConditions,
    engines: Engines<'_>,
) -> Result<Option<(Findings, Told)>, Failure> {
    let job = distributed::eval::job(&typed::words(), args, model, data, options)?;
    let reporter = Reporter::new(Console::new(args.talk.quiet, args.talk.json), false, 1, None);
    let Carried { result, .. } = carry_out(job, stop, reporter, engines)?;
    match result.is_empty() {
        true => Ok(None),
        false => distributed::eval::found(&result, args, model, &data.to_string()).map(Some),
    }
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
