//! Record of a training run for the HTML report: a few hundred points, however many rows the run has.

use serde_json::{Value, json};
use std::time::Instant;
use surefoot_glm::{Certificate, Subject, Summary, Trainer, optimum::Optimum};

/// Factor by which the row count grows from one recorded point to the next: about eight points per doubling.
const GROWTH: f64 = 1.09;

/// Losses, certified gaps and stage durations of a training run.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) points: Vec<Point>,
    pub(crate) gaps: Vec<Gap>,
    /// Stages of the run, such as reading or learning: the name and the duration in seconds of each.
    pub(crate) stages: Vec<(&'static str, f64)>,
    /// Row count at which the next point is recorded.
    next: u64,
    since: Instant,
}

/// Losses of a run at one row count: point of the curves in the HTML report.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) seconds: f64,
    pub(crate) summary: Summary,
    /// Mean loss of the rows since the previous point; `None` if there are none.
    pub(crate) recent: Option<f64>,
}

/// Certified bound on how much better the best possible model could be, at one moment of the run.
#[derive(Debug)]
pub(crate) struct Gap {
    pub(crate) seconds: f64,
    pub(crate) rows: u64,
    pub(crate) passes: u32,
    /// Training objective over all rows; `None` if it was not computed.
    pub(crate) objective: Option<f64>,
    /// Upper bound on the amount by which any model could be better; `None` if no bound is known.
    pub(crate) gap: Option<f64>,
}

impl Record {
    pub(crate) fn new() -> Record {
        let (points, gaps, stages) = Default::default();
        Record { points, gaps, stages, next: 0, since: Instant::now() }
    }

    /// Records a point if the row count is a power of two, as in the printed progress table, or has grown by the factor [`GROWTH`].
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

    /// Records a point after a round of several processes.
    pub(crate) fn round(&mut self, summary: &Summary, seconds: f64) {
        if self.points.last().is_some_and(|last| last.summary.rows >= summary.rows) {
            return;
        }
        let recent = since(self.points.last().map(|point| &point.summary), summary);
        self.points.push(Point { seconds, summary: summary.clone(), recent });
    }

    /// Records the last point of the run, unless a point was already recorded at this row count.
    pub(crate) fn end(&mut self, trainer: &mut Trainer, seconds: f64) {
        let rows = trainer.summary().rows;
        if self.points.last().is_none_or(|point| point.summary.rows < rows) {
            self.take(rows, trainer, seconds);
        }
    }

    /// Records the smallest bound on the gap to the best model among these certificates; does nothing if none contains a bound.
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

    /// Records the objective and the certified gap after an iteration of the search for the optimum.
    pub(crate) fn iteration(&mut self, found: &Optimum, rows: u64, seconds: f64) {
        let passes = 1 + found.passes.ceil() as u32;
        self.gaps.push(Gap { seconds, rows, passes, objective: Some(found.objective), gap: found.gap });
    }

    /// Adds the time since the previous call to the duration of the stage called `name`.
    pub(crate) fn stage(&mut self, name: &'static str) {
        let seconds = self.since.elapsed().as_secs_f64();
        self.since = Instant::now();
        match self.stages.iter_mut().find(|stage| stage.0 == name) {
            Some(stage) => stage.1 += seconds,
            None => self.stages.push((name, seconds)),
        }
    }

    /// Returns the recorded losses as lists of equal length, and those of the search for the optimum.
    pub(crate) fn curve(&self) -> Value {
        let (points, gaps) = (&self.points, &self.gaps);
        json!({
            "rows": points.iter().map(|point| point.summary.rows).collect::<Vec<_>>(),
            "seconds": points.iter().map(|point| point.seconds).collect::<Vec<_>>(),
            "loss": points.iter().map(|point| point.summary.loss).collect::<Vec<_>>(),
            "recent": recent(points),
            "constant": points.iter().map(|point| point.summary.loss_constant).collect::<Vec<_>>(),
            "search": {
                "passes": gaps.iter().map(|gap| gap.passes).collect::<Vec<_>>(),
                "seconds": gaps.iter().map(|gap| gap.seconds).collect::<Vec<_>>(),
                "objective": gaps.iter().map(|gap| gap.objective).collect::<Vec<_>>(),
                "gap": gaps.iter().map(|gap| gap.gap).collect::<Vec<_>>(),
            },
        })
    }
}

/// Returns the mean loss of the rows between each point and the one before it; `None` where there are none.
fn recent(points: &[Point]) -> Vec<Option<f64>> {
    let mut before = None;
    let mean = |point: &Point| {
        point.summary.loss?;
        since(before.replace(point.summary.clone()).as_ref(), &point.summary)
    };
    points.iter().map(mean).collect()
}

/// Returns the mean loss of the rows between two moments of a run, or from its start on; `None` if there are none.
fn since(before: Option<&Summary>, now: &Summary) -> Option<f64> {
    let sum = |of: &Summary| Some((of.weight, of.weight * of.loss?));
    let (weight, total) = before.and_then(sum).unwrap_or_default();
    let (now_weight, now_total) = sum(now)?;
    (now_weight > weight).then(|| (now_total - total) / (now_weight - weight))
}
