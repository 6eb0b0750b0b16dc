//! Observer of a fit: prints its events as a table with a progress bar, or as JSON lines.

use super::{
    console::Console,
    lines::{COLUMNS, Events, Iteration, Line, PATH_COLUMNS, PathLine, SEARCH_COLUMNS},
    opening::Opening,
    progress::Progress,
    record::Record,
    results,
    watched::Watched,
};
use crate::words::labels;
use crate::words::{number, unmet};
use std::time::Instant;
use surefoot_fit::{Event, Observer, Rows};
use surefoot_glm::{Certificate, Fault, Labels, Plan, Settings, Step, Summary, Trainer, optimum::Optimum};
use surefoot_io::Options;

#[derive(Debug)]
pub(crate) struct Reporter {
    pub(crate) console: Console,
    pub(crate) events: Events,
    /// Record of the losses of the run for the HTML report; `None` if no report was requested.
    pub(crate) record: Option<Record>,
    /// First lines of the output, printed once the first rows are read; `None` once printed.
    pub(crate) opening: Option<Opening>,
    /// Workers of a distributed fit.
    pub(crate) watched: Watched,
    /// Loss or objective so far, in words.
    pub(crate) latest: String,
    /// Number of rows at the latest round of several processes.
    rounds: u64,
    bar: Option<Progress>,
    started: Instant,
    /// Number of bytes read by this run in completed passes.
    before: u64,
    /// Number of bytes read by this run in all passes, including the current one.
    read: u64,
    /// Progress, in bytes, made in completed passes: see [`Rows::work`].
    done: u64,
    /// Number of times that the run will read the data, from files or from memory; determines the length of the
    /// progress bar.
    times: u64,
}

impl Reporter {
    /// Creates the reporter of a run that reads the data `times` times.
    pub(crate) fn new(console: Console, json: bool, times: u64, record: Option<Record>) -> Reporter {
        let (events, started) = (Events::new(json), Instant::now());
        let (watched, latest, rounds, opening, bar) = Default::default();
        let (before, read, done) = (0, 0, 0);
        Reporter { console, events, record, opening, watched, latest, rounds, bar, started, before, read, done, times }
    }

    /// Prints what the reported loss means, and the heading of the progress table.
    pub(crate) fn head(&self, plan: &Plan) {
        self.console.say(&match plan.period() {
            None => "loss: mean over all rows, each scored before it is learnt".to_owned(),
            Some(period) => format!(
                "loss: mean over the held-out rows, one in {period}, before they are learnt at the end (with fewer rows, over all, each before it is learnt)"
            ),
        });
        self.console.say(COLUMNS);
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Prints one line of the progress table.
    fn line(&mut self, summary: &Summary, recent: Option<f64>, rows: &Rows) {
        let bytes = self.before + rows.bytes().0;
        let line = Line { summary, recent, seconds: self.seconds(), bytes };
        self.console.say(&line.text());
        self.events.emit(&line.event());
    }

    /// Prints a line that explains how a penalty will be chosen, at the start of the choice.
    fn path_head(&mut self) {
        self.end();
        self.console.say("path: each penalty at its optimum over nine rows in ten, judged by the others");
    }

    /// Prints a step in the choice of the penalty: a finished split of the rows, or a line of the table of penalties.
    fn path_step(&mut self, step: Step<'_>) {
        let point = match step {
            Step::Split(done, of) => {
                let seconds = self.seconds();
                self.console.say(&format!("split {done} of {of}, {seconds:.2} s"));
                if done == of {
                    self.console.say(PATH_COLUMNS);
                }
                return;
            }
            Step::Point(point) => point,
        };
        let line = PathLine { point, seconds: self.seconds() };
        self.console.say(&line.text());
        self.events.emit(&line.event());
    }

    /// Prints the objective that the search minimises, and the heading of the table of iterations.
    fn search_head(&mut self, settings: &Settings, tolerance: f64) {
        self.end();
        let (objective, share) = (results::objective(settings), number::shortest(tolerance));
        self.console.say(&format!("search: the least {objective} over all rows, to {share} of it"));
        self.console.say(SEARCH_COLUMNS);
    }

    /// Prints and records an iteration of the search for the optimum.
    fn iteration(&mut self, found: &Optimum, rows: u64) {
        let seconds = self.seconds();
        if let Some(record) = &mut self.record {
            record.iteration(found, rows, seconds);
        }
        self.latest = search(found);
        let line = Iteration { found, seconds: self.seconds() };
        self.console.say(&line.text());
        self.events.emit(&line.event());
    }

    /// Records a round of several processes, and prints a line of the progress table if the number of rows has passed a power of two.
    fn round(&mut self, summary: &Summary, recent: Option<f64>, bytes: u64) {
        let seconds = self.seconds();
        if let Some(record) = &mut self.record {
            record.round(summary, seconds);
        }
        self.latest = format!("loss {}", number::loss(summary.loss));
        let before = std::mem::replace(&mut self.rounds, summary.rows);
        if summary.rows.max(1).ilog2() > before.max(1).ilog2() {
            let line = Line { summary, recent, seconds, bytes };
            self.console.say(&line.text());
            self.events.emit(&line.event());
        }
    }

    /// Records the losses of the trainer after `rows` rows, if a report was requested.
    fn look(&mut self, rows: u64, trainer: &mut Trainer) {
        let seconds = self.started.elapsed();
        if let Some(record) = &mut self.record {
            record.look(rows, trainer, seconds.as_secs_f64());
        }
    }

    /// Records the bound on the gap that certificates give, if a report was requested.
    fn certified(&mut self, certificates: &[Certificate], objective: Option<f64>, trainer: &Trainer) {
        let seconds = self.seconds();
        if let Some(record) = &mut self.record {
            record.certified(certificates, objective, trainer, seconds);
        }
    }

    /// Adds the time since the previous call to the duration of the stage called `name`, if a report was requested.
    pub(crate) fn stage(&mut self, name: &'static str) {
        if let Some(record) = &mut self.record {
            record.stage(name);
        }
    }

    /// Records the final losses when learning has ended, if a report was requested.
    fn close_record(&mut self, trainer: &mut Trainer) {
        let seconds = self.seconds();
        if let Some(record) = &mut self.record {
            record.end(trainer, seconds);
            record.stage("learning");
        }
    }

    /// Returns the number of bytes that this run has read.
    pub(crate) fn bytes(&self) -> u64 {
        self.read
    }

    /// Moves the progress bar to the current position in the data.
    fn at(&mut self, rows: &Rows) {
        let (bytes, total) = rows.bytes();
        let all = total.map(|total| total * self.times);
        let bar = self.bar.get_or_insert_with(|| Progress::new(&mut self.console, all));
        self.read = self.before + bytes;
        let work = self.done + rows.work();
        bar.at(work);
        self.console.progress(work, all);
    }

    /// Adds the bytes read and the progress of a completed pass to the totals.
    fn end_pass(&mut self, rows: &Rows) {
        self.before += rows.bytes().0;
        self.done += rows.work();
    }

    /// Removes the progress bar from the screen.
    pub(crate) fn end(&mut self) {
        if let Some(bar) = &self.bar {
            bar.end();
        }
    }
}

impl Observer for Reporter {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Reading(rows) => self.at(rows),
            Event::RowsLearnt { rows, trainer } => self.look(rows, trainer),
            Event::Milestone { trainer, rows } => self.milestone(trainer, rows),
            Event::Round { summary, recent, bytes } => self.round(summary, recent, bytes),
            Event::Opened(options) => self.open(options),
            Event::PassEnded(rows) => self.end_pass(rows),
            Event::Certifying => {
                self.stage("learning");
                self.console.say("reading all rows once more, for the certificate");
            }
            Event::Certified { certificates, objective, trainer } => {
                self.certified(certificates, objective, trainer);
                self.stage("certificate");
            }
            Event::ChoosingPenalty => self.path_head(),
            Event::PenaltyStep(step) => self.path_step(step),
            Event::Searching { settings, tolerance } => self.search_head(settings, tolerance),
            Event::Iteration { found, rows } => self.iteration(found, rows),
            Event::TrainingEnded(trainer) => {
                self.end();
                self.close_record(trainer);
            }
            Event::UnmetNames { rows, names } => {
                unmet::warnings(&names, rows).iter().for_each(|message| self.console.warn(message));
            }
            other => self.remark(&other),
        }
    }

    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        labels::message(fault, labels, options)
    }
}

impl Reporter {
    /// Prints a line of the progress table at a row count that is a power of two, and records the certified gap for the
    /// HTML report.
    fn milestone(&mut self, trainer: &mut Trainer, rows: &Rows) {
        let recent = trainer.recent_loss();
        self.line(&trainer.summary(), recent, rows);
        if self.record.is_some() {
            self.certified(&trainer.certificates(), None, trainer);
        }
    }

    /// Prints an event that needs only one sentence; ignores other events.
    fn remark(&self, event: &Event<'_>) {
        match event {
            Event::Spooling => {
                self.console.note("standard input is spooled to a temporary file, to be read several times");
            }
            Event::ReadingMeans => self
                .console
                .note("all rows are read once more, before they are learnt, for the means of the columns"),
            Event::Spilled => self.console.note(&format!(
                "memory does not hold all rows: they are shuffled by way of a file in {} (TMPDIR)",
                std::env::temp_dir().display()
            )),
            Event::NoOptimum => self.console.warn(
                "losses are too large to be added up: there is no optimum to be found; the model of the first pass is saved",
            ),
            _ => {}
        }
    }
}

/// Describes the best model of the search so far.
fn search(found: &Optimum) -> String {
    let gap = found.gap.map_or_else(String::new, |gap| format!(", gap {gap:.2e}"));
    format!("objective {}{gap}", number::loss(Some(found.objective)))
}
