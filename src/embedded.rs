//! A fit with the flags of the command, for programs that keep the rows and the model themselves, such as the Python package.
//!
//! Flags are parsed, checked against each other and worded as on the command line, so that such a program has no rules of its own, and
//! the same flags over the same rows give the same model, to the byte.
//!
//! ```
//! use surefoot_cli::embedded::Prepared;
//! use surefoot_fit::{Data, StopConditions};
//! use surefoot_glm::Batch;
//!
//! let mut rows = Batch::default();
//! (0..100_u32).for_each(|t| rows.push(Some(f64::from(t % 5)), 1.0, &[(0, f64::from(t % 5))]));
//! let (flags, data) = (["--loss", "squared", "--passes", "auto", "--l2", "1e-6"], Data::from(rows));
//! let finished = Prepared::new(flags, &data, None)?.run(&data, StopConditions::default(), false, |_| {})?;
//! assert!((finished.model.weight[0] - 1.0).abs() < 1e-3 && finished.results["rows"] == 100);
//! # Ok::<(), surefoot_cli::embedded::Refused>(())
//! ```

pub use crate::{failure::Refused, terminal::console::Message};

use crate::{
    commands::fit::{report, reporter},
    failure::Failure,
    flags::{
        cli::{Cli, Command, FitArgs},
        hint, inputs,
        start::Start,
    },
    html_report::page::{Page, Run},
    process::{memory, signals::Signals, stop::Stop, typed},
    terminal::{
        bad_rows, confusion,
        console::{Console, Listener},
        evaluation, metrics,
        record::Record,
        reporter::Reporter,
        results::Results,
        unused,
    },
    words::labels,
};
use serde_json::Value;
use std::{ffi::OsString, sync::Arc, time::Instant};
use surefoot_fit::{Data, Fit, Incremental, Interrupt, Labelled, Outcome, StopConditions, StopReason, options_of};
use surefoot_glm::{Column, Model, Role};
use surefoot_io::{Options, check_inputs};

/// Expands file names, folders and glob patterns as the command does, and checks that all files can be opened.
///
/// # Errors
/// A name that stands for no file; a file that cannot be opened.
pub fn files(names: &[OsString]) -> Result<Data, Refused> {
    let data = inputs::data(names).map_err(Failure::from)?;
    check_inputs(data.inputs()).map_err(Failure::from)?;
    Ok(data)
}

/// Measures a model on labelled rows, and returns the metrics as the command `eval --json` prints them; `None` if it was stopped. `label`
/// names the column of the labels, where the model does not know it.
///
/// # Errors
/// The first row at fault, an input that cannot be read, or rows whose weights are all 0.
pub fn evaluate(
    model: &Model,
    data: &Data,
    label: Option<&str>,
    stop: StopConditions,
) -> Result<Option<Value>, Refused> {
    let named = label.and_then(|label| with_label(model, label));
    let model = named.as_ref().unwrap_or(model);
    let mut rows = Labelled { stop, ..evaluation::labelled(data, options_of(model)) };
    let measured = match evaluation::measure(&mut rows, model) {
        Ok(found) => found.measured,
        Err(Interrupt::Stop(_)) => return Ok(None),
        Err(Interrupt::Error(error)) => return Err(error.into()),
    };
    if measured.weight == 0.0 {
        return Err(Failure::data(format!("{data}: the total weight is zero: there is nothing to measure")).into());
    }
    Ok(Some(metrics::object(&measured, &confusion::labels(model))))
}

/// Returns the model with a column of labels of this name, if it is of a table and knows no such column.
#[must_use]
pub fn with_label(model: &Model, label: &str) -> Option<Model> {
    let table = &model.settings.reading.table;
    let knows = table.is_unknown() || table.columns.iter().any(|column| column.role == Role::Label);
    (!knows).then(|| {
        let mut model = model.clone();
        model.settings.reading.table.columns.push(Column { name: label.to_owned(), role: Role::Label });
        model
    })
}

/// A fit whose flags were checked.
#[derive(Debug)]
pub struct Prepared {
    args: FitArgs,
    /// The command line that stands for this fit in reports and advice.
    line: Vec<String>,
    fit: Fit<'static>,
    options: Options,
}

/// Result of a fit that ended or was stopped.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// Trained model. If the fit was stopped, it also holds the state with which the command could go on.
    pub model: Model,
    /// Reason why the fit ended early; `None` if it did not.
    pub stop: Option<StopReason>,
    /// Whether any row was learnt.
    pub has_learnt: bool,
    /// Results, as the last line of `--json`.
    pub results: Value,
    /// Losses while rows were learnt and objectives while the optimum was sought: an object with the lists `rows`, `seconds`, `loss`,
    /// `recent` and `constant`, and the object `search` with the lists `passes`, `seconds`, `objective` and `gap`.
    pub curve: Value,
    /// Report page, if it was asked for.
    pub page: Option<String>,
}

impl Prepared {
    /// Parses the flags of `surefoot fit`, without file names, and checks them against each other, against the kind of the data and, if
    /// there is one, against the model to go on from. Reads no row. Rows that are not files need `--format`: `svmlight` for rows whose
    /// features are numbered, `arrow` for tables.
    ///
    /// # Errors
    /// The first flag at fault, with a remedy.
    pub fn new<F: AsRef<str>>(
        flags: impl IntoIterator<Item = F>,
        data: &Data,
        from: Option<&Model>,
    ) -> Result<Prepared, Refused> {
        let flags = flags.into_iter().map(|flag| flag.as_ref().to_owned());
        let line: Vec<String> = ["fit".to_owned(), "DATA".to_owned()].into_iter().chain(flags).collect();
        let words: Vec<OsString> =
            ["surefoot"].into_iter().chain(line.iter().map(String::as_str)).map(OsString::from).collect();
        let args = match Cli::read(words.clone()) {
            Ok(Cli { command: Some(Command::Fit(args)) }) => *args,
            Ok(_) => return Err(Failure::usage("flags of fit are needed").into()),
            Err(error) => return Err(Failure::usage(hint::refusal(&error, &words).0).into()),
        };
        let Start { fit, options, .. } = match from {
            None => Start::new(&args, data)?,
            Some(model) => Start::from_model(&args, model.clone(), "the model", data)?,
        };
        Ok(Prepared { args, line, fit, options })
    }

    /// Returns the label by which rows in memory name the class of this text, in the model to go on from or as a new class.
    #[must_use]
    pub fn class(&self, text: &str) -> f64 {
        self.options.found.class(text)
    }

    /// Starts to learn rows part by part.
    ///
    /// # Errors
    /// Flags that mean nothing for rows that come part by part; a model that cannot be trained further.
    pub fn incremental(self) -> Result<Incremental, Refused> {
        let fit = self.fit.incremental()?;
        Ok(fit.explain(evaluation::explain, labels::message))
    }

    /// Runs the fit on the calling thread. `tell` receives the messages that the command would print, and the progress in rows or bytes.
    /// With `report` the result holds the page that `--report` writes.
    ///
    /// # Errors
    /// The row, file or setting with which the fit cannot go on, with a remedy.
    pub fn run(
        self,
        data: &Data,
        stop: StopConditions,
        report: bool,
        tell: impl Fn(Message<'_>) + Send + Sync + 'static,
    ) -> Result<Finished, Refused> {
        let line = self.line.clone();
        typed::during(&line, || self.run_here(data, stop, report, Listener(Arc::new(tell))))
    }

    fn run_here(
        self,
        data: &Data,
        stop: StopConditions,
        report: bool,
        listener: Listener,
    ) -> Result<Finished, Refused> {
        let Prepared { args, fit, options, .. } = self;
        let mut data = data.clone();
        let deadline = args.budget.and_then(|budget| Instant::now().checked_add(budget));
        let mut reporter = reporter(&args, &fit, None, Console::to(listener), true);
        let shuffle = fit.seed();
        let stop = stop.with_deadline(deadline);
        let fit = fit.stop(stop).memory(memory::for_rows()).threads(args.threads);
        let fit = fit.skip_bad_rows(args.skip_bad_rows).progressive_metrics(report);
        let mut fit = fit.observer(&mut reporter);
        let ready = fit.prepare(&mut data).and_then(|()| fit.read_means(&data));
        match ready {
            Ok(()) => {}
            Err(Interrupt::Error(error)) => return Err(error.into()),
            Err(Interrupt::Stop(reason)) => return Ok(Finished::nothing(reason, &options)),
        }
        let outcome = fit.start(data.clone())?.run().map_err(|failed| failed.error)?;
        reporter.end();
        let about = About { data: &data, shuffle, report };
        Ok(conclude(outcome, &about, &mut reporter))
    }
}

/// Information on a run that its outcome does not hold.
struct About<'a> {
    data: &'a Data,
    shuffle: Option<u64>,
    /// Whether the report page is wanted.
    report: bool,
}

/// Passes the results to the listener and returns them.
fn conclude(outcome: Outcome, about: &About<'_>, reporter: &mut Reporter) -> Finished {
    let Outcome { model, mut trainer, plan, bad_rows, objective, optimum, caution, first, options, .. } = outcome;
    let mut summary = trainer.summary();
    summary.passes += optimum.as_ref().map_or(0, |found| found.passes.ceil() as u32);
    let stop = outcome.stop.map(|reason| Stop::of(reason, &Signals::default()));
    let results = Results {
        skipped: bad_rows.count(),
        objective,
        seconds: reporter.seconds(),
        ended: optimum.as_ref().map(|found| found.ended),
        far: outcome.far_column,
        caution,
        stop,
        shuffle: about.shuffle,
        ..Results::of(&model, "the model", &trainer, &summary, &options.found)
    };
    let record = reporter.record.take().unwrap_or_else(Record::new);
    let page = about.report.then(|| {
        let quality = report::quality(&results, None, &mut trainer, plan);
        let (inputs, bytes, ended) = (about.data.inputs(), reporter.bytes(), report::ended(stop));
        let (shuffle, workers, record, results) = (about.shuffle, None, &record, &results);
        let run = Run { record, results, plan, shuffle, inputs, first, bytes, ended, workers };
        Page { title: about.data.to_string(), model: &model, quality, run: Some(run) }.html()
    });
    if outcome.has_learnt {
        results.tell(&reporter.console);
        bad_rows::tell(bad_rows.count(), bad_rows.first(), &reporter.console);
        unused::tell(&model, &options, stop.is_none(), summary.rows - first, &reporter.console);
    }
    let (results, curve) = (results.event(), record.curve());
    Finished { model, stop: outcome.stop, has_learnt: outcome.has_learnt, results, curve, page }
}

impl Finished {
    /// Returns the result of a run that was stopped before its first row.
    fn nothing(reason: StopReason, options: &Options) -> Finished {
        let summary = surefoot_glm::Summary::default();
        let results = Results::nothing(&summary, &options.found).event();
        let (model, curve) = (empty_model(), Record::new().curve());
        Finished { model, stop: Some(reason), has_learnt: false, results, curve, page: None }
    }
}

/// Returns the model of a trainer that has learnt nothing.
fn empty_model() -> Model {
    surefoot_glm::Trainer::new(surefoot_glm::Settings::default(), surefoot_glm::Plan::ONE_PASS).model()
}
