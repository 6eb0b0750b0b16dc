//! End of a fit: its outcome, and the failure of a fit.

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

/// Minimum ratio |mean| / standard deviation at which a column may stall a search for the optimum, because its mean uses up digits.
const FAR: f64 = 1e3;

/// Result of a fit. The model is also saved if an output was set.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Trained model. After an early stop it holds the state needed to resume.
    pub model: Model,
    /// Trainer of the model, with progressive metrics, held-out rows and a sample of the rows.
    pub trainer: Trainer,
    /// Options of the readers, including the inferred properties of the data.
    pub options: Options,
    /// Passes, hold-out and optimum of the run.
    pub plan: Plan,
    /// Counter of the skipped rows at fault, with the first errors.
    pub bad_rows: BadRows,
    /// Objective of the model over all rows; `None` if it was not computed.
    pub objective: Option<f64>,
    /// Result of the search for the optimum; `None` without a search.
    pub optimum: Option<Optimum>,
    /// Reason why the optimum should be used with care, if there is one.
    pub caution: Option<Caution>,
    /// Name of the column that may have stalled the search for the optimum, and its |mean| in standard deviations; `None` if there is none.
    pub far_column: Option<(String, f64)>,
    /// Reason why the run ended early; `None` if it reached its end.
    pub stop: Option<StopReason>,
    /// Number of rows learnt before this run.
    pub first: u64,
    /// Whether anything was learnt. If not, no model is saved.
    pub has_learnt: bool,
}

/// Failure of a fit.
#[derive(Debug)]
pub struct Failed {
    /// Reason of the failure.
    pub error: FitError,
    /// Number of the row up to which this run saved a model; `None` if it saved none.
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
    /// Runs all remaining passes, searches for the optimum if requested, and saves the model. O(nnz) per pass.
    ///
    /// # Errors
    /// The reason why the fit cannot continue, and the row up to which a model was saved.
    pub fn run(mut self) -> Result<Outcome, Failed> {
        let stop = match self.passes() {
            Ok(()) => None,
            Err(Interrupt::Stop(reason)) => Some(reason),
            Err(Interrupt::Error(error)) => return Err(self.failed(error)),
        };
        self.end(stop)
    }

    /// Ends the run before any row is learnt.
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

    /// Checks that the data had rows with weight and features to learn from, which is known only at the end of the data.
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

/// Returns the name of the column that may have stalled a search, and its |mean| in standard deviations; `None` if there is none.
fn far_column(problem: &Problem, found: &Optimum, model: &Model) -> Option<(String, f64)> {
    if !matches!(found.ended, Ended::Stalled | Ended::Exhausted) {
        return None;
    }
    let (at, ratio) = problem.farthest_column().filter(|(_, ratio)| *ratio >= FAR)?;
    let id = *model.index.get(at)?;
    Some((model.names.of(id).map_or_else(|| id.to_string(), str::to_owned), ratio))
}
