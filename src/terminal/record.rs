//! The course of a run for its report: a few hundred points, however long the run is.

use std::time::Instant;
use surefoot_glm::{Certificate, Subject, Summary, Trainer, optimum::Optimum};

/// Factor by which the number of rows grows from one point to the next: about eight points per doubling.
const GROWTH: f64 = 1.09;

/// Record of the course of a run.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) points: Vec<Point>,
    pub(crate) gaps: Vec<Gap>,
    /// Stages of the run, each with its duration in seconds.
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// Number of rows at which the next point is recorded.
    next: u64,
    since: Instant,
}

/// State of a run at one moment.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) seconds: f64,
    pub(crate) summary: Summary,
    /// Mean loss of the rows learnt since the previous point.
    pub(crate) recent: Option<f64>,
}

/// Certified gap at one moment.
#[derive(Debug)]
pub(crate) struct Gap {
    pub(crate) seconds: f64,
    pub(crate) rows: u64,
    pub(crate) passes: u32,
    /// Objective over all rows, if it was computed.
    pub(crate) objective: Option<f64>,
    /// Upper bound on how much any model could be better; `None` if there is no such bound.
    pub(crate) gap: Option<f64>,
}

impl Record {
    pub(crate) fn new() -> Record {
        let (points, gaps, stages) = Default::default();
        Record { points, gaps, stages, next: 0, since: Instant::now() }
    }

    /// Records a point if the number of rows is a power of two, as in the table of the terminal, or has grown by the factor [`GROWTH`].
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

    /// Records the final point, unless it was just recorded.
    pub(crate) fn end(&mut self, trainer: &mut Trainer, seconds: f64) {
        let rows = trainer.summary().rows;
        if self.points.last().is_none_or(|point| point.summary.rows < rows) {
            self.take(rows, trainer, seconds);
        }
    }

    /// Records the least certified gap, if there is a certificate of one.
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

    /// Records the objective and the gap of an iteration of the search.
    pub(crate) fn iteration(&mut self, found: &Optimum, rows: u64, seconds: f64) {
        let passes = 1 + found.passes.ceil() as u32;
        self.gaps.push(Gap { seconds, rows, passes, objective: Some(found.objective), gap: found.gap });
    }

    /// Adds the time since the previous call to the stage `name`.
    pub(crate) fn stage(&mut self, name: &'static str) {
        let seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        match self.stages.iter_mut().find(|stage| stage.0 == name) {
            Some(stage) => stage.1 += seconds,
            None => self.stages.push((name, seconds)),
        }
    }
}
