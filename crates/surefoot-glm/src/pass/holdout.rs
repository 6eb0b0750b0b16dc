//! Several passes: rows that are held out, and which pass's model is kept.
//!
//! With more than one pass rows are no longer fresh, so every K-th row of positive weight is put on a shelf and
//! never learnt. At the end of a pass all models are judged on the shelf. Kept is the latest pass whose loss there
//! is within one standard error of the least: a difference within the noise is a tie, and later passes are nearer to
//! the optimum. Where all of the shelf is of one class, as with very rare events, it judges nothing: the latest is kept.

use crate::{
    data::{
        fault::{Fault, Part},
        holdout_store::Shelf,
        rows::Row,
    },
    labels::{class_weights::Balance, encoder::Coding},
    loss::Loss,
    metrics::progressive_loss::Board,
    model::{predictor::Predictor, settings::Plan},
    numeric::{
        check::{MOST_ROWS, need},
        sums::{Mean, Spread},
    },
};
use serde::{Deserialize, Serialize};
use std::{io, sync::Arc};

/// Where the passes stand.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) plan: Plan,
    pub(crate) run: Run,
    shelf: Box<dyn Shelf>,
    /// Rows seen by [`Passes::reshelve`].
    reshelved: u64,
    /// The model of least loss on the shelf, and the one to be saved.
    pub(crate) least: Option<Arc<Predictor>>,
    pub(crate) kept: Option<Arc<Predictor>>,
}

/// The part of [`Passes`] that an unfinished model stores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Whether the kept model is of an earlier run: it stands until the first row of this one is learnt.
    pub(crate) left: bool,
    /// Passes completed.
    pub(crate) completed: u32,
    /// Rows of positive weight met in this pass.
    position: u64,
    /// Rows on the shelf.
    shelved: u64,
    /// Held-out rows as they were met, scored by the model of that moment.
    pub(crate) met: Board,
    /// All held-out rows, scored by the kept model.
    pub(crate) judged: Option<Board>,
    /// The rows of classes before the run.
    #[serde(default, skip_serializing_if = "Balance::is_empty")]
    pub(crate) before: Balance,
}

impl Run {
    /// Checks one that was read from a file.
    pub(crate) fn check(&self, loss: Loss, classes: usize) -> Result<(), String> {
        let counts = [self.position, self.shelved].iter().all(|count| *count <= MOST_ROWS);
        need(counts && self.completed < u32::MAX, "the passes of the state are out of their range")?;
        self.met.check(loss, classes)?;
        self.judged.as_ref().map_or(Ok(()), |board| board.check(loss, classes))?;
        self.before.check()
    }
}

impl Passes {
    pub(crate) fn new(plan: Plan, shelf: Box<dyn Shelf>) -> Passes {
        Passes { plan, run: Run::default(), shelf, reshelved: 0, least: None, kept: None }
    }

    /// Starts after a run that left this model.
    pub(crate) fn leave(&mut self, model: Arc<Predictor>) {
        (self.kept, self.run.left) = (Some(model), true);
    }

    /// The model of an earlier run, if it still stands.
    pub(crate) fn of_earlier_run(&self) -> Option<&Predictor> {
        self.kept.as_deref().filter(|_| self.run.left)
    }

    /// A row has been learnt.
    #[inline]
    pub(crate) fn learnt(&mut self) {
        if self.run.left {
            (self.kept, self.run.left) = (None, false);
        }
    }

    /// Whether a row of positive weight, the next one, is held out: by its number in the data, in whatever order rows come.
    pub(crate) fn holds(&self, row: &Row<'_>) -> bool {
        self.is_held(row, self.run.position + 1)
    }

    /// Whether a row is held out that comes at this place among those of positive weight.
    fn is_held(&self, row: &Row<'_>, place: u64) -> bool {
        let position = if row.position == 0 { place } else { row.position };
        self.plan.period().is_some_and(|period| position.is_multiple_of(period))
    }

    /// Counts a row of positive weight.
    pub(crate) fn count(&mut self) {
        self.run.position += 1;
    }

    /// Whether rows that are learnt now are seen for the first time, or are all there is to judge by.
    pub(crate) fn fresh(&self) -> bool {
        self.run.completed == 0 || self.run.shelved == 0
    }

    /// Whether there are held-out rows to judge by.
    pub(crate) fn judges(&self) -> bool {
        self.run.shelved > 0
    }

    /// Rows that are held out.
    pub(crate) fn shelved(&self) -> u64 {
        self.run.shelved
    }

    /// Whether the printed loss is that of held-out rows: from the start, unless a whole pass has shown none.
    pub(crate) fn prints_held_out(&self) -> bool {
        self.plan.period().is_some() && (self.run.completed == 0 || self.judges())
    }

    /// Puts a held-out row on the shelf, once.
    pub(crate) fn shelve(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        if self.run.completed == 0 {
            self.shelf
                .put(row)
                .map_err(|error| Fault::new(Part::Row, format!("held-out rows cannot be kept: {error}")))?;
            self.run.shelved += 1;
        }
        Ok(())
    }

    /// Puts a row back on the shelf of a resumed run, if it is one that was held out.
    pub(crate) fn reshelve(&mut self, row: &Row<'_>) -> io::Result<()> {
        if row.weight > 0.0 && row.label.is_some() {
            self.reshelved += 1;
            if self.is_held(row, self.reshelved) {
                self.shelf.put(row)?;
            }
        }
        Ok(())
    }

    pub(crate) fn visit(&mut self, each: &mut dyn FnMut(&Row<'_>)) -> io::Result<()> {
        self.shelf.visit(each)
    }

    /// Ends a pass whose model is `candidate`.
    pub(crate) fn keep(&mut self, loss: Loss, candidate: Predictor, coding: &Coding) -> io::Result<()> {
        let least = self.least.clone();
        let (mut board, mut old, mut worse) = (Board::default(), Mean::default(), Spread::default());
        let (mut only, mut mixed) = (None, false);
        // The largest difference so far: squares of others could leave the range of f64.
        let mut unit = 0.0;
        self.shelf.visit(&mut |row| {
            let y = coding.code(loss, row.label.unwrap_or(f64::NAN)).unwrap_or(f64::NAN);
            mixed |= y != *only.get_or_insert(y);
            let of = |p: &Predictor| p.loss(row, loss, coding).unwrap_or(f64::INFINITY);
            let (new, best) = (of(&candidate), least.as_ref().map_or(f64::INFINITY, |least| of(least)));
            board.add(loss, y, row.weight, new, row.offset);
            old.add(best, row.weight);
            let difference: f64 = new - best;
            if difference.abs() > unit && difference.is_finite() {
                worse.rescale(unit / difference.abs());
                unit = difference.abs();
            }
            worse.add(if difference == 0.0 { 0.0 } else { difference / unit }, row.weight);
        })?;
        let candidate = Arc::new(candidate);
        let beats = least.is_none() || board.loss().unwrap_or(f64::INFINITY) <= old.value().unwrap_or(f64::INFINITY);
        if beats {
            self.least = Some(Arc::clone(&candidate));
        }
        // Rows of one class cannot tell a good model of several from one that knows the class alone.
        let blind = loss.classifies() && coding.single().is_none() && !mixed;
        if beats || blind || within_noise(&worse, self.run.shelved) {
            (self.kept, self.run.left) = (Some(candidate), false);
            self.run.judged = Some(board);
        }
        Ok(())
    }

    /// Ends a pass.
    pub(crate) fn next(&mut self) {
        self.run.completed += 1;
        self.run.position = 0;
    }
}

/// Whether a mean difference is at most its standard error over this many rows.
fn within_noise(difference: &Spread, rows: u64) -> bool {
    let variance = difference.squares() / difference.weight();
    difference.mean() <= (variance / rows as f64).sqrt()
}
