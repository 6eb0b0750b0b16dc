//! `surefoot fit`: checks everything that can be checked before the first row is read, trains a model, and reports progress and results.

mod distributed;
pub(crate) mod report;

use crate::{
    distributed::engines::{Engines, passed_on},
    failure::Failure,
    flags::{cli::FitArgs, inputs, start::Start},
    html_report::page::{Page, Run},
    process::{
        memory,
        signals::Signals,
        stop::{self, Stop},
    },
    terminal::{
        bad_rows,
        console::Console,
        evaluation::{self, Findings},
        opening::Opening,
        record::Record,
        reporter::Reporter,
        results::{self, Results},
        unused,
    },
    words::number,
};
use std::{path::Path, time::Instant};
use surefoot_fit::{Data, Failed, Fit, FitError, Interrupt, Labelled, Outcome, StopConditions};
use surefoot_glm::{Labels, Loss, Model, Summary};
use surefoot_io::{Accepts, InputName, Options, Output, check_inputs};

pub(crate) fn run(args: &FitArgs, engines: Engines<'_>) -> Result<(), Failure> {
    if let Some(passed) = passed_on(&args.engine, &engines) {
        return passed;
    }
    if args.engine.engine.is_some() {
        return distributed::run(args, engines);
    }
    let deadline = args.budget.and_then(|budget| Instant::now().checked_add(budget));
    let console = Console::new(args.talk.quiet, args.talk.json);
    if args.output == "-" && args.talk.json {
        return Err(Failure::usage("standard output cannot hold both the model and --json: give -o a file"));
    }
    let (mut data, test) = (inputs::data(&args.data)?, inputs::data(args.test.as_slice())?);
    let Start { fit, options, before } = Start::new(args, &data)?;
    let output = Output::create(&args.output)?;
    check_files(&data, &test, &output)?;
    let report = args.report.as_deref().map(|name| report::open(name, args, &data, &test, &output)).transpose()?;
    let signals = Signals::catch([&args.output].into_iter().chain(&args.report));
    introduce(args, &fit, before.as_ref(), &console);
    let mut reporter = reporter(args, &fit, Some(output.name()), console, report.is_some());
    reporter.stage("checking files");
    let (shuffle, loss) = (fit.seed(), fit.settings().loss);
    let (name, stop) = (output.name().to_owned(), stop::conditions(&signals).with_deadline(deadline));
    let mut command = Command { args, name, options, before, shuffle, test, report, signals };
    let fit = fit.output(output).stop(stop.clone()).memory(memory::for_rows()).threads(args.threads);
    let fit =
        fit.skip_bad_rows(args.skip_bad_rows).snapshot(args.snapshot).progressive_metrics(command.report.is_some());
    let mut fit = fit.observer(&mut reporter);
    let ready = fit.prepare(&mut data);
    let ready = ready.and_then(|()| command.check_test(&data, loss, stop)).and_then(|()| fit.read_means(&data));
    match ready {
        Ok(()) => {}
        Err(Interrupt::Error(error)) => return Err(command.words(error)),
        Err(Interrupt::Stop(reason)) => {
            drop(fit);
            return Err(command.nothing(Stop::of(reason, &command.signals), &mut reporter));
        }
    }
    let session = fit.start(data.clone()).map_err(|error| command.words(error))?;
    let ended = session.run();
    reporter.end();
    match ended {
        Ok(outcome) => command.conclude(outcome, &data, reporter),
        Err(Failed { error, saved }) => {
            let failure = command.words(error);
            Err(match saved {
                Some(rows) => failure.and(format!("{} holds the snapshot at row {rows}", command.name)),
                None => failure,
            })
        }
    }
}

/// Checks that all input files exist and that none of them is the output file, so that a wrong file name is found before any training.
fn check_files(data: &Data, test: &Data, output: &Output) -> Result<(), Failure> {
    let read: Vec<_> = data.inputs().iter().chain(test.inputs()).cloned().collect();
    if read.iter().filter(|input| matches!(input, InputName::Stdin)).count() > 1 {
        return Err(Failure::usage("standard input can be read only once: name '-' once"));
    }
    check_inputs(&read)?;
    Ok(output.check_distinct(&read)?)
}

/// Prints which model `--resume` continues, and from which row.
fn introduce(args: &FitArgs, fit: &Fit<'_>, before: Option<&(Summary, Labels)>, console: &Console) {
    let (Some(path), Some((summary, _))) = (&args.resume, before) else { return };
    let (name, rows, plan) = (Path::new(path).display(), summary.rows, fit.plan());
    console.note(&match fit.interrupted_in() {
        Some((true, _)) => {
            let left = if plan.optimum.is_some() { "the optimum is still sought" } else { "its certificate is left" };
            format!("{name} is unfinished: all rows are learnt up to row {rows}, {left}")
        }
        Some((false, pass)) => {
            format!("{name} is unfinished: going on in pass {pass} of {} after row {rows}", plan.passes)
        }
        None => format!("{name} is finished after row {rows}: DATA are taken as new rows"),
    });
}

/// Creates the observer of a fit, which prints to the console; `goes` is the name of the file of the model, and `records` whether losses are
/// recorded for a report.
pub(crate) fn reporter(args: &FitArgs, fit: &Fit<'_>, goes: Option<&str>, console: Console, records: bool) -> Reporter {
    let (plan, shuffle) = (fit.plan(), fit.seed());
    let times = u64::from(plan.passes) + u64::from(shuffle.is_some());
    let mut reporter = Reporter::new(console, args.talk.json, times, records.then(Record::new));
    reporter.opening = Some(Opening {
        task: results::task(fit.settings().loss),
        goes: goes.map(str::to_owned),
        is_given: args.reading.format.is_some(),
        order: shuffle.map_or_else(String::new, |seed| format!("; rows shuffled, seed {seed}")),
        plan,
    });
    reporter
}

/// State of the command `fit` after all files have been checked.
#[derive(Debug)]
struct Command<'a> {
    args: &'a FitArgs,
    /// Name of the file to which the model is written.
    name: String,
    /// Options for reading rows, which also hold the properties of the data inferred by the readers, such as the format.
    options: Options,
    /// Summary and labels of the model that `--resume` continues; `None` for a new model.
    before: Option<(Summary, Labels)>,
    shuffle: Option<u64>,
    test: Data,
    report: Option<Output>,
    signals: Signals,
}

impl Command<'_> {
    /// Returns the labelled rows of `--test`, read with the settings of the model. Flags that describe the format of the training data do
    /// not apply to them.
    fn test_rows(&self, stop: StopConditions) -> Labelled<'_> {
        let options = Options { accepts: Accepts::default(), ..self.options.clone() };
        Labelled { stop, ..evaluation::labelled(&self.test, options) }
    }

    /// Checks the labels of the test rows before training begins. The test rows are read with the properties, such as column types, that
    /// were inferred from the beginning of the training data.
    fn check_test(&self, data: &Data, loss: Loss, stop: StopConditions) -> Result<(), Interrupt> {
        if !self.test.can_reread() {
            return Ok(());
        }
        let rows = self.test_rows(stop.clone());
        // Test rows must not influence how the training rows are read.
        let options = rows.options.apart();
        if data.can_reread() {
            Labelled { stop, ..evaluation::labelled(data, options.clone()) }.begin()?;
        } else if options.wanted.label.is_some() {
            // Nothing is known yet about a table that comes through a pipe.
            return Ok(());
        }
        let known = self.before.as_ref().map_or_else(Labels::default, |(_, labels)| labels.clone());
        Labelled { options, ..rows }.check(loss, &known)
    }

    /// Converts an error of the library to an error of the command, whose message names command-line flags.
    fn words(&self, error: FitError) -> Failure {
        match (error, &self.args.resume) {
            (FitError::Resume { reason }, Some(path)) => {
                Failure::data(format!("{}: cannot be trained further: {reason}", Path::new(path).display()))
            }
            (error, _) => error.into(),
        }
    }

    /// Evaluates the saved model, writes the HTML report, prints the results and returns the outcome of the run.
    fn conclude(&mut self, outcome: Outcome, data: &Data, mut reporter: Reporter) -> Result<(), Failure> {
        let stop = outcome.stop.map(|reason| Stop::of(reason, &self.signals));
        if let Some(stop) = stop.filter(|_| !outcome.has_learnt) {
            return Err(self.nothing(stop, &mut reporter));
        }
        reporter.stage("saving");
        let Outcome { model, mut trainer, plan, bad_rows, objective, optimum: found, caution, first, .. } = outcome;
        self.options = outcome.options;
        let mut summary = trainer.summary();
        summary.passes += found.as_ref().map_or(0, |found| found.passes.ceil() as u32);
        let name = self.name.clone();
        let saved = |failure: Failure| failure.and(format!("{name} is saved"));
        let test = if matches!(stop, Some(Stop::Signal(_))) { None } else { self.measure(&model).map_err(saved)? };
        reporter.stage("measuring");
        let (mut plot_data, mut unseen) = (None, None);
        let test = test.map(|found| {
            (plot_data, unseen) = (Some(found.plot_data), Some(found.unseen));
            found.measured
        });
        let report = self.report.as_ref().map(|output| output.name().to_owned());
        let results = Results {
            test: test.as_ref(),
            unseen: unseen.as_ref(),
            report: report.as_deref(),
            skipped: bad_rows.count(),
            objective,
            seconds: reporter.seconds(),
            ended: found.as_ref().map(|found| found.ended),
            far: outcome.far_column,
            caution,
            stop,
            shuffle: self.shuffle,
            ..Results::of(&model, &name, &trainer, &summary, &self.options.found)
        };
        if let (Some(output), Some(record)) = (&mut self.report, &reporter.record) {
            let (bytes, ended) = (reporter.bytes(), report::ended(stop));
            let quality = report::quality(&results, plot_data, &mut trainer, plan);
            let (shuffle, inputs, results, workers) = (self.shuffle, data.inputs(), &results, None);
            let run = Some(Run { record, results, plan, shuffle, inputs, first, bytes, ended, workers });
            let page = Page { title: data.to_string(), model: &model, quality, run };
            page.write(output).map_err(saved)?;
        }
        results.tell(&reporter.console);
        bad_rows::tell(bad_rows.count(), bad_rows.first(), &reporter.console);
        unused::tell(&model, &self.options, stop.is_none(), summary.rows - first, &reporter.console);
        reporter.events.emit(&results.event());
        let rows = summary.rows;
        let resume = format!("{name} is saved after row {rows}; the same DATA with --resume {name} go on from there");
        match stop {
            Some(Stop::Signal(signal)) => Err(Failure::signalled(signal, format!("{}: {resume}", signal.name()))),
            Some(Stop::Budget) => {
                reporter.console.note(&format!("the budget is used up: {resume}"));
                reporter.events.close()
            }
            Some(Stop::Gap) => {
                let gap = number::shortest(self.args.certify.until_gap.unwrap_or_default());
                reporter.console.note(&format!(
                    "no model is better by more than --until-gap {gap}: stopped after row {rows}; {name} is saved"
                ));
                reporter.events.close()
            }
            None => reporter.events.close(),
        }
    }

    /// Evaluates the saved model on the rows of `--test`; `None` if there are none. Ends early only because of a signal.
    fn measure(&self, model: &Model) -> Result<Option<Findings>, Failure> {
        if self.test.inputs().is_empty() {
            return Ok(None);
        }
        match evaluation::measure(&mut self.test_rows(stop::conditions(&self.signals)), model) {
            Ok(found) => Ok(Some(found)),
            Err(Interrupt::Error(error)) => Err(error.into()),
            Err(Interrupt::Stop(reason)) => match Stop::of(reason, &self.signals) {
                Stop::Signal(signal) => Err(Failure::signalled(signal, signal.name())),
                Stop::Budget | Stop::Gap => Ok(None),
            },
        }
    }

    /// Ends a run that was stopped before it learnt any row, and returns the error to report.
    fn nothing(&self, stop: Stop, reporter: &mut Reporter) -> Failure {
        let summary = self.before.as_ref().map_or_else(Summary::default, |(summary, _)| summary.clone());
        let seconds = reporter.seconds();
        let shuffle = self.shuffle;
        let results = Results { seconds, shuffle, ..Results::nothing(&summary, &self.options.found) };
        reporter.events.emit(&results.event());
        let says = "before a row was learnt: nothing is written";
        match stop {
            Stop::Signal(signal) => Failure::signalled(signal, format!("{} {says}", signal.name())),
            Stop::Budget | Stop::Gap => Failure { status: 0, message: format!("the budget was used up {says}") },
        }
    }
}
