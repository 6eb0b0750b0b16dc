//! The rows held out from learning in a run of several passes, and the choice of the pass whose model is kept.
//!
//! With more than one pass, rows are no longer fresh, so every K-th row of positive weight is held out, and learnt only
//! at the end of the run, after all passes. At the end of each pass its model is scored on the held-out rows. The model
//! of the latest pass whose held-out loss is within one standard error of the least is kept: a difference within the
//! noise is a tie, and later passes are nearer to the optimum. Not so for losses of class probabilities without a ball, where later passes
//! may be too sure, on rows that a small hold-out does not have: there a later pass has to be better than the kept one
//! by one standard error. If all held-out rows are of one class, as with very rare
//! events, they decide nothing, and the latest model is kept.

use crate::{
    data::{
        fault::{Fault, Part},
        holdout_store::HoldoutStore,
        rows::Row,
    },
    labels::{class_weights::ClassBalance, encoder::LabelEncoder},
    loss::Loss,
    metrics::progressive_loss::ProgressiveLoss,
    model::{predictor::Predictor, settings::Plan},
    numeric::{
        check::{MOST_ROWS, need},
        sums::{Mean, Moments},
    },
};
use serde::{Deserialize, Serialize};
use std::{io, sync::Arc};

/// Held-out rows of a run, and the models that are compared on them.
#[derive(Debug)]
pub(crate) struct Holdout {
    pub(crate) plan: Plan,
    pub(crate) run: RunState,
    store: Box<dyn HoldoutStore>,
    /// Number of rows of positive weight read again by [`Holdout::restore_holdout`] in a resumed run.
    restored: u64,
    /// Model with which that of the next pass is compared: the one with the least held-out loss of all finished passes,
    /// or the kept one where it must be clear that a later one is better; `None` before the end of the first pass.
    pub(crate) least: Option<Arc<Predictor>>,
    /// Model that will be saved; `None` if it is the learner's current model.
    pub(crate) kept: Option<Arc<Predictor>>,
    /// Kept model as it was before it learnt the held-out rows at the end of the run; `None` until then.
    pub(crate) judged: Option<Arc<Predictor>>,
}

/// Counters and losses of a [`Holdout`], stored in the model of an unfinished run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunState {
    /// Whether the model that will be saved was trained in an earlier run; it is dropped when the first row of this run
    /// is learnt.
    #[serde(rename = "is_earlier_model")]
    pub(crate) is_earlier: bool,
    /// Number of passes completed in the run.
    #[serde(rename = "completed_passes")]
    pub(crate) completed: u32,
    /// Number of rows of positive weight read so far in the current pass.
    #[serde(rename = "rows_in_pass")]
    position: u64,
    /// Number of rows held out so far.
    held_out: u64,
    /// Losses of held-out rows, each by the model at the time when the row was read.
    #[serde(rename = "holdout_progressive_loss")]
    pub(crate) encountered: ProgressiveLoss,
    /// Losses of all held-out rows by the kept model, the one that will be saved; `None` before the end of the first
    /// pass.
    #[serde(rename = "holdout_loss")]
    pub(crate) kept_losses: Option<ProgressiveLoss>,
    /// Total weight per class of the rows learnt before this run.
    #[serde(rename = "earlier_class_sums", default, skip_serializing_if = "ClassBalance::is_empty")]
    pub(crate) before: ClassBalance,
}

impl RunState {
    /// Checks that the state, read from a file, is within its ranges.
    pub(crate) fn check(&self, loss: Loss, classes: usize) -> Result<(), String> {
        let counts = [self.position, self.held_out].iter().all(|count| *count <= MOST_ROWS);
        need(counts && self.completed < u32::MAX, "the passes of the state are out of their range")?;
        self.encountered.check(loss, classes)?;
        self.kept_losses.as_ref().map_or(Ok(()), |losses| losses.check(loss, classes))?;
        self.before.check()
    }
}

impl Holdout {
    pub(crate) fn new(plan: Plan, store: Box<dyn HoldoutStore>) -> Holdout {
        Holdout { plan, run: RunState::default(), store, restored: 0, least: None, kept: None, judged: None }
    }

    /// Sets the model of an earlier run as the one to be saved, as long as no row of this run has been learnt.
    pub(crate) fn start_from(&mut self, model: Arc<Predictor>) {
        (self.kept, self.run.is_earlier) = (Some(model), true);
    }

    /// Returns the model of an earlier run as long as it is the one to be saved; `None` once a row of this run has been
    /// learnt.
    pub(crate) fn earlier_model(&self) -> Option<&Predictor> {
        self.kept.as_deref().filter(|_| self.run.is_earlier)
    }

    /// Drops the model of an earlier run, if there is one, because a row of this run has been learnt.
    #[inline]
    pub(crate) fn drop_earlier_model(&mut self) {
        if self.run.is_earlier {
            (self.kept, self.run.is_earlier) = (None, false);
        }
    }

    /// Whether a row is held out, assuming that it is the next row of positive weight in this pass. If the row's
    /// position in the data is known, it decides, so that the order in which rows are read does not matter.
    pub(crate) fn is_held_out(&self, row: &Row<'_>) -> bool {
        self.is_held(row, self.run.position + 1)
    }

    /// Whether a row is held out; `place` is its number, counted over the rows of positive weight as they are read,
    /// which decides if the row has no position in the data.
    fn is_held(&self, row: &Row<'_>, place: u64) -> bool {
        let position = if row.position == 0 { place } else { row.position };
        self.plan.period().is_some_and(|period| position.is_multiple_of(period))
    }

    /// Counts a row of positive weight in the current pass.
    pub(crate) fn count(&mut self) {
        self.count_rows(1);
    }

    /// Counts a number of rows of positive weight in the current pass.
    pub(crate) fn count_rows(&mut self, rows: u64) {
        self.run.position += rows;
    }

    /// Whether the progressive loss is meaningful: true in the first pass, where rows are scored before they are
    /// learnt, and in later passes if there are no held-out rows to score instead.
    pub(crate) fn is_fresh(&self) -> bool {
        self.run.completed == 0 || self.run.held_out == 0
    }

    /// Whether at least one row has been held out so far.
    pub(crate) fn has_held_out_rows(&self) -> bool {
        self.run.held_out > 0
    }

    /// Returns the number of rows held out so far.
    pub(crate) fn held_out(&self) -> u64 {
        self.run.held_out
    }

    /// Whether the loss reported to the user is that of held-out rows: true from the start of a run with hold-out,
    /// unless a whole pass has held out no row.
    pub(crate) fn prints_held_out(&self) -> bool {
        self.plan.period().is_some() && (self.run.completed == 0 || self.has_held_out_rows())
    }

    /// Stores a held-out row in the first pass; does nothing in later passes, which read the same rows again.
    pub(crate) fn hold_out(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        if self.run.completed == 0 {
            self.store
                .put(row)
                .map_err(|error| Fault::new(Part::Row, format!("held-out rows cannot be kept: {error}")))?;
            self.run.held_out += 1;
        }
        Ok(())
    }

    /// In a resumed run, stores a row again if the original run had held it out.
    pub(crate) fn restore_holdout(&mut self, row: &Row<'_>) -> io::Result<()> {
        if row.weight > 0.0 && row.label.is_some() {
            self.restored += 1;
            if self.is_held(row, self.restored) {
                self.store.put(row)?;
            }
        }
        Ok(())
    }

    pub(crate) fn visit(&mut self, each: &mut dyn FnMut(&Row<'_>)) -> io::Result<()> {
        self.store.visit(each)
    }

    /// Compares the model of a finished pass (`candidate`) with the best model so far on the held-out rows. Keeps the
    /// candidate unless its mean loss is larger by more than one standard error; if it `must_be_clear` that a model is better,
    /// keeps it only if its mean loss is smaller by at least one. Returns whether it is kept.
    pub(crate) fn select_model(
        &mut self,
        loss: Loss,
        candidate: Predictor,
        encoder: &LabelEncoder,
        must_be_clear: bool,
    ) -> io::Result<bool> {
        let least = self.least.clone();
        let (mut losses, mut old, mut worse) = (ProgressiveLoss::default(), Mean::default(), Moments::default());
        let (mut only, mut mixed) = (None, false);
        // Differences are stored in units of the largest difference so far, because their squares could leave the
        // range of f64 otherwise.
        let mut unit = 0.0;
        self.store.visit(&mut |row| {
            let y = encoder.encode(loss, row.label.unwrap_or(f64::NAN)).unwrap_or(f64::NAN);
            mixed |= y != *only.get_or_insert(y);
            let of = |p: &Predictor| p.loss(row, loss, encoder).unwrap_or(f64::INFINITY);
            let (new, best) = (of(&candidate), least.as_ref().map_or(f64::INFINITY, |least| of(least)));
            losses.add(loss, y, row.weight, new, row.offset);
            old.add(best, row.weight);
            let difference: f64 = new - best;
            if difference.abs() > unit && difference.is_finite() {
                worse.rescale(unit / difference.abs());
                unit = difference.abs();
            }
            worse.add(if difference == 0.0 { 0.0 } else { difference / unit }, row.weight);
        })?;
        let candidate = Arc::new(candidate);
        let beats = least.is_none() || losses.loss().unwrap_or(f64::INFINITY) <= old.value().unwrap_or(f64::INFINITY);
        // Held-out rows of one class cannot tell a good model of several classes from a model that always predicts
        // that class.
        let blind = loss.classifies() && encoder.only_class().is_none() && !mixed;
        let error = standard_error(&worse, self.run.held_out);
        let tie = beats || worse.mean() <= error;
        let clear = least.is_none() || old.value().is_none() || worse.mean() <= -error;
        let is_kept = blind || if must_be_clear { clear } else { tie };
        if if must_be_clear { is_kept } else { beats } {
            self.least = Some(Arc::clone(&candidate));
        }
        if is_kept {
            (self.kept, self.run.is_earlier) = (Some(candidate), false);
            self.run.kept_losses = Some(losses);
        }
        Ok(is_kept)
    }

    /// Counts a finished pass, and resets the position of rows for the next one.
    pub(crate) fn end_pass(&mut self) {
        self.run.completed += 1;
        self.run.position = 0;
    }
}

/// Returns the standard error of a mean difference over `rows` rows.
fn standard_error(difference: &Moments, rows: u64) -> f64 {
    (difference.squares() / difference.weight() / rows as f64).sqrt()
}
