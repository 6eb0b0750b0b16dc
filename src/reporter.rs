//! Who is told how a fit goes on: the table and the bar, or JSON lines.

use crate::{
    console::Console,
    number,
    progress::Progress,
    report::{COLUMNS, Events, Iteration, Line, PATH_COLUMNS, PathLine, SEARCH_COLUMNS},
    results,
    rows::Rows,
};
use std::time::Instant;
use surefoot_glm::{PathPoint, Plan, Settings, Summary, optimum::Optimum};

#[derive(Debug)]
pub(crate) struct Reporter {
    pub(crate) console: Console,
    pub(crate) events: Events,
    bar: Option<Progress>,
    started: Instant,
    /// Bytes read in the passes before the current one.
    before: u64,
    /// Passes that this call makes over the data, for the length of the bar.
    passes: u64,
}

impl Reporter {
    pub(crate) fn new(console: Console, json: bool, passes: u32) -> Reporter {
        let (events, started) = (Events::new(json), Instant::now());
        Reporter { console, events, bar: None, started, before: 0, passes: u64::from(passes) }
    }

    /// Says what the columns mean.
    pub(crate) fn head(&self, plan: &Plan) {
        self.console.say(&match plan.period() {
            None => "loss: mean over all rows, each scored before it is learnt".to_owned(),
            Some(period) => format!(
                "loss: mean over the held-out rows, never learnt: one in {period} (with fewer rows, all, each scored before it is learnt)"
            ),
        });
        self.console.say(COLUMNS);
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// A line of the table.
    pub(crate) fn line(&mut self, summary: &Summary, recent: Option<f64>, rows: &Rows) {
        let bytes = self.before + rows.bytes().0;
        let line = Line { summary, recent, seconds: self.seconds(), bytes };
        self.console.say(&line.text());
        self.events.emit(&line.event());
    }

    /// Says how a penalty is chosen.
    pub(crate) fn path_head(&mut self) {
        self.end();
        self.console.say("path: each penalty at its optimum over nine rows in ten, judged by the others");
        self.console.say(PATH_COLUMNS);
    }

    /// A line of the table of penalties.
    pub(crate) fn path_point(&mut self, point: &PathPoint) {
        let line = PathLine { point, seconds: self.seconds() };
        self.console.say(&line.text());
        self.events.emit(&line.event());
    }

    /// Says what a search is for, and what its columns mean.
    pub(crate) fn search_head(&mut self, settings: &Settings, tolerance: f64) {
        self.end();
        let (objective, share) = (results::objective(settings), number::shortest(tolerance));
        self.console.say(&format!("search: the least {objective} over all rows, to {share} of it"));
        self.console.say(SEARCH_COLUMNS);
    }

    /// A line of the table of a search.
    pub(crate) fn iteration(&mut self, found: &Optimum) {
        let line = Iteration { found, seconds: self.seconds() };
        self.console.say(&line.text());
        self.events.emit(&line.event());
    }

    /// Moves the bar.
    pub(crate) fn at(&mut self, rows: &Rows) {
        let (bytes, total) = rows.bytes();
        let all = total.map(|total| total * self.passes);
        let bar = self.bar.get_or_insert_with(|| Progress::new(&mut self.console, all));
        bar.at(self.before + bytes);
    }

    /// Counts the bytes of a pass that is over.
    pub(crate) fn end_pass(&mut self, rows: &Rows) {
        self.before += rows.bytes().0;
    }

    /// Takes the bar away.
    pub(crate) fn end(&mut self) {
        if let Some(bar) = &self.bar {
            bar.end();
        }
    }
}
