//! Report page of a distributed fit that a program runs.

use super::{fit::Finished, job::Job};
use crate::{
    failure::Failure,
    flags::{cli::FitArgs, inputs, start::Start},
    html_report::page::{Page, Run},
    process::typed,
    terminal::{record::Record, results::Results, workers::Workers},
};

/// Record of a run, beside the result of its workers.
pub(super) struct Seen<'a> {
    pub(super) record: &'a Record,
    pub(super) workers: &'a Workers,
    pub(super) seconds: f64,
    /// Whether the run was asked to end early.
    pub(super) is_stopped: bool,
}

/// Returns the page; `None` if it is not wanted, or if there is no model.
pub(super) fn html(finished: &Finished, job: &Job, args: &FitArgs, seen: &Seen<'_>) -> Result<Option<String>, Failure> {
    let Some(model) = finished.model.as_ref().filter(|_| args.report.is_some()) else { return Ok(None) };
    let &Seen { record, workers, seconds, is_stopped } = seen;
    let data = inputs::data(&args.data)?;
    let plan = Start::new(args, &data)?.fit.plan();
    let ended = if is_stopped && !finished.is_over() { "stopped early" } else { "finished" }.to_owned();
    let page = |results: &Results<'_>| {
        let (inputs, bytes, workers) = (data.inputs(), workers.bytes(), Some(workers));
        let run = Run { record, results, plan, shuffle: None, inputs, first: 0, bytes, ended, workers };
        let page = Page { title: data.to_string(), model, quality: None, run: Some(run) };
        typed::during(job.line(), || page.html())
    };
    Ok(Some(finished.with_results(seconds, page)))
}
