//! Outcome of a successful fit, and error of an unsuccessful one.

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
    Caution, Certificate, Model, Plan, Problem, Trainer,
    optimum::{Ended, Optimum},
};
use surefoot_io::Options;

/// Minimum ratio |mean| / standard deviation of a column that is reported as a likely cause if the search for the optimum stalled: a large
/// mean uses up the digits of floating-point numbers.
const FAR: f64 = 1e3;

/// Result of a successful fit. If an output was set, the model is also saved there.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Trained model. If the run stopped early, it also holds the state needed to resume.
    pub model: Model,
    /// Trainer of the model, which also holds progressive metrics, held-out rows and a sample of the rows.
    pub trainer: Trainer,
    /// Options for reading the data, including the properties inferred from the data.
    pub options: Options,
    /// Plan of the run: the number of passes, the hold-out period, and whether the optimum was computed.
    pub plan: Plan,
    /// Counter of the bad rows (rows that could not be parsed or learnt) that were skipped, with the first errors.
    pub bad_rows: BadRows,
    /// Mean loss plus penalty of the model over all rows; `None` if not computed.
    pub objective: Option<f64>,
    /// Result of the search for the optimum; `None` if there was no search.
    pub optimum: Option<Optimum>,
    /// Reason why the optimum should not be used as it is, such as separable labels without a penalty; `None` if there is no such reason.
    pub caution: Option<Caution>,
    /// Name of the column that may have stalled the search for the optimum, and its ratio |mean| / standard deviation; `None` if no column
    /// stalled it.
    pub far_column: Option<(String, f64)>,
    /// Reason why the run ended early; `None` if it ran to its end.
    pub stop: Option<StopReason>,
    /// Number of rows learnt by earlier runs of the same model.
    pub first: u64,
    /// Whether the run finished, or learnt rows or found an optimum before it stopped. Otherwise no model is saved.
    pub has_learnt: bool,
}

/// Error of an unsuccessful fit, with the row up to which a model was saved.
#[derive(Debug)]
pub struct Failed {
    /// Reason for the failure.
    pub error: FitError,
    /// Number of rows learnt by the model that this run last saved; `None` if it saved none.
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

    /// Returns the outcome of a run that was stopped before it learnt any row.
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
        if self.position.plan.optimum.is_some() && self.optimum.is_none() && stop.is_some() {
            model.certificates = vec![Certificate::none("the run was stopped before the optimum was sought")];
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

    /// Checks that the data had at least one row, a row of positive weight, and a usable feature; this is known only at the end of the
    /// data.
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

/// Returns the name of a column that may have stalled the search for the optimum, and its ratio |mean| / standard deviation; `None` if the
/// search did not stall, or no column has a large ratio.
fn far_column(problem: &Problem, found: &Optimum, model: &Model) -> Option<(String, f64)> {
    if !matches!(found.ended, Ended::Stalled | Ended::Exhausted) {
        return None;
    }
    let (at, ratio) = problem.farthest_column().filter(|(_, ratio)| *ratio >= FAR)?;
    let id = *model.index.get(at)?;
    Some((model.names.of(id).map_or_else(|| id.to_string(), str::to_owned), ratio))
}
