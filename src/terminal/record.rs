//! How a run went, for its report: a few hundred points however long it is.

use std::time::Instant;
use surefoot_glm::{Certificate, Subject, Summary, Trainer, optimum::Optimum};

/// Points are taken when the number of rows has grown by this share: eight a doubling.
const GROWTH: f64 = 1.09;

/// Record of a run, for the report.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) points: Vec<Point>,
    pub(crate) gaps: Vec<Gap>,
    /// Stages of the run, with their durations in seconds.
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// The number of rows from which on the next point is taken.
    next: u64,
    since: Instant,
}

/// The state of a run at a moment.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) seconds: f64,
    pub(crate) summary: Summary,
    /// The mean loss of fresh rows since the point before.
    pub(crate) recent: Option<f64>,
}

/// Certified gap at a moment.
#[derive(Debug)]
pub(crate) struct Gap {
    pub(crate) seconds: f64,
    pub(crate) rows: u64,
    pub(crate) passes: u32,
    /// The objective, where it was computed over all rows.
    pub(crate) objective: Option<f64>,
    /// No model is better by more than this, if there is such a bound.
    pub(crate) gap: Option<f64>,
}

impl Record {
    pub(crate) fn new() -> Record {
        let (points, gaps, stages) = Default::default();
        Record { points, gaps, stages, next: 0, since: Instant::now() }
    }

    /// Takes a point, if so many rows are worth one: as the table of the terminal, when their number has doubled, and
    /// some times between.
    pub(crate) fn look(&mut self, rows: u64, trainer: &mut Trainer, seconds: f64) {
        if rows >= self.next || rows.is_power_of_two() {
            self.take(rows, trainer, seconds);
        }
    }

    fn take(&mut self, rows: u64, trainer: &mut Trainer, seconds: f64) {
        self.next = (rows + 1).max((rows as f64 * GROWTH) as u64);
        let recent = trainer.recent_progressive_loss();
        self.points.push(Point { seconds, summary: trainer.summary(), recent });
    }

    /// Takes the last point, unless it was just taken.
    pub(crate) fn end(&mut self, trainer: &mut Trainer, seconds: f64) {
        let rows = trainer.summary().rows;
        if self.points.last().is_none_or(|point| point.summary.rows < rows) {
            self.take(rows, trainer, seconds);
        }
    }

    /// Remembers what a certificate says of the optimum; of several the least.
    pub(crate) fn certified(
        &mut self,
        certificates: &[Certificate],
        objective: Option<f64>,
        trainer: &Trainer,
        seconds: f64,
    ) {
        let bounds =
            certificates.iter().filter_map(Certificate::bound).filter(|bound| bound.subject == Subject::Excess);
        let Some(gap) = bounds.map(|bound| bound.value).min_by(f64::total_cmp) else { return };
        let Summary { rows, passes, .. } = trainer.summary();
        self.gaps.push(Gap { seconds, rows, passes, objective, gap: Some(gap) });
    }

    /// Remembers what an iteration of a search has found.
    pub(crate) fn iteration(&mut self, found: &Optimum, rows: u64, seconds: f64) {
        let passes = 1 + found.passes.ceil() as u32;
        self.gaps.push(Gap { seconds, rows, passes, objective: Some(found.objective), gap: found.gap });
    }

    /// Says what the time since the last call went into.
    pub(crate) fn stage(&mut self, name: &'static str) {
        let seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        match self.stages.iter_mut().find(|stage| stage.0 == name) {
            Some(stage) => stage.1 += seconds,
            None => self.stages.push((name, seconds)),
        }
    }
}
