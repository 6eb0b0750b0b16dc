//! `--report`: one HTML page about a run, or about the predictions of a model.
//!
//! The page contains everything that it shows, figures as SVG and every number as text. Its content security policy forbids fetching
//! anything. The script only adds numbers under the pointer, which also stand in the tables.

mod clock;
mod details;
mod errors;
mod html;
mod learning;
mod matrix;
mod path;
mod plots;
mod quality;
mod workers;

use crate::{
    failure::Failure,
    process::typed,
    terminal::{
        confusion, metrics,
        record::Record,
        results::{self, Results},
        workers::Workers,
    },
    words::number,
};
use html::{Card, section, short, tile};
use std::{ffi::OsStr, fmt::Write as _, io::Write as _};
use surefoot_glm::{Measured, Model, Plan, PlotData};
use surefoot_io::{InputName, Output};
use surefoot_plot::escaped;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");
/// Content security policy of the page, which forbids the browser to fetch anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// Contents of the HTML report.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    /// Title of the page: the names of the data for a fit, of the model and the data for an evaluation.
    pub(crate) title: String,
    pub(crate) model: &'a Model,
    pub(crate) quality: Option<Quality>,
    pub(crate) run: Option<Run<'a>>,
}

/// Metrics of predictions for the report, and a name for the rows on which they were measured.
#[derive(Debug)]
pub(crate) struct Quality {
    /// Name of the evaluated rows in headings, such as `test rows`.
    pub(crate) rows: &'static str,
    pub(crate) about: String,
    pub(crate) measured: Measured,
    pub(crate) plot_data: PlotData,
}

/// Results of a training run, with its command line, duration and settings.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) record: &'a Record,
    pub(crate) results: &'a Results<'a>,
    pub(crate) plan: Plan,
    /// Shuffle seed; `None` if rows were not shuffled.
    pub(crate) shuffle: Option<u64>,
    pub(crate) inputs: &'a [InputName],
    /// Number of rows that the model had already learnt before this run.
    pub(crate) first: u64,
    pub(crate) bytes: u64,
    /// Description of how the run ended, such as `finished`.
    pub(crate) ended: String,
    /// Workers of a distributed fit; `None` for a fit in one process.
    pub(crate) workers: Option<&'a Workers>,
}

impl Run<'_> {
    /// Returns the number of rows read by this run.
    fn rows(&self) -> u64 {
        self.workers.map_or(self.results.summary.rows - self.first, Workers::rows)
    }

    /// Returns the number of passes over the data, including those of a search for the optimum.
    fn passes(&self) -> u32 {
        if self.plan.optimum.is_some() { self.results.summary.passes } else { self.plan.passes }
    }

    /// Returns the duration of the stage `learning` of the run in seconds; `None` if none was recorded.
    fn learning(&self) -> Option<f64> {
        self.record.stages.iter().find(|stage| stage.0 == "learning").map(|stage| stage.1).filter(|s| *s > 0.0)
    }
}

/// Opens the file of the HTML report, and checks that it is not also one of the other outputs.
pub(crate) fn open(name: &OsStr, others: &[&Output]) -> Result<Output, Failure> {
    let output = Output::create(name)?;
    if others.iter().any(|other| other.is_same(&output)) {
        let name = output.name();
        return Err(Failure::usage(format!(
            "{name}: cannot hold both the model and the report: give --report a file of its own"
        )));
    }
    Ok(output)
}

/// Returns the command line of this process approximately as typed: arguments with blanks are quoted.
fn command() -> String {
    let word = |arg: String| {
        if arg.is_empty() || arg.contains(char::is_whitespace) { format!("'{arg}'") } else { arg }
    };
    let args: Vec<_> = typed::words().into_iter().map(word).collect();
    format!("surefoot {}", args.join(" "))
}

impl Page<'_> {
    /// Writes the page to its file. If the output is a pipe whose reader has closed it, this counts as success.
    pub(crate) fn write(&self, output: &mut Output) -> Result<(), Failure> {
        let written = output.write_all(self.html().as_bytes()).map_err(|error| output.error(error));
        match written.and_then(|()| output.commit()) {
            Err(error) if error.is_broken_pipe() => Ok(()),
            outcome => Ok(outcome?),
        }
    }

    /// Returns the page.
    pub(crate) fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title} – surefoot</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        );
        html += &self.head();
        html += "<main>\n";
        if let Some(run) = &self.run {
            for warning in run.results.warnings() {
                let _ = writeln!(html, "<p class=\"warning\" role=\"note\">{}</p>", escaped(&warning.sentence()));
            }
        }
        let _ = writeln!(html, "<dl class=\"tiles\">{}</dl>", self.tiles());
        html += &section("Learning", "", &self.learning());
        if let Some(workers) = self.run.as_ref().and_then(|run| run.workers) {
            html += &workers::html(workers);
        }
        if let Some(Quality { about, measured, plot_data, rows }) = &self.quality {
            let cards = quality::cards(measured, plot_data, &confusion::labels(self.model));
            html += &section(&format!("Predictions of {rows}"), about, &cards);
        }
        html +=
            &section("Model", "", &(details::weights(self.model) + &details::settings(self.model, self.run.as_ref())));
        if let Some(run) = &self.run {
            html += &section("Run", "", &(details::data(run, self.model) + &details::times(run)));
        }
        let (date, command) = (clock::now(), escaped(&command()));
        let _ = write!(
            html,
            "</main>\n<footer><p>Written {date} by</p><p><code>{command}</code></p><p>This page holds all that it shows, and fetches \
             nothing.</p></footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        );
        html
    }

    fn head(&self) -> String {
        let task = results::task(self.model.settings.loss);
        let (mut words, mut ridge) = (vec![task], String::new());
        if let Some(run) = &self.run {
            words.push(number::rows(self.model.summary.rows));
            let passes = run.passes();
            if passes > 1 {
                words.push(format!("{passes} passes"));
            }
            words.push(format!("{:.2} s", run.results.seconds));
            words.push(run.ended.clone());
            ridge = learning::ridge(run.record);
        }
        let words: String = words.iter().map(|word| format!("<span>{}</span>", escaped(word))).collect();
        let title = escaped(&self.title);
        format!(
            "<header><div><p class=\"brand\">surefoot</p><h1>{title}</h1><p class=\"words\">{words}</p></div>{ridge}</header>\n"
        )
    }

    fn tiles(&self) -> String {
        let mut tiles = String::new();
        if let Some(Quality { measured, rows, .. }) = &self.quality {
            let constant = self.run.as_ref().and_then(|run| run.results.summary.loss_constant);
            let beside = ["MSE", "MAE", "deviance"];
            for (name, value) in metrics::main(measured).into_iter().filter(|(name, _)| !beside.contains(name)) {
                let remark = match name {
                    "loss" => {
                        constant.map_or_else(|| (*rows).to_owned(), |c| format!("{rows}; best constant {}", short(c)))
                    }
                    _ => (*rows).to_owned(),
                };
                let name = if name == "loss" && measured.log_loss == Some(value) { "log loss" } else { name };
                tiles += &tile(name, &short(value), &remark);
            }
        }
        if let Some(alarm) = self.run.as_ref().and_then(|run| run.results.order()) {
            let loss = alarm.loss.map_or_else(|| "–".to_owned(), short);
            tiles += &tile("loss of the final model", &loss, "on the rows it was trained on");
        }
        if let Some(run) = &self.run {
            let summary = run.results.summary;
            if let Some(objective) = run.results.objective {
                let settings = &self.model.settings;
                let name = if settings.is_unpenalised() { "training loss" } else { "objective" };
                let remark = format!("{} of the final model", results::objective(settings));
                tiles += &tile(name, &short(objective), &remark);
            }
            if let Some(loss) =
                summary.loss.filter(|_| self.quality.as_ref().is_some_and(|quality| quality.rows == "test rows"))
            {
                let (name, how) = match run.plan.period() {
                    Some(_) => ("held-out loss", "held-out rows, before they are learnt"),
                    None if run.results.ended.is_some() => ("loss of the first pass", "each row before it was learnt"),
                    None => ("loss as rows came", "each row before it was learnt"),
                };
                tiles += &tile(name, &short(loss), how);
            }
            if let Some(learning) = run.learning() {
                tiles +=
                    &tile("rows a second", &number::count((run.rows() as f64 / learning) as u64), "read and learnt");
            }
        }
        tiles + &tile("features", &number::count(self.model.index.len() as u64), "in the model")
    }

    fn learning(&self) -> String {
        let Some(run) = &self.run else { return String::new() };
        let cards = [
            learning::loss(run.record, run.results, run.plan),
            learning::lanes(run.record),
            path::card(self.model),
            learning::certificate(run.record, self.model),
        ];
        cards.into_iter().flatten().map(Card::html).collect()
    }
}
