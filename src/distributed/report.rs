//! Events of a distributed fit, as one worker reports them and the coordinator shows them.

use crate::{
    terminal::{reporter::Reporter, worker_lines},
    words::labels,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use surefoot_distributed::Exchange;
use surefoot_fit::{Event, Observer};
use surefoot_glm::{
    Fault, Labels, PathPoint, Settings, Step, Summary,
    optimum::{Ended, Optimum},
};
use surefoot_io::Options;

/// Event of the worker that owns the first shard.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// Rows learnt in rounds.
    Round {
        summary: Box<Summary>,
        recent: Option<f64>,
        bytes: u64,
    },
    ChoosingPenalty,
    Split(usize, usize),
    Point(PathPoint),
    Searching {
        settings: Box<Settings>,
        tolerance: f64,
    },
    Iteration {
        objective: Option<f64>,
        size: Option<f64>,
        gap: Option<f64>,
        passes: f64,
        iterations: usize,
        rows: u64,
    },
}

impl Report {
    /// Shows the report to an observer of a fit as the event that it was.
    pub(crate) fn show(&self, observer: &mut dyn Observer) {
        match self {
            Report::Round { summary, recent, bytes } => {
                observer.event(Event::Round { summary, recent: *recent, bytes: *bytes });
            }
            Report::ChoosingPenalty => observer.event(Event::ChoosingPenalty),
            Report::Split(done, of) => observer.event(Event::PenaltyStep(Step::Split(*done, *of))),
            Report::Point(point) => observer.event(Event::PenaltyStep(Step::Point(point))),
            Report::Searching { settings, tolerance } => {
                observer.event(Event::Searching { settings, tolerance: *tolerance });
            }
            Report::Iteration { objective, size, gap, passes, iterations, rows } => {
                let found = Optimum {
                    weights: Vec::new(),
                    intercept: Vec::new(),
                    objective: objective.unwrap_or(f64::NAN),
                    size: size.unwrap_or(f64::NAN),
                    gap: *gap,
                    passes: *passes,
                    iterations: *iterations,
                    ended: Ended::Running,
                };
                observer.event(Event::Iteration { found: &found, rows: *rows });
            }
        }
    }
}

/// Latest report: the loss of the pass so far, or an iteration of the search for the optimum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latest {
    loss: Option<f64>,
    passes: Option<f64>,
    objective: Option<f64>,
    gap: Option<f64>,
}

impl Latest {
    /// Returns what is known after another report.
    pub(super) fn after(self, report: &Report) -> Latest {
        match report {
            Report::Round { summary, .. } => Latest { loss: summary.loss, ..self },
            Report::Iteration { passes, objective, gap, .. } => {
                Latest { passes: Some(*passes), objective: *objective, gap: *gap, ..self }
            }
            _ => self,
        }
    }

    /// Returns where the run stands, as JSON.
    pub(super) fn status(self, reporter: &Reporter) -> Value {
        let workers = &reporter.watched.workers;
        json!({
            "seconds": reporter.seconds(),
            "workers": workers.status.workers.len(),
            "working": workers.status.working(),
            "lost": workers.status.lost,
            "exchanges": workers.status.exchanges,
            "rows": workers.rows(),
            "rows_per_second": workers.present_speed(),
            "share": workers.share(),
            "exchanged": workers.exchanged(),
            "loss": self.loss,
            "passes": self.passes,
            "objective": self.objective,
            "gap": self.gap,
            "each": worker_lines::list(workers),
        })
    }
}

/// Observer of the fit of a worker, which reports its events and counts the rows that the worker goes through.
pub(crate) struct Reports {
    exchange: Arc<Exchange>,
    /// Number of rows of the own shards, and of passes over them in the search so far.
    rows: u64,
    passes: f64,
}

impl Reports {
    pub(crate) fn new(exchange: Arc<Exchange>) -> Reports {
        Reports { exchange, rows: 0, passes: 0.0 }
    }

    /// Counts what an event says about rows.
    fn count(&mut self, event: &Event<'_>) {
        match event {
            Event::ShardRead { rows, bytes } => {
                self.rows += rows;
                self.exchange.read(*rows, *bytes);
            }
            Event::Searching { .. } => self.passes = 0.0,
            Event::Iteration { found, .. } => {
                let passes = (found.passes - self.passes).max(0.0);
                self.passes = found.passes;
                self.exchange.visit((passes * self.rows as f64) as u64);
            }
            _ => {}
        }
    }
}

impl Observer for Reports {
    fn event(&mut self, event: Event<'_>) {
        self.count(&event);
        let finite = |x: f64| Some(x).filter(|x| x.is_finite());
        let report = match event {
            Event::Round { summary, recent, bytes } => {
                Report::Round { summary: Box::new(summary.clone()), recent, bytes }
            }
            Event::ChoosingPenalty => Report::ChoosingPenalty,
            Event::PenaltyStep(Step::Split(done, of)) => Report::Split(done, of),
            Event::PenaltyStep(Step::Point(point)) => Report::Point(*point),
            Event::Searching { settings, tolerance } => {
                Report::Searching { settings: Box::new(settings.clone()), tolerance }
            }
            Event::Iteration { found, rows } => Report::Iteration {
                objective: finite(found.objective),
                size: finite(found.size),
                gap: found.gap,
                passes: found.passes,
                iterations: found.iterations,
                rows,
            },
            _ => return,
        };
        self.exchange.report(|| serde_json::to_vec(&report).unwrap_or_default());
    }

    fn explain(&self, fault: &Fault, labels: &Labels, options: &Options) -> String {
        labels::message(fault, labels, options)
    }
}
