//! The HTML report of a fit: opens its file and chooses its contents.

use crate::{
    failure::Failure,
    flags::cli::FitArgs,
    html_report::page::{self, Quality},
    process::stop::Stop,
    terminal::{results::Results, warnings},
    words::number,
};
use std::ffi::OsStr;
use surefoot_fit::Data;
use surefoot_glm::{Plan, PlotData, Trainer};
use surefoot_io::{InputName, Output};

/// Opens the file of the HTML report, and checks that it is none of the other files of this run.
pub(crate) fn open(name: &OsStr, args: &FitArgs, data: &Data, test: &Data, model: &Output) -> Result<Output, Failure> {
    if name == "-" && args.talk.json {
        return Err(Failure::usage("standard output cannot hold both the report and --json: give --report a file"));
    }
    let output = page::open(name, &[model])?;
    output.check_distinct(data.inputs())?;
    output.check_distinct(test.inputs())?;
    output.check_distinct(&args.resume.iter().map(|name| InputName::Path(name.into())).collect::<Vec<_>>())?;
    Ok(output)
}

/// Describes in words how a run ended, for the HTML report.
pub(crate) fn ended(stop: Option<Stop>) -> String {
    match stop {
        None => "finished".to_owned(),
        Some(Stop::Signal(signal)) => signal.name().to_owned(),
        Some(Stop::Budget) => "the budget was used up".to_owned(),
        Some(Stop::Gap) => "as good as was asked for".to_owned(),
    }
}

/// Returns the metrics shown in the HTML report: on test rows if there are any, otherwise on held-out rows, otherwise progressive ones
/// (each row is predicted just before it is learnt).
pub(crate) fn quality(
    results: &Results<'_>,
    plot_data: Option<PlotData>,
    trainer: &mut Trainer,
    plan: Plan,
) -> Option<Quality> {
    if let (Some(measured), Some(plot_data)) = (results.test, plot_data) {
        let about = format!("{} that took no part in learning.", number::rows(measured.rows));
        return Some(Quality { rows: "test rows", about, measured: measured.clone(), plot_data });
    }
    results.model?;
    let tally = plan.period().and_then(|_| trainer.measure_held_out().ok()).filter(|tally| tally.measured().rows > 0);
    if let Some(tally) = tally {
        let measured = tally.measured();
        let about = format!(
            "{}, predicted before they were learnt at the end of the run; passes and lanes were chosen by them.",
            number::rows(measured.rows)
        );
        return Some(Quality { rows: "held-out rows", about, plot_data: tally.plot_data(), measured });
    }
    let (measured, plot_data) = trainer.progressive_metrics().filter(|(measured, _)| measured.weight > 0.0)?;
    let (rows, remark) = fresh(results);
    let about = format!(
        "{}, each scored before it was learnt, by the model of that moment. {remark}; --test FILE would show it.",
        number::rows(measured.rows)
    );
    Some(Quality { rows, about, measured, plot_data })
}

/// Returns a name for the rows with progressive metrics (each row is predicted just before it is learnt), and a remark on how well these
/// metrics describe the final model.
fn fresh(results: &Results<'_>) -> (&'static str, String) {
    match results.order() {
        Some(alarm) => {
            let loss = warnings::order_loss(alarm);
            let message = format!(
                "Their order is not random, so this says nothing of the final model, which loses {loss} on these rows"
            );
            ("rows that came sorted", message)
        }
        None if results.ended.is_some() => (
            "rows of the first pass",
            "The final model is another one, the optimum that was sought after that pass".to_owned(),
        ),
        None => ("rows as they came", "The final model is usually a little better".to_owned()),
    }
}
