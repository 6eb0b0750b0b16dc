//! The end of a fit.

use crate::{
    bad_rows::BadRows,
    certificates::with_full_pass,
    error::FitError,
    event::Event,
    session::Session,
    stop::{Interrupt, StopReason},
    unmet::{Purpose, unmet_names},
};
use std::fmt;
use surefoot_glm::{
    Caution, Model, Plan, Problem, Trainer,
    optimum::{Ended, Optimum},
};
use surefoot_io::Options;

/// Beyond this many standard deviations a mean takes digits that a search may need.
const FAR: f64 = 1e3;

/// The result of a fit, saved if that was asked for.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The model; after an early stop with the state needed to resume.
    pub model: Model,
    /// The trainer, with progressive metrics, held-out rows and a sample of the rows.
    pub trainer: Trainer,
    /// Options of the readers, with the inferred properties of the data.
    pub options: Options,
    /// Passes, hold-out and optimum.
    pub plan: Plan,
    /// Skipped rows at fault.
    pub bad_rows: BadRows,
    /// The objective of the model over all rows, if it was computed.
    pub objective: Option<f64>,
    /// The result of the search for the optimum, if there was one.
    pub optimum: Option<Optimum>,
    /// A caveat about that result, if there is one.
    pub caution: Option<Caution>,
    /// The column that may have stalled the search, and its mean in standard deviations.
    pub far_column: Option<(String, f64)>,
    /// Why the run ended early, if it did.
    pub stop: Option<StopReason>,
    /// Number of rows learnt before this run.
    pub first: u64,
    /// Whether anything was learnt; nothing is saved otherwise.
    pub has_learnt: bool,
}

/// A failed fit.
#[derive(Debug)]
pub struct Failed {
    /// The reason.
    pub error: FitError,
    /// The row up to which a model of this run was saved, if any.
    pub saved: Option<u64>,
}

impl From<FitError> for Failed {
    fn from(error: FitError) -> Failed {
        Failed { error, saved: None }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        self.saved.map_or(Ok(()), |row| write!(f, "; the model up to row {row} is saved"))
    }
}

impl std::error::Error for Failed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl Session<'_> {
    /// Makes all passes that are left, seeks the optimum if that was asked for, and saves the model. O(nnz) per pass.
    ///
    /// # Errors
    /// Why the fit cannot go on, and the row up to which a model was saved.
    pub fn run(mut self) -> Result<Outcome, Failed> {
        let stop = match self.passes() {
            Ok(()) => None,
            Err(Interrupt::Stop(reason)) => Some(reason),
            Err(Interrupt::Error(error)) => return Err(self.failed(error)),
        };
        self.end(stop)
    }

    /// Ends before a row was learnt.
    pub(crate) fn nothing(self, reason: StopReason) -> Result<Outcome, Failed> {
        self.end(Some(reason))
    }

    fn failed(&self, error: FitError) -> Failed {
        Failed { error, saved: self.saver.saved() }
    }

    fn end(mut self, stop: Option<StopReason>) -> Result<Outcome, Failed> {
        let finished = stop.is_none_or(StopReason::finishes);
        let has_learnt = finished || self.has_learnt();
        let mut model = if finished { self.model() } else { self.unfinished() };
        let (full, objective) = self.full.take().filter(|_| finished).unzip();
        if let Some(full) = full {
            let rows = model.summary.rows;
            model.certificates = with_full_pass(full, objective.flatten(), model.certificates, &model.settings, rows);
        }
        if stop.is_none() {
            self.check_learnt(&model).map_err(|error| self.failed(error))?;
        }
        self.observer.event(Event::TrainingEnded(&mut self.trainer));
        if has_learnt {
            self.saver.save(&model, self.rows).map_err(|error| Failed { error, saved: self.saver.saved() })?;
        }
        let caution = self.optimum.as_ref().and_then(|(problem, found)| problem.caution(found));
        let far_column = self.optimum.as_ref().and_then(|(problem, found)| far_column(problem, found, &model));
        let optimum = self.optimum.map(|(_, found)| found);
        let objective = optimum.as_ref().map(|found| found.objective).or(objective.flatten());
        Ok(Outcome {
            model,
            trainer: self.trainer,
            options: self.options,
            plan: self.position.plan,
            bad_rows: self.bad_rows,
            objective,
            optimum,
            caution,
            far_column,
            stop,
            first: self.first,
            has_learnt,
        })
    }

    /// Whether there was anything to learn from, which only the end of the data tells.
    fn check_learnt(&self, model: &Model) -> Result<(), FitError> {
        let data = || self.data.to_string();
        if self.position.whole.as_ref().is_none_or(|whole| whole.rows == 0) {
            return Err(FitError::NoRows { data: data() });
        }
        let summary = self.trainer.summary();
        if !self.resumed && summary.rows == summary.rows_zero_weight {
            return Err(FitError::NoWeight { data: data() });
        }
        let name = unmet_names(&self.options).into_iter().find(|unmet| unmet.purpose == Purpose::Keep);
        match name {
            Some(name) if model.index.is_empty() => Err(FitError::NoFeature { data: data(), name }),
            _ => Ok(()),
        }
    }
}

/// The column that may be why a search has stalled, and its mean in standard deviations.
fn far_column(problem: &Problem, found: &Optimum, model: &Model) -> Option<(String, f64)> {
    if !matches!(found.ended, Ended::Stalled | Ended::Exhausted) {
        return None;
    }
    let (at, ratio) = problem.farthest_column().filter(|(_, ratio)| *ratio >= FAR)?;
    let id = *model.index.get(at)?;
    Some((model.names.of(id).map_or_else(|| id.to_string(), str::to_owned), ratio))
}
