//! Report page of a distributed fit that a program runs.

use super::job::{Finished, Job};
use crate::{
    failure::Failure,
    html_report::page::{Page, Run},
    process::typed,
    terminal::{record::Record, results::Results, workers::Workers},
};
use surefoot_fit::Data;

/// What the page shows beside the result of the workers.
pub(super) struct About<'a> {
    pub(super) job: &'a Job,
    pub(super) data: &'a Data,
    pub(super) record: &'a Record,
    pub(super) workers: &'a Workers,
    pub(super) seconds: f64,
    pub(super) is_stopped: bool,
}

/// Returns the page; `None` if there is no model.
pub(super) fn html(finished: &Finished, about: &About<'_>) -> Result<Option<String>, Failure> {
    let Some(model) = &finished.model else { return Ok(None) };
    let &About { job, data, record, workers, seconds, is_stopped } = about;
    let plan = job.fit()?.1.plan();
    let ended = if is_stopped { "stopped early" } else { "finished" }.to_owned();
    let page = |results: &Results<'_>| {
        let (inputs, bytes, workers) = (data.inputs(), workers.bytes(), Some(workers));
        let run = Run { record, results, plan, shuffle: None, inputs, first: 0, bytes, ended, workers };
        let page = Page { title: data.to_string(), model, quality: None, run: Some(run) };
        typed::during(job.line(), || page.html())
    };
    Ok(Some(finished.with_results(seconds, page)))
}
