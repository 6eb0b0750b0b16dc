//! `surefoot fit --engine`: a fit of several processes.

use super::{Command, check_files, report, reporter};
use crate::{
    distributed::{
        Finished, checkpoint,
        engines::{Carried, Engines, carry_out},
        fit,
    },
    failure::Failure,
    flags::{cli::FitArgs, inputs, start::Start},
    html_report::page::{Page, Run as RunPage},
    process::{
        signals::Signals,
        stop::{self, Stop},
        typed,
    },
    terminal::{console::Console, reporter::Reporter, results::Results, unused},
};
use std::time::Instant;
use surefoot_fit::{Data, Interrupt, StopReason};
use surefoot_glm::{Plan, Trainer};
use surefoot_io::{Output, save_model};

/// Runs the fit with workers of an engine.
pub(super) fn run(args: &FitArgs, engines: Engines<'_>) -> Result<(), Failure> {
    let deadline = args.budget.and_then(|budget| Instant::now().checked_add(budget));
    let console = Console::new(args.talk.quiet, args.talk.json);
    fit::check(args)?;
    let (data, test) = (inputs::data(&args.data)?, inputs::data(args.test.as_slice())?);
    let Start { mut fit, options, before } = Start::new(args, &data)?;
    let mut output = Output::create(&args.output)?;
    check_files(&data, &test, &output)?;
    let report = args.report.as_deref().map(|name| report::open(name, args, &data, &test, &output)).transpose()?;
    let signals = Signals::catch([&args.output].into_iter().chain(&args.report));
    let mut reporter = reporter(args, &fit, Some(output.name()), console, report.is_some());
    reporter.stage("checking files");
    let (name, stop) = (output.name().to_owned(), stop::conditions(&signals).with_deadline(deadline));
    let ready = fit.read_means(&data);
    let loss = fit.settings().loss;
    let options = surefoot_io::Options { reading: fit.options().reading.clone(), ..options };
    let mut command = Command { args, name, options, before, shuffle: None, test, report, signals };
    match ready.and_then(|()| command.check_test(&data, loss, stop.clone())) {
        Ok(()) => {}
        Err(Interrupt::Error(error)) => return Err(command.words(error)),
        Err(Interrupt::Stop(reason)) => {
            return Err(command.nothing(Stop::of(reason, &command.signals), &mut reporter));
        }
    }
    let job = fit::job(&typed::words(), &data, &fit, args.engine.shards)?;
    let plan = fit.plan();
    reporter.stage("dividing the rows");
    if plan.optimum.is_none() {
        reporter.head(&plan);
    }
    let Carried { result, stopped, mut reporter } = carry_out(job, &stop, reporter, engines)?;
    reporter.stage("learning");
    let finished = Finished::from_bytes(&result).map_err(Failure::data)?;
    if let Some(model) = &finished.model {
        let kept = |failure: Failure| checkpoint::kept(args.checkpoint.as_deref(), failure);
        save_model(model, &mut output).map_err(|error| kept(output.error(error).into()))?;
        output.commit().map_err(|error| kept(error.into()))?;
    }
    finished.remove_checkpoint(args.checkpoint.as_deref());
    reporter.stage("saving");
    command.tell_finished(&finished, stopped, (&data, plan), reporter)
}

impl Command<'_> {
    /// Evaluates the saved model, prints the results and returns the outcome of the run.
    fn tell_finished(
        &mut self,
        finished: &Finished,
        stopped: Option<StopReason>,
        (data, plan): (&Data, Plan),
        mut reporter: Reporter,
    ) -> Result<(), Failure> {
        let stopped = stopped.filter(|_| !finished.is_over()).map(|reason| Stop::of(reason, &self.signals));
        let Some(model) = &finished.model else {
            return Err(self.nothing(stopped.unwrap_or(Stop::Budget), &mut reporter));
        };
        let saved = |failure: Failure| failure.and(format!("{} is saved", self.name));
        unused::tell_groups(&finished.numbers.unused_groups, &reporter.console);
        let test = self.measure(model).map_err(saved)?;
        reporter.stage("measuring");
        let (mut plot_data, mut unseen) = (None, None);
        let test = test.map(|found| {
            (plot_data, unseen) = (Some(found.plot_data), Some(found.unseen));
            found.measured
        });
        let mut trainer = Trainer::new(model.settings.clone(), Plan::ONE_PASS);
        let summary = finished.summary(model);
        let report = self.report.as_ref().map(|output| output.name().to_owned());
        let results = finished.fill(Results {
            report: report.as_deref(),
            test: test.as_ref(),
            unseen: unseen.as_ref(),
            seconds: reporter.seconds(),
            stop: stopped,
            is_resumable: false,
            ..Results::of(model, &self.name, &trainer, &summary, &self.options.found)
        });
        if let (Some(output), Some(record)) = (&mut self.report, &reporter.record) {
            let quality = report::quality(&results, plot_data, &mut trainer, plan);
            let (workers, results, inputs) = (&reporter.watched.workers, &results, data.inputs());
            let (bytes, ended, workers) = (workers.bytes(), report::ended(stopped), Some(workers));
            let run = RunPage { record, results, plan, shuffle: None, inputs, first: 0, bytes, ended, workers };
            Page { title: data.to_string(), model, quality, run: Some(run) }.write(output).map_err(saved)?;
        }
        results.tell(&reporter.console);
        reporter.events.emit(&results.event());
        match stopped {
            Some(Stop::Signal(signal)) => {
                let resume = match &self.args.checkpoint {
                    Some(_) => "the same command goes on from the checkpoint",
                    None => "with --checkpoint DIR the same command would go on",
                };
                Err(Failure::signalled(
                    signal,
                    format!("{}: {} has the best model so far; {resume}", signal.name(), self.name),
                ))
            }
            _ => reporter.events.close(),
        }
    }
}
